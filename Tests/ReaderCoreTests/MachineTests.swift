// SPDX-License-Identifier: Apache-2.0

import ReaderProtocol
import Testing
import ThumbturnProtocol

@testable import ReaderCore

/// One claim: what happened, and all that was done about the last of it.
struct MachineRow: Sendable, CustomTestStringConvertible {
  let name: String
  let settle: Int
  let before: [ReaderEvent]
  let event: ReaderEvent
  let actions: [ReaderAction]

  init(
    _ name: String, settle: Int = 250, after before: [ReaderEvent], _ event: ReaderEvent,
    _ actions: [ReaderAction]
  ) {
    self.name = name
    self.settle = settle
    self.before = before
    self.event = event
    self.actions = actions
  }

  var testDescription: String { name }

  func check() {
    var machine = ReaderMachine(settle: settle)
    for event in before { _ = machine.handle(event) }
    #expect(machine.handle(event) == actions)
  }
}

/// Beginnings that many rows share.
enum Story {
  static let open = ReaderEvent.command(.open(driver: Text("d"), device: Text("0")))
  static let openFailed = ReaderEvent.openFailed(.fatal(.readerFailed), open: false)
  static let identifying = opened(ReaderTraits(identifies: true, announcesArming: true))
  static let verifying = opened(ReaderTraits(identifies: false, announcesArming: false))
  static let arming = identifying + templates(7, 9) + [.command(.verify), .started]
  static let armed = arming + [needed]
  static let settled = armed + [.elapsed]
  static let verifyingArmed = verifying + templates(7, 9) + [.command(.verify), .started, .elapsed]
  static let enrolling = verifying + [.command(.enroll(finger: .rightIndex, user: Text("ada")))]
  static let needed = ReaderEvent.finger(FingerStatus(needed: true, present: false))
  static let present = ReaderEvent.finger(FingerStatus(needed: true, present: true))
  static let nothing = ReaderEvent.finger(FingerStatus(needed: false, present: false))
  static let leave: [ReaderAction] = [.hurry, .stopWaiting, .cancel]

  static func opened(_ traits: ReaderTraits) -> [ReaderEvent] { [open, .opened(traits)] }

  static func templates(_ indexes: UInt8...) -> [ReaderEvent] {
    indexes.flatMap {
      [.command(.template(index: $0, bytes: [1, $0])), .kept(index: $0, usable: true)] as [ReaderEvent]
    }
  }
}

@Suite struct MachineTests {
  static let opening: [MachineRow] = [
    MachineRow("list", after: [], .command(.list), [.list]),
    MachineRow("list twice", after: [.command(.list)], .command(.list), [.list]),
    MachineRow(
      "open", after: [.command(.list)], Story.open, [.open(driver: Text("d"), device: Text("0"))]),
    MachineRow(
      "opened", after: [Story.open], Story.identifying[1], [.report(.opened)]),
    MachineRow(
      "no such reader", after: [Story.open], .openFailed(.fatal(.unknownReader), open: false),
      [.report(.failed(.unknownReader)), .hurry, .end]),
    MachineRow(
      "not the first time", after: [Story.open], Story.openFailed,
      [.wait(milliseconds: ReaderMachine.openPause)]),
    MachineRow(
      "busy", after: [Story.open], .openFailed(.fatal(.busy), open: false),
      [.wait(milliseconds: ReaderMachine.openPause)]),
    MachineRow(
      "once more", after: [Story.open, Story.openFailed], .elapsed,
      [.open(driver: Text("d"), device: Text("0"))]),
    MachineRow(
      "opened the second time", after: [Story.open, Story.openFailed, .elapsed], Story.identifying[1],
      [.report(.opened)]),
    MachineRow(
      "not twice", after: [Story.open, Story.openFailed, .elapsed], Story.openFailed,
      [.report(.failed(.readerFailed)), .hurry, .end]),
    MachineRow(
      "gone", after: [Story.open], .openFailed(.fatal(.noReader), open: false),
      [.report(.failed(.noReader)), .hurry, .end]),
    MachineRow("close before once more", after: [Story.open, Story.openFailed], .command(.close), [.end]),
    MachineRow("nothing after that", after: [Story.open, Story.openFailed, .hungUp], .elapsed, []),
    MachineRow(
      "close while opening", after: [Story.open], .command(.close), Story.leave),
    MachineRow(
      "cancelled too late", after: [Story.open, .command(.close)], Story.identifying[1], [.close]),
    MachineRow(
      "cancelled, yet open", after: [Story.open, .hungUp], .openFailed(.cancelled, open: true), [.close]),
    MachineRow(
      "cancelled in time", after: [Story.open, .hungUp], .openFailed(.cancelled, open: false), [.end]),
    MachineRow(
      "a template", after: Story.identifying, Story.templates(3)[0], [.keep(index: 3, bytes: [1, 3])]),
    MachineRow("closed", after: Story.identifying + [.command(.close)], .closed, [.end]),
    MachineRow("nothing follows the end", after: [.command(.close)], .command(.list), []),
  ]

  static let touches: [MachineRow] = [
    MachineRow(
      "identifying compares with all", after: Story.identifying + Story.templates(7, 9), .command(.verify),
      [.arm(only: nil)]),
    MachineRow(
      "verifying compares with one", after: Story.verifying + Story.templates(7, 9), .command(.verify),
      [.arm(only: 7)]),
    MachineRow(
      "armed when the sensor is", after: Story.arming, Story.needed,
      [.report(.armed), .wait(milliseconds: 250)]),
    MachineRow(
      "armed at once where the driver is silent",
      after: Story.verifying + Story.templates(7) + [.command(.verify)], .started,
      [.report(.armed), .wait(milliseconds: 250)]),
    MachineRow("no settling", settle: 0, after: Story.arming, Story.needed, [.report(.armed)]),
    MachineRow(
      "a match", after: Story.settled, .answered(.match(index: 9)),
      [.report(.matched(index: 9)), .stopWaiting]),
    MachineRow(
      "a match of a driver that says nothing of fingers", after: Story.armed, .answered(.match(index: 9)),
      [.report(.matched(index: 9)), .stopWaiting]),
    MachineRow(
      "an answer before the sensor is known to be active", after: Story.arming, .answered(.mismatch),
      [.report(.armed), .report(.mismatched), .stopWaiting]),
    MachineRow(
      "idle after a match", after: Story.settled + [.answered(.match(index: 9))], .finished(nil), []),
    MachineRow(
      "armed again on demand", after: Story.settled + [.answered(.match(index: 9)), .finished(nil)],
      .command(.verify), [.arm(only: nil)]),
    MachineRow(
      "armed again when the match's operation has ended",
      after: Story.settled + [.answered(.match(index: 9)), .command(.verify)], .finished(nil),
      [.arm(only: nil)]),
    MachineRow(
      "a mismatch", after: Story.settled, .answered(.mismatch), [.report(.mismatched), .stopWaiting]),
    MachineRow(
      "armed again after a mismatch", after: Story.settled + [.answered(.mismatch)], .finished(nil),
      [.arm(only: nil)]),
    MachineRow(
      "a mismatch of a chip that knows no such print", after: Story.settled + [.answered(.mismatch)],
      .finished(.fatal(.notFound)), [.arm(only: nil)]),
    MachineRow(
      "a poor scan", after: Story.settled, .answered(.retry(.tooShort)),
      [.report(.retry(.tooShort)), .stopWaiting]),
    MachineRow(
      "armed again after a poor scan", after: Story.settled + [.answered(.retry(.tooShort))],
      .finished(.retry(.tooShort)), [.arm(only: nil)]),
    MachineRow(
      "a poor scan told at the end only", after: Story.settled, .finished(.retry(.general)),
      [.report(.retry(.general)), .stopWaiting, .arm(only: nil)]),
  ]

  static let oneByOne: [MachineRow] = [
    MachineRow(
      "the first in vain asks for another touch", after: Story.verifyingArmed, .answered(.mismatch),
      [.report(.retry(.liftFinger)), .stopWaiting]),
    MachineRow(
      "which meets the second", after: Story.verifyingArmed + [.answered(.mismatch)], .finished(nil),
      [.arm(only: 9)]),
    MachineRow(
      "all in vain is a mismatch",
      after: Story.verifyingArmed + [.answered(.mismatch), .finished(nil), .started], .answered(.mismatch),
      [.report(.mismatched), .stopWaiting]),
    MachineRow(
      "and the first comes again",
      after: Story.verifyingArmed + [
        .answered(.mismatch), .finished(nil), .started, .answered(.mismatch),
      ], .finished(nil), [.arm(only: 7)]),
    MachineRow(
      "a poor scan is compared with nothing", after: Story.verifyingArmed + [.answered(.retry(.general))],
      .finished(.retry(.general)), [.arm(only: 7)]),
    MachineRow(
      "what matched comes first the next time",
      after: Story.verifyingArmed + [
        .answered(.mismatch), .finished(nil), .started, .answered(.match(index: 9)), .finished(nil),
      ], .command(.verify), [.arm(only: 9)]),
    MachineRow(
      "a match with a template that was not compared", after: Story.verifyingArmed,
      .answered(.match(index: 9)), [.report(.failed(.readerFailed))] + Story.leave),
    MachineRow(
      "an unusable template is left out",
      after: Story.verifying + [
        .command(.template(index: 1, bytes: [])), .kept(index: 1, usable: false),
      ] + Story.templates(2), .command(.verify), [.arm(only: 2)]),
    MachineRow(
      "only unusable templates",
      after: Story.verifying + [.command(.template(index: 1, bytes: [])), .kept(index: 1, usable: false)],
      .command(.verify), [.report(.failed(.unknownReader)), .hurry, .stopWaiting, .close]),
  ]

  @Test(arguments: opening) func opens(_ row: MachineRow) { row.check() }
  @Test(arguments: touches) func takesTouches(_ row: MachineRow) { row.check() }
  @Test(arguments: oneByOne) func comparesOneByOne(_ row: MachineRow) { row.check() }
}
