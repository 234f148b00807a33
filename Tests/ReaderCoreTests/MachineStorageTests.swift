// SPDX-License-Identifier: Apache-2.0

import ReaderProtocol
import Testing
import ThumbturnProtocol

@testable import ReaderCore

/// Readers that keep prints themselves.
@Suite struct MachineStorageTests {
  static let chip = Story.opened(ReaderTraits(identifies: true, announcesArming: false, stores: true))
  static let given = chip + Story.templates(7, 9)
  static let erasing = given + [.command(.erase(index: 9))]
  static let listing = given + [.command(.listStored)]
  static let lateEnrolment =
    chip + [.command(.enroll(finger: .rightIndex, user: Text())), .command(.close)]
  static let dropping = lateEnrolment + [.enrolled(template: [1])]
  static let end: [ReaderAction] = [.hurry, .stopWaiting, .close]

  static let rows: [MachineRow] = [
    MachineRow("several prints are searched", after: given, .command(.verify), [.arm(only: nil)]),
    MachineRow("one is verified", after: chip + Story.templates(7), .command(.verify), [.arm(only: 7)]),
    MachineRow("erase", after: given, .command(.erase(index: 9)), [.erase(index: 9)]),
    MachineRow("erased", after: erasing, .storage(.erased), [.report(.erased(index: 9))]),
    MachineRow(
      "erased before", after: erasing, .storage(.failed(.fatal(.notFound))),
      [.report(.missing(index: 9))]),
    MachineRow(
      "not erased", after: erasing, .storage(.failed(.fatal(.busy))), [.report(.failed(.busy))] + end),
    MachineRow(
      "another one after it", after: erasing + [.storage(.erased)], .command(.erase(index: 7)),
      [.erase(index: 7)]),
    MachineRow(
      "a print of another reader is not there",
      after: chip + [.command(.template(index: 1, bytes: [])), .kept(index: 1, usable: false)],
      .command(.erase(index: 1)), [.report(.missing(index: 1))]),
    MachineRow(
      "a reader that keeps nothing", after: Story.identifying + Story.templates(7),
      .command(.erase(index: 7)), [.report(.missing(index: 7))]),
    MachineRow("clear", after: chip, .command(.clearStored), [.clearStored]),
    MachineRow("cleared", after: chip + [.command(.clearStored)], .storage(.erased), [.report(.cleared)]),
    MachineRow("list", after: given, .command(.listStored), [.listStored]),
    MachineRow(
      "listed", after: listing, .storage(.listed([9, nil])),
      [.report(.stored(index: 9)), .report(.stored(index: nil)), .report(.storedListed)]),
    MachineRow("nothing is listed", after: listing, .storage(.listed([])), [.report(.storedListed)]),
    MachineRow(
      "not listed", after: listing, .storage(.failed(.fatal(.readerFailed))),
      [.report(.failed(.readerFailed))] + end),
    MachineRow(
      "an answer to something else", after: listing, .storage(.erased),
      [.report(.failed(.readerFailed))] + end),
    MachineRow(
      "an answer to nothing", after: given, .storage(.erased), [.report(.failed(.readerFailed))] + end),
    MachineRow("leaving waits for the storage", after: erasing, .command(.close), [.hurry, .stopWaiting]),
    MachineRow("and closes then", after: erasing + [.command(.close)], .storage(.erased), [.close]),
    MachineRow(
      "whatever came of it", after: erasing + [.hungUp], .storage(.failed(.fatal(.readerFailed))), [.close]),
    MachineRow(
      "nonsense meanwhile", after: erasing, .nonsense, [.report(.failed(.malformed)), .hurry, .stopWaiting]),
    MachineRow(
      "a print that was made too late does not stay", after: lateEnrolment, .enrolled(template: [1]),
      [.drop(template: [1])]),
    MachineRow("then the reader is closed", after: dropping, .storage(.erased), [.close]),
    MachineRow("also when it stays", after: dropping, .storage(.failed(.fatal(.busy))), [.close]),
    MachineRow("a second close", after: dropping, .command(.close), []),
    MachineRow(
      "full", after: Array(lateEnrolment.dropLast()), .finished(.fatal(.readerFull)),
      [.report(.failed(.readerFull))] + end),
  ]

  @Test(arguments: rows) func storage(_ row: MachineRow) { row.check() }
}
