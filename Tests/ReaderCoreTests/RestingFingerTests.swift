// SPDX-License-Identifier: Apache-2.0

import ReaderProtocol
import Testing
import ThumbturnProtocol

/// A finger that lies on the reader before anybody asks for it.
@Suite(.serialized) struct RestingFingerTests {
  let virtual: VirtualReader
  init() throws { virtual = try VirtualReader.device() }

  private func enrolled(settle: Int) throws -> (RunningReader, [UInt8]) {
    let reader = try virtual.start(settle: settle)
    _ = try reader.openOnly()
    return (reader, try reader.enroll(stages: 5) { try virtual.command("SCAN one") })
  }

  /// A touch that begins `delay` ms from here, by the reader's own clock.
  private func touch(after delay: Int) throws { try virtual.command("SLEEP \(delay)", "SCAN one") }

  @Test func thereBeforeArming() throws {
    let (reader, template) = try enrolled(settle: 50)
    try virtual.command("FINGER 1")
    try reader.verify([template])
    try reader.expect(.resting)
    try virtual.command("FINGER 0")
    try reader.expect(.armed)
    try touch(after: 300)
    try reader.expect(.matched(index: 10))
  }

  @Test func thereBeforeArmingWithoutSettling() throws {
    let (reader, template) = try enrolled(settle: 0)
    try virtual.command("FINGER 1")
    try reader.verify([template])
    try reader.expect(.resting)
  }

  @Test func comesWithinTheSettleTime() throws {
    let (reader, template) = try enrolled(settle: 1_000)
    try reader.verify([template])
    try reader.expect(.armed)
    try virtual.command("FINGER 1")
    try reader.expect(.resting)
    try virtual.command("FINGER 0")
    try reader.expect(.armed)
    try touch(after: 1_300)
    try reader.expect(.matched(index: 10))
  }

  @Test func whatIsReadOfItCountsForNothing() throws {
    let (reader, template) = try enrolled(settle: 1_000)
    try reader.verify([template])
    try reader.expect(.armed)
    try virtual.command("SCAN one")
    try reader.expect(.resting, .armed)
    try touch(after: 1_300)
    try reader.expect(.matched(index: 10))
  }

  @Test func comesAfterTheSettleTime() throws {
    let (reader, template) = try enrolled(settle: 50)
    try reader.verify([template])
    try reader.expect(.armed)
    try touch(after: 300)
    try reader.expect(.matched(index: 10))
  }

  @Test func pausedWhileItRests() throws {
    let (reader, template) = try enrolled(settle: 50)
    try virtual.command("FINGER 1")
    try reader.verify([template])
    try reader.expect(.resting)
    try reader.send(.pause)
    try reader.expect(.idle)
    try reader.send(.close)
    try reader.expectEnd()
  }
}
