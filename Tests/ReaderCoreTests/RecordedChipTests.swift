// SPDX-License-Identifier: Apache-2.0

import ReaderProtocol
import Testing
import ThumbturnProtocol

/// The built program on recorded traffic of readers that keep prints themselves. Such a
/// recording replays in its own order only, and all of it in one session.
@Suite(.serialized) struct RecordedChipTests {
  /// Enrols without labels, as these readers are enrolled, and answers the template.
  private func enroll(_ reader: RunningReader) throws -> [UInt8] {
    try reader.send(.enroll(finger: .rightIndex, user: Text()))
    while let report = try reader.next(limit: 10_000) {
      if case .enrolled(let template) = report { return template }
      guard case .stage = report else { throw ReaderTestError("\(report)") }
    }
    throw ReaderTestError("it ended")
  }

  /// Waits until the operation that told a match has ended.
  private func settle(_ reader: RunningReader) throws {
    try reader.send(.pause)
    try reader.expect(.idle)
  }

  @Test(.enabled(if: Recording.elanmoc != nil, "recordings or umockdev are missing"))
  func elanmocFromEnrollingToErasing() throws {
    let recording = try #require(Recording.elanmoc)
    let holder = try RecordedReader(recording)
    let reader = try holder.start(settle: 0)
    let description = try reader.openOnly()
    #expect(description.stores && description.identifies)
    let template = try enroll(reader)
    try reader.send(.template(index: 10, bytes: template))
    try reader.send(.listStored)
    try reader.expect(.stored(index: 10), .storedListed)
    try reader.send(.verify)
    try reader.expect(.armed, .matched(index: 10))
    try settle(reader)
    // With a second template it identifies.
    try reader.send(.template(index: 11, bytes: template))
    try reader.send(.verify)
    try reader.expect(.armed)
    guard case .matched = try reader.next() else { throw ReaderTestError("not identified") }
    try settle(reader)
    try reader.send(.erase(index: 10))
    try reader.expect(.erased(index: 10))
    try reader.send(.close)
    try reader.expectEnd()
  }

  @Test(.enabled(if: Recording.synaptics != nil, "recordings or umockdev are missing"))
  func synapticsFromClearingToErasing() throws {
    let recording = try #require(Recording.synaptics)
    let holder = try RecordedReader(recording)
    let reader = try holder.start(settle: 0)
    #expect(try reader.openOnly().stores)
    try reader.send(.clearStored)
    try reader.expect(.cleared)
    let template = try enroll(reader)
    try reader.send(.template(index: 10, bytes: template))
    try reader.send(.verify)
    try reader.expect(.armed, .matched(index: 10))
    try settle(reader)
    try reader.send(.erase(index: 10))
    try reader.expect(.erased(index: 10))
    try reader.send(.close)
    try reader.expectEnd()
  }
}
