// SPDX-License-Identifier: Apache-2.0

import ReaderProtocol
import Testing
import ThumbturnProtocol

/// The built program on the virtual image reader, where libfprint itself finds and compares minutiae.
@Suite(.serialized) struct VirtualImageTests {
  static let finger = Picture(seed: 1)
  static let another = Picture(seed: 2)
  let virtual: VirtualReader
  init() throws { virtual = try VirtualReader.image() }

  private func enrolled(settle: Int = 0) throws -> (RunningReader, [[UInt8]]) {
    let reader = try virtual.start(settle: settle)
    #expect(try reader.openOnly().identifies)
    let one = try reader.enroll(stages: 5) { try virtual.show(VirtualImageTests.finger) }
    let two = try reader.enroll(stages: 5) { try virtual.show(VirtualImageTests.another) }
    return (reader, [one, two])
  }

  @Test func matchesPicturesByTheirMinutiae() throws {
    let (reader, templates) = try enrolled()
    try reader.verify(templates)
    try reader.expect(.armed)
    try virtual.show(VirtualImageTests.another)
    try reader.expect(.matched(index: 11))
    try reader.send(.verify)
    try reader.expect(.armed)
    try virtual.show(VirtualImageTests.finger)
    try reader.expect(.matched(index: 10))
    try reader.send(.close)
    try reader.expectEnd()
  }

  @Test func mismatchesAnotherFinger() throws {
    let (reader, templates) = try enrolled()
    try reader.verify([templates[0]])
    try reader.expect(.armed)
    try virtual.show(VirtualImageTests.another)
    try reader.expect(.mismatched, .armed)
    try virtual.imageCommand(-1, 1)
    try reader.expect(.retry(.tooShort), .armed)
    try virtual.imageCommand(-2, 257)
    try reader.expect(.failed(.tooHot))
    try reader.expectEnd()
  }

  @Test func aRestingFingerMustLift() throws {
    let (reader, templates) = try enrolled(settle: 1_000)
    try reader.verify(templates)
    try reader.expect(.armed)
    try virtual.imageCommand(-4, 1)
    try reader.expect(.resting)
    try virtual.imageCommand(-4, 0)
    try reader.expect(.armed)
  }
}
