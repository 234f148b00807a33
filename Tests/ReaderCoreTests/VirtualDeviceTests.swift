// SPDX-License-Identifier: Apache-2.0

import ReaderProtocol
import Testing
import ThumbturnProtocol

/// The built program on libfprint's virtual reader, which verifies and does not identify.
///
/// That reader gives up 500 ms after it ran out of commands, so each test gives the next one
/// when the one before was answered.
@Suite(.serialized) struct VirtualDeviceTests {
  let virtual: VirtualReader
  init() throws { virtual = try VirtualReader.device() }

  /// An open reader and the templates of the fingers "one" and "two".
  private func enrolledTwo(settle: Int = 0) throws -> (RunningReader, [[UInt8]]) {
    let reader = try virtual.start(settle: settle)
    #expect(try reader.openOnly().identifies == false)
    let one = try reader.enroll(stages: 5) { try virtual.command("SCAN one") }
    let two = try reader.enroll(stages: 5) { try virtual.command("SCAN two") }
    return (reader, [one, two])
  }

  @Test func describesTheReader() throws {
    let reader = try virtual.start()
    var expected = ReaderDescription()
    expected.driver = Text("virtual_device")
    expected.device = Text("0")
    expected.name = Text("Virtual device for debugging")
    expected.scan = .swipe
    expected.stages = 5
    try reader.send(.list)
    try reader.expect(.found(expected), .listed)
    try reader.send(.close)
    try reader.expectEnd()
  }

  @Test func matchesVoidsAndMatchesAgain() throws {
    let (reader, templates) = try enrolledTwo()
    try reader.verify([templates[0]])
    for _ in 0..<3 {
      try reader.expect(.armed)
      try virtual.command("SCAN one")
      try reader.expect(.matched(index: 10))
      try reader.send(.verify)
    }
    try reader.expect(.armed)
    try reader.send(.close)
    try reader.expectEnd()
  }

  @Test func mismatchesAndIsArmedByItself() throws {
    let (reader, templates) = try enrolledTwo()
    try reader.verify([templates[0]])
    for _ in 0..<3 {
      try reader.expect(.armed)
      try virtual.command("SCAN stranger")
      try reader.expect(.mismatched)
    }
    try reader.expect(.armed)
    try virtual.command("SCAN one")
    try reader.expect(.matched(index: 10))
  }

  @Test func triesTemplatesTouchByTouch() throws {
    let (reader, templates) = try enrolledTwo()
    try reader.verify(templates)
    try reader.expect(.armed)
    try virtual.command("SCAN two")
    try reader.expect(.retry(.liftFinger), .armed)
    try virtual.command("SCAN two")
    try reader.expect(.matched(index: 11))
    try reader.send(.verify)
    try reader.expect(.armed)
    try virtual.command("SCAN stranger")
    try reader.expect(.retry(.liftFinger), .armed)
    try virtual.command("SCAN stranger")
    try reader.expect(.mismatched, .armed)
  }

  @Test func poorScansAreNoMismatch() throws {
    let (reader, templates) = try enrolledTwo()
    try reader.verify([templates[0]])
    for reason in RetryReason.allCases {
      try reader.expect(.armed)
      try virtual.command("RETRY \(reason.rawValue)")
      try reader.expect(.retry(reason))
    }
    try reader.expect(.armed)
  }

  @Test func tellsPoorScansOfEnrolling() throws {
    let reader = try virtual.start()
    _ = try reader.openOnly()
    try reader.send(.enroll(finger: .leftThumb, user: Text("ada")))
    try virtual.command("SCAN one")
    try reader.expect(.stage(done: 1, retry: nil))
    try virtual.command("RETRY 2")
    try reader.expect(.stage(done: 1, retry: .notCentred))
    try virtual.command("SCAN another")
    try reader.expect(.stage(done: 1, retry: .general))
    try reader.send(.pause)
    try reader.expect(.idle)
  }

  static let failures: [(Int, Refusal)] = [
    (0, .readerFailed), (4, .busy), (5, .readerFailed), (256, .noReader), (257, .tooHot),
  ]

  @Test(arguments: failures) func failuresAreFinal(_ code: Int, _ refusal: Refusal) throws {
    let (reader, templates) = try enrolledTwo()
    try reader.verify(templates)
    try reader.expect(.armed)
    try virtual.command("ERROR \(code)")
    try reader.expect(.failed(refusal))
    try reader.expectEnd()
  }

  @Test func unplugged() throws {
    let (reader, templates) = try enrolledTwo()
    try reader.verify(templates)
    try reader.expect(.armed)
    try virtual.command("UNPLUG")
    try reader.expect(.failed(.noReader))
    try reader.expectEnd()
  }

  @Test func pausesAndGoesOn() throws {
    let (reader, templates) = try enrolledTwo()
    try reader.verify([templates[0]])
    try reader.expect(.armed)
    try reader.send(.pause)
    try reader.expect(.idle)
    try virtual.command("SCAN one")
    try reader.send(.verify)
    try reader.expect(.armed, .matched(index: 10))
  }

  @Test func printsOfOtherReadersAreNoPrints() throws {
    let (reader, templates) = try enrolledTwo()
    let driver = Array("virtual_device".utf8)
    var foreign = templates[0]
    let place = try #require(
      foreign.indices.first { foreign[$0...].starts(with: driver) })
    foreign[place] = UInt8(ascii: "x")
    try reader.verify([foreign, Array("FP3 and then nothing of use".utf8), []])
    try reader.expect(.failed(.unknownReader))
    try reader.expectEnd()
  }

  @Test func foreignPrintsAreLeftOut() throws {
    let (reader, templates) = try enrolledTwo()
    try reader.verify([[1, 2, 3], templates[1]])
    try reader.expect(.armed)
    try virtual.command("SCAN two")
    try reader.expect(.matched(index: 11))
  }
}
