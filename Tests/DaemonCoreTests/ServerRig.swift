// SPDX-License-Identifier: Apache-2.0

import CSystem
import Glibc
import System
import ThumbturnProtocol

@testable import DaemonCore

/// A real daemon with a real reader process on a virtual reader, for one test.
///
/// The socket is made here and passed on as systemd passes one, so a connection
/// can be made from the start and nothing has to wait for the daemon.
final class ServerRig {
  let folder: TemporaryFolder
  private let listener: OwnedDescriptor
  private var daemon: ChildProcess

  /// Starts the daemon; `libexec` is where its other programs lie, `nil`: in this build.
  init(_ options: [String] = [], libexec: String? = nil, idleExit: Int = 0) throws {
    folder = try TemporaryFolder()
    let data = folder.makeFolder("data")
    let settings = try folder.write(
      "thumbturn.conf",
      "[policy]\npassword-first=false\npassword-every=0\nwithout-logind=allow\nroot-target=true\n")
    listener = try OwnedDescriptor(
      adopting: unsafe csystem_listen("\(folder.path)/socket", 0o666, 64), from: "listen")
    let programs = ownFolder() ?? ""
    var plan = ChildPlan(path: "/bin/sh")
    plan.arguments = [
      "-c", "export LISTEN_PID=$$; exec \"$0\" \"$@\"", "\(programs)/thumbturnd", "--data", data,
      "--config", settings, "--virtual-readers", "--anywhere", "--settle-time", "0", "--idle-exit",
      String(idleExit), "--libexec", libexec ?? programs,
    ]
    plan.arguments += options
    plan.environment = [
      "LISTEN_FDS=1", "FP_VIRTUAL_DEVICE=\(folder.path)/device", "FP_DRIVERS_WHITELIST=virtual_device",
      "FP_DRIVERS_ALLOWLIST=virtual_device", "PATH=/usr/bin:/bin",
    ]
    plan.channel = listener.number
    daemon = try ChildProcess(starting: plan)
  }

  /// A new connection.
  func connect() throws -> ServerClient { try ServerClient("\(folder.path)/socket") }

  /// Asks the daemon to end, and waits for that.
  func stop(limit: Int = 10_000) -> ChildState {
    daemon.signal(SIGTERM)
    return daemon.wait(limit: limit)
  }

  /// Waits for the daemon to end by itself.
  func waitForEnd(limit: Int = 10_000) -> ChildState { daemon.wait(limit: limit) }

  /// The reader processes that serve a claim now.
  func readerProcesses() throws -> [Int32] {
    let path = "/proc/\(daemon.process)/task/\(daemon.process)/children"
    let file = try OwnedDescriptor(adopting: unsafe open(path, O_RDONLY), from: "open")
    let bytes = FileBytes.read(file.number, limit: 4096) ?? []
    let children = String(decoding: bytes, as: UTF8.self).split(separator: " ").compactMap { Int32($0) }
    // It takes this name with its claim; the one that waits ahead of the next has another.
    return children.filter { shortName(of: $0) == "thumbturn-read\n" }
  }

  /// The name a process took; `nil` when it is gone.
  private func shortName(of process: Int32) -> String? {
    guard
      let file = try? OwnedDescriptor(adopting: unsafe open("/proc/\(process)/comm", O_RDONLY), from: "open")
    else { return nil }
    return String(decoding: FileBytes.read(file.number, limit: 64) ?? [], as: UTF8.self)
  }

  /// Gives the virtual reader one command, once it is open.
  func touch(_ command: String) throws {
    let raw = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let connection = try OwnedDescriptor(adopting: raw, from: "socket")
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) {
      unsafe $0.copyBytes(from: "\(folder.path)/device".utf8)
    }
    try check("connect") {
      unsafe withUnsafePointer(to: &address) {
        unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe Glibc.connect(raw, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
    }
    try FileBytes.write(Array(command.utf8), to: connection.number)
    try check("shutdown") { shutdown(raw, Int32(SHUT_WR)) }
    // The reader closes its end when it has taken the command.
    _ = FileBytes.read(connection.number, limit: 4096)
  }

  /// Enrols root's right index finger as the virtual finger "ada".
  func enrol() throws {
    let client = try connect()
    try client.send(.enroll(PrintRequest(user: Text("root"), finger: .rightIndex)))
    guard case .enrolling(_, _, let stages) = try client.next() else { throw Surprise() }
    for _ in 0..<stages {
      try touch("SCAN ada")
      _ = try client.next()
    }
    guard try client.next() == .done else { throw Surprise() }
  }

  /// Begins a conversation for root and goes on until the reader waits for a finger.
  func armed(service: StaticString = "sudo") throws -> ServerClient {
    let client = try connect()
    try client.begin(service: service)
    guard case .accepted = try client.next(), try client.next() == .armed else { throw Surprise() }
    return client
  }
}

/// Something else happened than a test builds on.
struct Surprise: Error {}

/// The daemon closed the connection.
struct ConnectionEnded: Error {}

/// One connection of a test.
final class ServerClient {
  private let socket: PacketSocket

  init(_ path: String) throws { socket = try PacketSocket(connecting: path, limit: 2_000) }

  func send(_ message: ClientMessage) throws { try send(message.frame) }

  func send(_ frame: borrowing Frame) throws {
    let bytes = frame.withBytes { span in (0..<span.count).map { span[$0] } }
    try send(bytes)
  }

  func send(_ bytes: [UInt8]) throws { try socket.send(bytes.span) }

  func begin(service: StaticString = "sudo", user: StaticString = "root", remoteHost: StaticString = "")
    throws
  {
    var begin = Begin()
    begin.service = Text(service)
    begin.user = Text(user)
    begin.terminal = Text("pts/7")
    begin.remoteHost = Text(remoteHost)
    try send(.begin(begin))
  }

  /// The next event, which must come within `limit` milliseconds.
  func next(limit: CInt = 15_000) throws -> ServerEvent {
    var entry = pollfd(fd: socket.number, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&entry, 1, limit) > 0 else { throw SystemError("poll", code: ETIMEDOUT) }
    var buffer = [UInt8](repeating: 0, count: Wire.maximumFrame)
    guard case .packet(let count) = try socket.receive(into: &buffer) else { throw ConnectionEnded() }
    return try ServerEvent(frame: buffer.span.extracting(first: count))
  }

  /// The nonce of the match that must come next.
  func matched() throws -> Nonce {
    guard case .matched(let nonce) = try next() else { throw Surprise() }
    return nonce
  }

  /// Whether the connection ends now, with nothing said before.
  func ends(limit: CInt = 15_000) -> Bool {
    do {
      _ = try next(limit: limit)
      return false
    } catch {
      return error is ConnectionEnded
    }
  }
}
