// SPDX-License-Identifier: Apache-2.0

import CSystem
import ReaderProtocol
import System
import Testing
import ThumbturnProtocol

/// What stops a test at once.
struct ReaderTestError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// A folder under /tmp that goes with its owner, with all that is in it.
final class ScratchFolder: Sendable {
  let path: String

  init() throws {
    var template = Array("/tmp/thumbturn-XXXXXX".utf8CString)
    // SAFETY: a writable, NUL-terminated template.
    guard unsafe mkdtemp(&template) != nil else { throw ReaderTestError("mkdtemp") }
    path = text(template)
  }

  deinit {
    // The readers leave their sockets only.
    for name in ["image", "device", "storage"] { _ = unsafe unlink("\(path)/\(name)") }
    _ = unsafe rmdir(path)
  }
}

/// The text in a buffer that ends with a NUL.
private func text(_ buffer: [CChar]) -> String {
  String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// The built `thumbturn-reader` with a channel, as the daemon starts it.
final class RunningReader {
  private var socket: PacketSocket?
  private var child: ChildProcess
  private var buffer = [UInt8](repeating: 0, count: ReaderWire.maximumPacket)

  /// The folder of this test program, where the other programs are built too.
  static let folder: String = {
    var path = [CChar](repeating: 0, count: 4096)
    // SAFETY: the call fills at most what is named.
    _ = unsafe readlink("/proc/self/exe", &path, path.count - 1)
    let program = text(path)
    return String(program[..<(program.lastIndex(of: "/") ?? program.startIndex)])
  }()

  /// Starts it; `quiet` throws its standard error away.
  init(_ arguments: [String], environment: [String], quiet: Bool = false) throws {
    guard unsafe access("\(RunningReader.folder)/thumbturn-reader", X_OK) == 0 else {
      throw ReaderTestError("build it first: swift build --product thumbturn-reader")
    }
    var pair = try DescriptorPair.packets(buffer: 400_000)
    guard let near = pair.takeNear(), let far = pair.takeFar() else { throw ReaderTestError("no pair") }
    var plan = ChildPlan(path: "\(RunningReader.folder)/thumbturn-reader")
    plan.arguments = arguments
    if quiet {
      plan.arguments = ["-c", "exec \"$0\" \"$@\" 2>/dev/null", plan.path] + arguments
      plan.path = "/bin/sh"
    }
    plan.environment = environment
    plan.channel = far.number
    child = try ChildProcess(starting: plan)
    socket = PacketSocket(near)
  }

  func send(_ command: ReaderCommand) throws { try socket?.send(command.packet.span) }

  func send(raw bytes: [UInt8]) throws { try socket?.send(bytes.span) }

  /// Closes the channel as a daemon that dies does; the process must end by itself.
  func hangUp() -> ChildState {
    socket = nil
    return child.wait(limit: 3_000)
  }

  /// The next report; `nil` when the process hung up.
  func next(limit: Int = 5_000) throws -> ReaderReport? {
    var entry = pollfd(fd: socket?.number ?? -1, events: Int16(POLLIN), revents: 0)
    // SAFETY: one entry.
    guard unsafe poll(&entry, 1, Int32(limit)) == 1 else { throw ReaderTestError("no report in \(limit) ms") }
    guard case .packet(let count) = try socket?.receive(into: &buffer) else { return nil }
    let packet = Array(buffer.prefix(count))
    return try ReaderReport(packet: packet.span)
  }

  /// Takes the next reports, which must be these.
  func expect(_ reports: ReaderReport..., at location: SourceLocation = #_sourceLocation) throws {
    for report in reports {
      let next = try next()
      #expect(next == report, sourceLocation: location)
      if next != report { throw ReaderTestError("gave up") }
    }
  }

  /// Takes the end: the last reports are told, the channel closed, the process ended.
  func expectEnd(
    limit: Int = 3_000, _ state: ChildState = .exited(status: 0),
    at location: SourceLocation = #_sourceLocation
  ) throws {
    #expect(try next(limit: limit) == nil, sourceLocation: location)
    let ended = child.wait(limit: limit)
    #expect(ended == state, sourceLocation: location)
  }

  /// Opens the only reader there is.
  func openOnly() throws -> ReaderDescription {
    try send(.list)
    guard case .found(let reader) = try next() else { throw ReaderTestError("no reader") }
    try expect(.listed)
    try send(.open(driver: reader.driver, device: reader.device))
    try expect(.opened)
    return reader
  }

  /// Enrols with one call of `touch` for each stage.
  func enroll(stages: Int, touch: () throws -> Void) throws -> [UInt8] {
    try send(.enroll(finger: .rightIndex, user: Text("ada")))
    for stage in 1...stages {
      try touch()
      try expect(.stage(done: UInt8(stage), retry: nil))
    }
    guard case .enrolled(let template) = try next() else { throw ReaderTestError("not enrolled") }
    return template
  }

  /// Gives the templates the indexes from 10 on and arms.
  func verify(_ templates: [[UInt8]]) throws {
    for (place, template) in templates.enumerated() {
      try send(.template(index: UInt8(10 + place), bytes: template))
    }
    try send(.verify)
  }
}
