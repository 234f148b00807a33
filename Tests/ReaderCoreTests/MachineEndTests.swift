// SPDX-License-Identifier: Apache-2.0

import ReaderProtocol
import Testing
import ThumbturnProtocol

@testable import ReaderCore

/// Resting fingers, pauses, failures, and everything out of order.
@Suite struct MachineEndTests {
  static let resting: [MachineRow] = [
    MachineRow(
      "there before the sensor is active", settle: 0, after: Story.arming, Story.present,
      [.stopWaiting, .report(.resting)]),
    MachineRow(
      "there while settling", after: Story.armed, Story.present, [.stopWaiting, .report(.resting)]),
    MachineRow("there after settling", after: Story.settled, Story.present, []),
    MachineRow("no settling, no resting", settle: 0, after: Story.armed, Story.present, []),
    MachineRow("active again while settling", after: Story.armed, Story.needed, [.wait(milliseconds: 250)]),
    MachineRow(
      "its match counts for nothing", after: Story.armed + [Story.present], .answered(.match(index: 7)), []),
    MachineRow("its mismatch neither", after: Story.armed + [Story.present], .answered(.mismatch), []),
    MachineRow(
      "lifted", after: Story.armed + [Story.present], Story.nothing, [.stopWaiting, .cancel]),
    MachineRow(
      "a result after lifting", after: Story.armed + [Story.present, Story.nothing],
      .answered(.match(index: 7)), []),
    MachineRow(
      "a pause after lifting", after: Story.armed + [Story.present, Story.nothing], .finished(.cancelled),
      [.wait(milliseconds: ReaderMachine.restPause)]),
    MachineRow(
      "a pause where lifting is not told", after: Story.armed + [Story.present], .finished(nil),
      [.wait(milliseconds: ReaderMachine.restPause)]),
    MachineRow(
      "armed again after it", after: Story.armed + [Story.present, .finished(nil)], .elapsed,
      [.arm(only: nil)]),
  ]

  static let pauses: [MachineRow] = [
    MachineRow("when idle", after: Story.identifying, .command(.pause), [.report(.idle)]),
    MachineRow("when armed", after: Story.settled, .command(.pause), [.stopWaiting, .cancel]),
    MachineRow("when enrolling", after: Story.enrolling, .command(.pause), [.stopWaiting, .cancel]),
    MachineRow(
      "cancelled", after: Story.settled + [.command(.pause)], .finished(.cancelled), [.report(.idle)]),
    MachineRow(
      "a match too late", after: Story.settled + [.command(.pause)], .answered(.match(index: 7)), []),
    MachineRow(
      "a match too late, at its end", after: Story.settled + [.command(.pause)], .finished(nil),
      [.report(.idle)]),
    MachineRow(
      "while the finger of a match still lies there", after: Story.settled + [.answered(.match(index: 7))],
      .command(.pause), [.stopWaiting, .cancel]),
    MachineRow(
      "before arming again", after: Story.armed + [Story.present, .finished(nil)], .command(.pause),
      [.stopWaiting, .report(.idle)]),
    MachineRow(
      "enrolled too late", after: Story.enrolling + [.command(.pause)], .enrolled(template: [1]),
      [.report(.idle)]),
  ]

  static let enrolling: [MachineRow] = [
    MachineRow(
      "begins", after: Story.verifying, Story.enrolling[2],
      [.enroll(finger: .rightIndex, user: Text("ada"))]),
    MachineRow(
      "a stage", after: Story.enrolling, .stage(done: 2, retry: nil), [.report(.stage(done: 2, retry: nil))]),
    MachineRow(
      "a poor scan", after: Story.enrolling, .stage(done: 2, retry: .notCentred),
      [.report(.stage(done: 2, retry: .notCentred))]),
    MachineRow("a stage too late", after: Story.enrolling + [.hungUp], .stage(done: 2, retry: nil), []),
    MachineRow(
      "complete", after: Story.enrolling, .enrolled(template: [1]), [.report(.enrolled(template: [1]))]),
    MachineRow(
      "known to the chip", after: Story.enrolling, .finished(.fatal(.keptByReader)),
      [.report(.failed(.keptByReader)), .hurry, .stopWaiting, .close]),
    MachineRow(
      "a print nobody asked for", after: Story.identifying, .enrolled(template: [1]),
      [.report(.failed(.readerFailed)), .hurry, .stopWaiting, .close]),
  ]

  static let failures: [MachineRow] =
    [Refusal.tooHot, .busy, .readerFailed, .notFound].map {
      MachineRow(
        "\($0)", after: Story.settled, .finished(.fatal($0)),
        [.report(.failed($0)), .hurry, .stopWaiting, .close])
    } + [
      MachineRow(
        "cancelled by nobody", after: Story.settled, .finished(.cancelled),
        [.report(.failed(.readerFailed)), .hurry, .stopWaiting, .close]),
      MachineRow(
        "ended without an answer", after: Story.settled, .finished(nil),
        [.report(.failed(.readerFailed)), .hurry, .stopWaiting, .close]),
      MachineRow(
        "pulled out after a match", after: Story.settled + [.answered(.match(index: 7))],
        .finished(.fatal(.readerFailed)), [.report(.failed(.readerFailed)), .hurry, .stopWaiting, .close]),
      MachineRow(
        "pulled out while leaving", after: Story.settled + [.hungUp], .finished(.fatal(.readerFailed)),
        [.close]),
      MachineRow(
        "the daemon is gone", after: Story.settled, .hungUp, Story.leave),
      MachineRow("a match for nobody", after: Story.settled + [.hungUp], .answered(.match(index: 7)), []),
      MachineRow(
        "what is no command", after: Story.settled, .nonsense,
        [.report(.failed(.malformed))] + Story.leave),
      MachineRow(
        "a match nobody asked for", after: Story.identifying + Story.templates(7),
        .answered(.match(index: 7)),
        [.report(.failed(.readerFailed)), .hurry, .stopWaiting, .close]),
      MachineRow(
        "commands while closing", after: Story.identifying + [.command(.close)], .command(.verify), []),
      MachineRow("a second close", after: Story.settled + [.command(.close)], .command(.close), []),
    ]

  @Test(arguments: resting) func restingFingers(_ row: MachineRow) { row.check() }
  @Test(arguments: pauses) func pausing(_ row: MachineRow) { row.check() }
  @Test(arguments: enrolling) func enrolls(_ row: MachineRow) { row.check() }
  @Test(arguments: failures) func failing(_ row: MachineRow) { row.check() }

  /// Every command in every state, but for those that are in order there.
  static let outOfOrder: [(String, [ReaderEvent], [ReaderCommand])] = {
    let list = ReaderCommand.list
    let open = ReaderCommand.open(driver: Text(), device: Text())
    let template = ReaderCommand.template(index: 1, bytes: [])
    let known = ReaderCommand.template(index: 7, bytes: [])
    let enroll = ReaderCommand.enroll(finger: .leftThumb, user: Text())
    let all = [list, open, template, .verify, enroll, .erase(index: 7), .listStored, .clearStored]
    return [
      ("unopened", [], [template, .verify, enroll, .pause, .erase(index: 7), .listStored]),
      ("opening", [Story.open], all + [.pause]),
      ("waiting to open", [Story.open, Story.openFailed], all + [.pause]),
      ("idle", Story.identifying, [list, open, .verify, .erase(index: 7)]),
      ("with templates", Story.identifying + Story.templates(7), [list, open, known]),
      ("arming", Story.arming, all),
      ("armed", Story.settled, all),
      ("resting", Story.armed + [Story.present], all),
      ("matched", Story.settled + [.answered(.match(index: 7))], [list, open, template, enroll]),
      ("mismatched", Story.settled + [.answered(.mismatch)], all),
      ("stopping", Story.settled + [.command(.pause)], all),
      ("waiting to arm", Story.armed + [Story.present, .finished(nil)], all),
      ("enrolling", Story.enrolling, all),
      ("erasing", MachineStorageTests.erasing, all + [.pause]),
    ]
  }()

  @Test(arguments: outOfOrder.indices) func outOfOrderIsMalformed(_ index: Int) {
    let (name, before, commands) = MachineEndTests.outOfOrder[index]
    for command in commands {
      var machine = ReaderMachine(settle: 250)
      for event in before { _ = machine.handle(event) }
      #expect(machine.handle(.command(command)).first == .report(.failed(.malformed)), "\(name): \(command)")
    }
  }
}
