// SPDX-License-Identifier: Apache-2.0

import CSystem
import Glibc
import Presence
import System
import Testing

@testable import DaemonCore

extension LoopedTests {
  /// Real processes, with logind as python-dbusmock plays it on a bus of the test's own.
  @Suite(.enabled(if: geteuid() == 0, "only root gives processes other users")) final class PresenceDeskTests
  {
    private let rig: LoginManagerRig
    private let uid: UInt32 = 1000
    private var started: Spoken?

    init() throws { rig = try LoginManagerRig() }

    /// A process of ada's.
    private var child: Spoken {
      get throws {
        let child = try started ?? Spoken("/bin/sleep", ["60"], user: uid)
        started = child
        return child
      }
    }

    /// Puts the process into session 2, which is in front of seat0.
    private func sit(_ properties: String = "") throws {
      try rig.session("2", uid, properties)
      try rig.tell("[\"process\", \(child.process), \"2\"]")
    }

    @Test func aProcessInTheSessionInFrontIsAtTheSeat() throws {
      try sit()
      #expect(try rig.judge(child.process) == .seat(session: "2"))
    }

    @Test(
      arguments: [
        ("\"Active\": false, \"State\": \"online\"", .inactive), ("\"Remote\": true", .remote),
        ("\"RemoteHost\": \"192.0.2.1\"", .remote), ("\"Class\": \"background\"", .none),
        ("\"State\": \"closing\"", .inactive), ("\"Leader\": 77", .seat(session: "2")),
        ("\"Class\": \"greeter\"", .seat(session: "2")),
      ] as [(String, Presence)]) func aSessionIsReadAsItIs(_ properties: String, _ presence: Presence) throws
    {
      try sit(properties)
      #expect(try rig.judge(child.process) == presence)
    }

    @Test func aSessionWithoutASeatIsNoSeat() throws {
      try rig.session("2", uid, seat: "")
      try rig.tell("[\"process\", \(child.process), \"2\"]")
      #expect(try rig.judge(child.process) == Presence.none)
    }

    @Test func nothingIsRemembered() throws {
      try sit()
      let desk = PresenceDesk(rig.sources)
      #expect(try rig.judge(child.process, on: desk) == .seat(session: "2"))
      try rig.tell("[\"change\", \"2\", {\"Active\": false}]")
      #expect(try rig.judge(child.process, on: desk) == .inactive)
      try rig.tell("[\"change\", \"2\", {\"Active\": true}]")
      #expect(try rig.judge(child.process, on: desk) == .seat(session: "2"))
    }

    @Test func aProcessWithoutASessionIsNobody() throws {
      try rig.session("2", uid)
      #expect(try rig.judge(child.process) == Presence.none)
    }

    @Test func whoNamesAnotherMachineIsRemote() throws {
      try sit()
      #expect(try rig.judge(child.process, remoteHost: "192.0.2.1") == .remote)
      #expect(try rig.judge(child.process, remoteHost: "localhost") == .seat(session: "2"))
      #expect(try rig.judge(child.process, terminal: "ssh") == .remote)
    }

    @Test(arguments: [0, -1, 4_194_305] as [Int32]) func whatIsNoProcessIsNobody(_ process: Int32) throws {
      try sit()
      #expect(rig.judge(process) == Presence.none)
    }

    @Test func aProcessThatEndedIsNobody() throws {
      try sit()
      try child.kill()
      #expect(try rig.judge(child.process) == Presence.none)
    }

    @Test func aNumberThatWasGivenAgainIsNobody() throws {
      try sit()
      #expect(try rig.judge(child.process, since: csystem_milliseconds()) == .seat(session: "2"))
      // The connection is older than the process.
      #expect(try rig.judge(child.process, since: 1) == Presence.none)
    }

    // MARK: - Parents and namespaces, all real

    @Test func aParentThatLetsPeopleInIsSeen() throws {
      let script = try rig.folder.write(
        "sshd", bytes: Array("#!/bin/sh\nsleep 60 & echo $!\nwait\n".utf8), mode: 0o755)
      let parent = try Spoken(script, [])
      let process = try #require(Int32(parent.line()))
      defer { _ = kill(process, SIGKILL) }
      try sit()
      try rig.tell("[\"process\", \(process), \"2\"]")
      #expect(rig.judge(process) == .remote)
      #expect(try rig.judge(child.process) == .seat(session: "2"))
    }

    @Test func aNamespaceOfItsOwnIsNobody() throws {
      let namespace = try Spoken(
        "/usr/bin/unshare",
        ["--pid", "--fork", "--kill-child", "/bin/sh", "-c", "echo inside; exec sleep 60"])
      #expect(namespace.line() == "inside")
      let children = "\(namespace.process)/task/\(namespace.process)/children"
      let list = PresenceSources.text(children, below: "/proc") ?? ""
      let process = try #require(list.split(separator: " ").first.flatMap { Int32($0) })
      try sit()
      try rig.tell("[\"process\", \(process), \"2\"]")
      #expect(rig.judge(process) == Presence.none)
    }

    /// Of somebody who is neither root nor signed in: a root's sshd that listens is a way in for root.
    @Test func tmuxIsAtTheSeatAsLongAsNobodyIsElsewhere() throws {
      let somebody: uid_t = 64_990
      let folder = rig.folder.path
      // SAFETY: the path is passed as a NUL-terminated copy.
      let isTheirs = unsafe chown(folder, somebody, somebody) == 0
      #expect(isTheirs)
      func tmux(_ words: String...) throws -> String {
        let user = "\(somebody)"
        return try run(
          "/usr/bin/setpriv",
          ["--reuid", user, "--regid", user, "--clear-groups", "/usr/bin/tmux", "-S", "\(folder)/tmux"]
            + words)
      }
      _ = try tmux("-f", "/dev/null", "new-session", "-d", "sleep 60")
      defer { _ = try? tmux("kill-server") }
      let panes = try tmux("list-panes", "-F", "#{pane_pid}")
      let process = try #require(Int32(panes.split(separator: "\n").first ?? ""))
      try rig.session("2", somebody)
      try rig.tell("[\"process\", \(process), \"2\"]")
      #expect(rig.judge(process) == .seat(session: "2"))
      try rig.session("5", somebody, seat: "", "\"Remote\": true")
      #expect(rig.judge(process) == .remote)
    }

    @Test func parentsUpToTheLeaderAreProof() throws {
      try sit("\"Leader\": \(getpid())")
      try rig.session("5", uid, seat: "", "\"Remote\": true")
      #expect(try rig.judge(child.process) == .seat(session: "2"))
      try rig.tell("[\"change\", \"2\", {\"Leader\": 77}]")
      #expect(try rig.judge(child.process) == .remote)
    }

    // MARK: - The lid and sleep

    @Test func theLidIsRead() throws {
      try rig.play()
      let desk = PresenceDesk(rig.sources)
      #expect(LoginManagerRig.wait { desk.lid(done: $0) } == .open)
      try rig.tell("[\"lid\", true]")
      #expect(LoginManagerRig.wait { desk.lid(done: $0) } == .closed)
    }

    @Test func sleepIsHeardOf() throws {
      try rig.play()
      let desk = PresenceDesk(rig.sources)
      var heard: [Bool] = []
      var listener: ((Bool) -> Void)?
      desk.watchSleep {
        heard.append($0)
        listener?($0)
      }
      // A call's answer comes after the subscription reached the bus.
      _ = LoginManagerRig.wait { desk.lid(done: $0) }
      for isSleeping in [true, false] {
        try rig.tell("[\"sleep\", \(isSleeping)]")
        if heard.last != isSleeping { _ = LoginManagerRig.wait { listener = $0 } }
      }
      #expect(heard == [true, false])
    }
  }
}
