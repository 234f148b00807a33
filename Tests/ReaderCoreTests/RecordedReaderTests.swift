// SPDX-License-Identifier: Apache-2.0

import ReaderProtocol
import Testing
import ThumbturnProtocol

/// The built program on recorded USB traffic of a real reader, replayed by umockdev.
@Suite(.serialized, .enabled(if: Recording.nb1010 != nil, "recordings or umockdev are missing"))
struct RecordedReaderTests {
  @Test func enrolsAndMatchesARealReadersPicture() throws {
    let recording = try #require(Recording.nb1010)
    let holder = try RecordedReader(recording)
    let reader = try holder.start(settle: 0)
    let description = try reader.openOnly()
    #expect(description.driver == Text("nb1010"))
    #expect(description.bus == 1)
    #expect(description.address == 3)
    let template = try reader.enroll(stages: 5) {}
    try reader.verify([template])
    try reader.expect(.armed, .matched(index: 10))
    try reader.send(.close)
    try reader.expectEnd()
  }

  /// The recording's finger is always there: it never counts as a touch.
  @Test func aFingerThatAlwaysRestsNeverMatches() throws {
    let recording = try #require(Recording.nb1010)
    let holder = try RecordedReader(recording)
    let reader = try holder.start(settle: 1_000)
    _ = try reader.openOnly()
    let template = try reader.enroll(stages: 5) {}
    try reader.verify([template])
    for _ in 0..<5 { try reader.expect(.armed, .resting) }
    try reader.send(.close)
    while try reader.next() != nil {}
    try reader.expectEnd()
  }
}
