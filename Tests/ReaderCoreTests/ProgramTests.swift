// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReaderProtocol
import System
import Testing
import ThumbturnProtocol

/// The built program's command line and ends.
@Suite(.serialized) struct ProgramTests {
  /// Runs the program without a channel; answers its status and what it says on standard output.
  private func run(_ arguments: String...) throws -> (ChildState, String) {
    var pipe = try DescriptorPair.pipe()
    guard let output = pipe.takeNear(), let childOutput = pipe.takeFar() else {
      throw ReaderTestError("no pipe")
    }
    var plan = ChildPlan(path: "\(RunningReader.folder)/thumbturn-reader")
    plan.arguments = arguments
    plan.standardOutput = childOutput.number
    var child = try ChildProcess(starting: plan)
    let state = child.wait(limit: 3_000)
    var bytes = [UInt8](repeating: 0, count: 4_096)
    // SAFETY: at most the buffer's length is written; there is something, or a second end that is not read.
    let count =
      fcntl(output.number, F_SETFL, O_NONBLOCK) == 0 ? unsafe read(output.number, &bytes, bytes.count) : 0
    return (state, String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self))
  }

  @Test func explainsItself() throws {
    let (help, text) = try run("--help")
    #expect(help == .exited(status: 0))
    for option in ["--settle", "--allow-folder", "--help", "--version"] { #expect(text.contains(option)) }
    let (version, name) = try run("--version")
    #expect(version == .exited(status: 0))
    #expect(name.hasPrefix("thumbturn-reader "))
  }

  @Test func refusesWhatItDoesNotUnderstand() throws {
    #expect(try run("--settle", "soon").0 == .exited(status: 2))
    #expect(try run("--nonsense").0 == .exited(status: 2))
    #expect(try run().0 == .exited(status: 2), "without a channel")
  }

  @Test func noReaderAtAll() throws {
    let environment = ["FP_DRIVERS_WHITELIST=none", "FP_DRIVERS_ALLOWLIST=none"]
    let reader = try RunningReader([], environment: environment)
    try reader.send(.list)
    try reader.expect(.listed)
    try reader.send(.open(driver: Text("virtual_image"), device: Text("0")))
    try reader.expect(.failed(.noReader))
    try reader.expectEnd()
  }

  @Test func anotherReader() throws {
    let reader = try VirtualReader.device().start()
    try reader.send(.open(driver: Text("virtual_device"), device: Text("1")))
    try reader.expect(.failed(.unknownReader))
    try reader.expectEnd()
  }

  @Test func nonsenseEndsTheClaim() throws {
    for packet in [[1, 99], [2, 1], [1, 1, 0], [1]] as [[UInt8]] {
      let reader = try VirtualReader.device().start()
      try reader.send(raw: packet)
      try reader.expect(.failed(.malformed))
      try reader.expectEnd()
    }
  }

  @Test func endsWithTheDaemon() throws {
    let virtual = try VirtualReader.image()
    let reader = try virtual.start()
    _ = try reader.openOnly()
    #expect(reader.hangUp() == .exited(status: 0))
  }

  @Test func endsWithTheDaemonWhileArmed() throws {
    let virtual = try VirtualReader.device()
    let reader = try virtual.start()
    _ = try reader.openOnly()
    try reader.verify([try reader.enroll(stages: 5) { try virtual.command("SCAN one") }])
    try reader.expect(.armed)
    #expect(reader.hangUp() == .exited(status: 0))
  }

  @Test func endsWhileTheReaderOpens() throws {
    let virtual = try VirtualReader.image()
    let reader = try virtual.start()
    try reader.send(.open(driver: Text("virtual_image"), device: Text("0")))
    try reader.send(.close)
    try reader.expectEnd()
  }

  /// A driver that ignores being cancelled does not keep the process alive.
  @Test func aStuckReaderDoesNotHoldTheProcess() throws {
    let virtual = try VirtualReader.device()
    let reader = try virtual.start()
    _ = try reader.openOnly()
    let template = try reader.enroll(stages: 5) { try virtual.command("SCAN one") }
    try virtual.command("SET_CANCELLATION_ENABLED 0", "SLEEP 60000")
    try reader.verify([template])
    try reader.expect(.armed)
    try reader.send(.close)
    try reader.expectEnd(limit: 8_000, .killed)
  }
}
