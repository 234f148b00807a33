// SPDX-License-Identifier: Apache-2.0

import CSystem
import Glibc
import Presence
import System
import ThumbturnProtocol

@testable import DaemonCore

/// A program of a test that is told lines and answers lines.
final class Spoken {
  private let writing: OwnedDescriptor
  private let reading: OwnedDescriptor
  private var child: ChildProcess

  /// Starts it. The kernel ends it with the thread that starts it, so a test starts
  /// its programs itself: what sets a test up may run on another thread.
  init(_ program: String, _ arguments: [String], user: UInt32 = 0) throws {
    var incoming = try DescriptorPair.pipe()
    var outgoing = try DescriptorPair.pipe()
    guard let input = incoming.takeNear(), let writing = incoming.takeFar(),
      let reading = outgoing.takeNear(),
      let output = outgoing.takeFar()
    else { throw SystemError("pipe", code: EINVAL) }
    var plan = ChildPlan(path: program)
    plan.arguments = arguments
    plan.environment = ["PATH=/usr/sbin:/usr/bin:/sbin:/bin"]
    plan.standardInput = input.number
    plan.standardOutput = output.number
    if user != 0 { plan.identity = (user, user) }
    child = try ChildProcess(starting: plan)
    self.writing = writing
    self.reading = reading
  }

  var process: Int32 { child.process }

  func signal(_ number: Int32) { child.signal(number) }

  /// Ends it, and leaves it to be reaped.
  func kill() {
    var watch = pollfd(fd: child.watch, events: Int16(POLLIN), revents: 0)
    child.signal(SIGKILL)
    _ = unsafe poll(&watch, 1, 10_000)
  }

  func end() {
    child.signal(SIGKILL)
    _ = child.wait(limit: 10_000)
  }

  func tell(_ line: String) throws { try FileBytes.write(Array("\(line)\n".utf8), to: writing.number) }

  /// The next line it writes; empty when it has ended.
  func line() -> String {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while unsafe read(reading.number, &byte, 1) == 1, byte != 0x0A { bytes.append(byte) }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// A bus of a test's own with logind, as python-dbusmock plays it, and a desk that asks there.
final class LoginManagerRig {
  let folder: TemporaryFolder
  var sources: PresenceSources
  private(set) var bus: Spoken?
  private(set) var logind: Spoken?

  /// Nothing is started before it is played.
  init() throws {
    folder = try TemporaryFolder()
    sources = PresenceSources(bus: "\(folder.path)/bus.sock")
  }

  /// Starts the bus and logind, also once more.
  func play() throws {
    try folder.write(
      "bus.conf",
      """
      <busconfig><listen>unix:path=\(sources.bus)</listen><auth>EXTERNAL</auth><policy context="default">
      <allow user="*"/><allow own="*"/><allow send_destination="*"/><allow receive_sender="*"/>
      </policy></busconfig>
      """)
    let options = ["--config-file=\(folder.path)/bus.conf", "--nofork", "--nopidfile", "--print-address"]
    let bus = try Spoken("/usr/bin/dbus-daemon", options)
    guard bus.line().hasPrefix("unix:") else { throw Surprise() }
    self.bus = bus
    let logind = try Spoken("/usr/bin/python3", [Self.script, sources.bus])
    guard logind.line() == "ready" else { throw Surprise() }
    self.logind = logind
  }

  /// Ends the bus, and logind with it.
  func end() {
    logind?.end()
    bus?.end()
    _ = unsafe unlink(sources.bus)
  }

  /// One command to logind, in JSON; starts it at the first.
  func tell(_ command: String) throws {
    if logind == nil { try play() }
    try logind?.tell(command)
    guard logind?.line() == "ok" else { throw Surprise() }
  }

  /// A session of `uid`; properties as in JSON, `"Remote": true`.
  func session(_ id: String, _ uid: UInt32, seat: String = "seat0", _ properties: String = "") throws {
    try tell("[\"session\", \"\(id)\", \(uid), \"\(seat)\", {\(properties)}]")
  }

  /// Runs the main loop until somebody is answered; none when that takes 10 s.
  static func wait<Value>(_ ask: (@escaping (Value) -> Void) -> Void) -> Value? {
    let loop = MainLoop()
    var answer: Value?
    let patience = Timer(milliseconds: 10_000) { loop.quit() }
    ask {
      answer = $0
      loop.quit()
    }
    if answer != nil { return nil }
    loop.run()
    patience.remove()
    return answer
  }

  /// What the desk says of a process that asks for `target`.
  func judge(
    _ process: Int32, on desk: PresenceDesk? = nil, peer: UInt32 = 0, target: UInt32 = 1000,
    service: StaticString = "sudo", remoteHost: StaticString = "", terminal: StaticString = "pts/1",
    since: Int64? = nil
  ) -> Presence? {
    let desk = desk ?? PresenceDesk(sources)
    return Self.wait { done in
      desk.judge(
        process: process, peer: peer, target: target, service: Text(service), terminal: Text(terminal),
        remoteHost: Text(remoteHost), since: since ?? csystem_milliseconds(), done: done)
    }
  }

  private static var script: String {
    let here = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    return "/\(here)/EndToEnd/login_manager.py"
  }
}

/// A folder like `/proc`, for what cannot be made without being an init.
final class ProcessTree {
  let folder: TemporaryFolder
  var path: String { folder.path }

  init() throws { folder = try TemporaryFolder() }

  /// A process; a younger one has a higher number, as its start has.
  func add(
    _ process: Int32, _ name: String, parent: Int32, group: String, uid: UInt32 = 1000,
    auditSession: String = "4294967295", terminal: Int = 34817, start: Int? = nil, nested: String = ""
  ) throws {
    let place = "\(process)"
    folder.makeFolder(place)
    let fields = "S \(parent) 1 1 \(terminal) 1 1 1 0 0 0 0 0 0 0 20 0 1 0 \(start ?? Int(process)) 0 0"
    try folder.write("\(place)/stat", "\(process) (\(name)) \(fields)\n")
    try folder.write(
      "\(place)/status", "Name:\t\(name)\nUid:\t\(uid)\t0\t0\t0\nNSpid:\t\(process)\(nested)\n")
    try folder.write("\(place)/cgroup", "0::\(group)\n")
    try folder.write("\(place)/sessionid", auditSession)
    try folder.write("\(place)/loginuid", "\(uid)")
    try folder.give(place, to: uid)
  }
}
