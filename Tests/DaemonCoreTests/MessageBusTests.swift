// SPDX-License-Identifier: Apache-2.0

import CSystem
import Glibc
import Presence
import System
import Testing
import ThumbturnProtocol

@testable import DaemonCore

extension LoopedTests {
  /// Buses and session managers that are not there, hang, lie or come back.
  @Suite(.enabled(if: geteuid() == 0, "only root gives processes other users")) final class MessageBusTests {
    private let rig = try? LoginManagerRig()
    private let limits = MessageBus.callLimit - 10...PresenceDesk.limit + 150
    private var started: Spoken?

    private var child: Spoken {
      get throws {
        let child = try started ?? Spoken("/bin/sleep", ["60"])
        started = child
        return child
      }
    }

    /// Judges, and says how many milliseconds that took.
    private func timed(_ desk: PresenceDesk? = nil) throws -> (presence: Presence?, milliseconds: Int64) {
      let rig = try #require(rig)
      let process = try child.process
      let begin = csystem_milliseconds()
      let presence = rig.judge(process, on: desk, target: 0)
      return (presence, csystem_milliseconds() - begin)
    }

    /// A program in Python that listens where the bus would.
    private func impostor(_ code: String) throws -> Spoken {
      let rig = try #require(rig)
      let program = """
        import socket, sys, time
        s = socket.socket(socket.AF_UNIX)
        s.bind("\(rig.sources.bus)")
        s.listen(4)
        print("ready", flush=True)
        def greet(c):
          c.recv(1)
          while True:
            line = b""
            while not line.endswith(b"\\r\\n"):
              more = c.recv(1)
              if not more: return
              line += more
            if line == b"AUTH\\r\\n": c.sendall(b"REJECTED EXTERNAL\\r\\n")
            elif line.startswith(b"AUTH"): c.sendall(b"OK 0123456789abcdef0123456789abcdef\\r\\n")
            elif line.startswith(b"NEG"): c.sendall(b"AGREE_UNIX_FD\\r\\n")
            elif line.startswith(b"BEGIN"): print("greeted", flush=True); return
        \(code)
        """
      let impostor = try Spoken("/usr/bin/python3", ["-c", program])
      guard impostor.line() == "ready" else { throw Surprise() }
      return impostor
    }

    @Test func withoutABusNothingIsKnownAtOnce() throws {
      let (presence, time) = try timed()
      #expect(presence == .unknown)
      #expect(time < 200)
    }

    @Test func aBusThatSaysNothingCostsTheLimit() throws {
      let silent = try impostor("time.sleep(60)")
      let desk = PresenceDesk(try #require(rig).sources)
      for _ in 0..<3 {
        let (presence, time) = try timed(desk)
        #expect(presence == .unknown)
        #expect(limits.contains(Int(time)), "\(time) ms")
      }
      silent.end()
    }

    @Test func aBusThatIsFullCostsNothing() throws {
      let silent = try impostor(
        "d = [socket.socket(socket.AF_UNIX) for _ in range(9)]\n"
          + "[(x.setblocking(False), x.connect_ex(s.getsockname())) for x in d]\n"
          + "print(\"full\", flush=True)\ntime.sleep(60)")
      #expect(silent.line() == "full")
      let (presence, time) = try timed()
      #expect(presence == .unknown)
      #expect(time < 200)
    }

    /// GLib waits for this answer on a thread, without a limit of its own below 25 s.
    @Test func aBusThatGreetsAndThenSaysNothingCostsTheLimit() throws {
      let mute = try impostor("k = []\nwhile True: c, _ = s.accept(); k.append(c); greet(c)")
      let desk = PresenceDesk(try #require(rig).sources)
      var threads: [Int] = []
      for _ in 0..<4 {
        let (presence, time) = try timed(desk)
        #expect(presence == .unknown)
        #expect(limits.contains(Int(time)), "\(time) ms")
        #expect(mute.line() == "greeted")
        threads.append(try FolderNames.list(path: "/proc/self/task").count)
      }
      // Each try ends the one before it.
      #expect(threads[3] <= threads[1] + 1, "\(threads)")
    }

    @Test(arguments: [
      "c.sendall(b'\\0' * 4096)", "c.sendall(b'l\\x02\\0\\x01' + b'\\xff' * 64)", "c.close()",
      "c.sendall(b'l\\x02\\0\\x01\\0\\0\\0\\0\\x01\\0\\0\\0\\x08\\0\\0\\0\\x05\\x01u\\0\\x01\\0\\0\\0')",
    ]) func aBusThatTalksNonsenseIsNone(_ code: String) throws {
      let liar = try impostor(
        "while True: c, _ = s.accept(); greet(c); \(code)")
      let (presence, time) = try timed()
      #expect(presence == .unknown)
      #expect(time < PresenceDesk.limit + 150)
      #expect(liar.line() == "greeted")
    }

    @Test func aSessionManagerThatHangsCostsTheLimit() throws {
      let rig = try #require(rig)
      try rig.play()
      try rig.session("2", 0)
      try rig.tell("[\"process\", \(child.process), \"2\"]")
      let desk = PresenceDesk(rig.sources)
      #expect(try timed(desk).presence == .seat(session: "2"))
      rig.logind?.signal(SIGSTOP)
      let (presence, time) = try timed(desk)
      #expect(presence == .unknown)
      #expect(limits.contains(Int(time)), "\(time) ms")
      let begin = csystem_milliseconds()
      #expect(LoginManagerRig.wait { desk.lid(done: $0) } == .unknown)
      #expect(csystem_milliseconds() - begin < PresenceDesk.limit + 150)
      rig.logind?.signal(SIGCONT)
      #expect(try timed(desk).presence == .seat(session: "2"))
    }

    @Test func aSessionManagerThatIsGoneIsNone() throws {
      let rig = try #require(rig)
      try rig.play()
      let desk = PresenceDesk(rig.sources)
      #expect(try timed(desk).presence == Presence.none)
      rig.logind?.end()
      let (presence, time) = try timed(desk)
      #expect(presence == .unknown)
      #expect(time < 200)
    }

    @Test func aBusThatComesBackIsFoundAgain() throws {
      let rig = try #require(rig)
      let desk = PresenceDesk(rig.sources)
      var heard: [Bool] = []
      var listener: ((Bool) -> Void)?
      desk.watchSleep {
        heard.append($0)
        listener?($0)
      }
      #expect(try timed(desk).presence == .unknown)
      for _ in 0..<2 {
        try rig.play()
        #expect(try timed(desk).presence == Presence.none)
        try rig.tell("[\"sleep\", true]")
        if heard.isEmpty { _ = LoginManagerRig.wait { listener = $0 } }
        #expect(heard == [true])
        heard = []
        rig.end()
        #expect(try timed(desk).presence == .unknown)
      }
    }

    /// The loop goes on meanwhile, and everybody is answered in time.
    @Test func manyAtOnceDoNotHoldTheLoop() throws {
      let silent = try impostor("time.sleep(60)")
      let desk = PresenceDesk(try #require(rig).sources)
      let begin = csystem_milliseconds()
      var left = 64
      var last = begin
      var longest: Int64 = 0
      let timers = TimerSet<Int>()
      func tick() {
        longest = max(longest, csystem_milliseconds() - last)
        last = csystem_milliseconds()
        timers.set(0, milliseconds: 5, due: tick)
      }
      tick()
      let process = try child.process
      let answers: [Presence]? = LoginManagerRig.wait { done in
        var answers: [Presence] = []
        for _ in 0..<left {
          desk.judge(
            process: process, peer: 0, target: 0, service: Text("sudo"), terminal: Text("pts/1"),
            remoteHost: Text(), since: begin
          ) {
            answers.append($0)
            left -= 1
            if left == 0 { done(answers) }
          }
        }
      }
      timers.cancelAll()
      #expect(answers == [Presence](repeating: .unknown, count: 64))
      #expect(csystem_milliseconds() - begin < PresenceDesk.limit + 250)
      #expect(longest < 100, "\(longest) ms")
      silent.end()
    }
  }
}
