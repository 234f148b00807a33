// SPDX-License-Identifier: Apache-2.0

import Glibc
import Presence
import System
import Testing

@testable import DaemonCore

extension LoopedTests {
  /// Places that only an init makes, as files like those of `/proc` and `/sys`; logind as above.
  @Suite(.enabled(if: geteuid() == 0, "only root gives folders to other users"))
  final class PresencePlacesTests {
    private static let manager = "/user.slice/user-1000.slice/user@1000.service"
    private static let terminal = "\(manager)/app.slice/app-org.gnome.Terminal.slice/vte-spawn-1.scope"
    private static let scope = "/user.slice/user-1000.slice/session-5.scope"
    private let rig: LoginManagerRig
    private let tree: ProcessTree
    private let sudo: Int32 = 400

    init() throws {
      rig = try LoginManagerRig()
      tree = try ProcessTree()
      rig.sources.processes = tree.path
      rig.sources.devices = rig.folder.makeFolder("sys")
      rig.folder.makeFolder("sys/class/tty/tty0")
      try rig.folder.write("sys/class/tty/tty0/active", "tty2\n")
      try tree.add(1, "systemd", parent: 0, group: "/init.scope", uid: 0)
      try tree.add(50, "systemd", parent: 1, group: "\(Self.manager)/init.scope")
    }

    private func desktop(_ properties: String = "") throws {
      try rig.session("2", 1000, properties)
      try rig.tell("[\"display\", 1000, \"2\"]")
    }

    /// sudo in a terminal of today's desktops, and in what `systemd-run --user` starts.
    private func terminal(auditSession: String = "3") throws {
      try tree.add(
        300, "gnome-terminal-", parent: 50, group: Self.manager + "/app.slice/org.gnome.Terminal.service")
      try tree.add(350, "bash", parent: 300, group: Self.terminal)
      try tree.add(sudo, "sudo", parent: 350, group: Self.terminal, auditSession: auditSession)
    }

    @Test func aTerminalBelongsToTheScreen() throws {
      try terminal()
      try rig.play()
      #expect(rig.judge(sudo) == Presence.none)
      try desktop()
      #expect(rig.judge(sudo) == .seat(session: "2"))
      try rig.tell("[\"change\", \"2\", {\"Active\": false}]")
      #expect(rig.judge(sudo) == .inactive)
    }

    @Test func aTerminalIsRemoteWhileItsOwnerHasASessionFromAfar() throws {
      try terminal()
      try desktop()
      try rig.session("5", 1000, seat: "", "\"Remote\": true, \"State\": \"closing\"")
      #expect(rig.judge(sudo) == .remote)
    }

    @Test func anothersSessionFromAfarDoesNotCount() throws {
      try terminal()
      try desktop()
      try rig.session("5", 1001, seat: "", "\"Remote\": true")
      #expect(rig.judge(sudo) == .seat(session: "2"))
    }

    @Test func tooManySessionsAreNotLookedAt() throws {
      try terminal()
      try desktop()
      for number in 100..<132 { try rig.session("\(number)", 1000, "\"Active\": false") }
      #expect(rig.judge(sudo) == .remote)
    }

    /// Servers that logind knows nothing of: dropbear stays root, sshd's second process does not.
    @Test func whatLetsPeopleInWithoutASessionIsSeen() throws {
      try terminal()
      try desktop()
      try tree.add(200, "dropbear", parent: 1, group: "/system.slice/dropbear.service", uid: 0)
      #expect(rig.judge(sudo) == .seat(session: "2"))
      try tree.add(210, "sh", parent: 200, group: "/system.slice/dropbear.service")
      #expect(rig.judge(sudo) == .remote)
      tree.folder.removeTree("210")
      #expect(rig.judge(sudo) == .seat(session: "2"))
      try tree.add(220, "mosh-server", parent: 1, group: "/system.slice/x.service")
      #expect(rig.judge(sudo) == .remote)
    }

    @Test func theAuditSessionGoesFirst() throws {
      try desktop()
      try rig.session("5", 1000, "\"Active\": false")
      try terminal(auditSession: "5")
      #expect(rig.judge(sudo) == .inactive)
    }

    @Test func aSessionOfSshIsRemote() throws {
      try desktop()
      try rig.session("5", 1000, seat: "", "\"Remote\": true")
      try rig.tell("[\"process\", \(sudo), \"5\"]")
      try tree.add(300, "sshd", parent: 1, group: Self.scope, uid: 0)
      try tree.add(310, "sshd", parent: 300, group: Self.scope)
      try tree.add(350, "bash", parent: 310, group: Self.scope)
      try tree.add(sudo, "sudo", parent: 350, group: Self.scope)
      #expect(rig.judge(sudo) == .remote)
      // As after `setsid` and a double fork: nothing above it but init.
      try tree.add(sudo, "sudo", parent: 1, group: Self.scope)
      #expect(rig.judge(sudo) == .remote)
    }

    @Test func aParentYoungerThanItsChildIsNone() throws {
      try desktop("\"Leader\": 300")
      try rig.tell("[\"process\", \(sudo), \"2\"]")
      try rig.session("5", 1000, seat: "", "\"Remote\": true")
      let scope = "/user.slice/user-1000.slice/session-2.scope"
      try tree.add(sudo, "sudo", parent: 300, group: scope)
      try tree.add(300, "login", parent: 1, group: scope, uid: 0)
      #expect(rig.judge(sudo) == .seat(session: "2"))
      try tree.add(300, "login", parent: 1, group: scope, uid: 0, start: 401)
      #expect(rig.judge(sudo) == .remote)
    }

    @Test func aContainerIsNobody() throws {
      try desktop()
      try tree.add(sudo, "sudo", parent: 50, group: "\(Self.manager)/user.slice/libpod-1.scope/container")
      #expect(rig.judge(sudo) == Presence.none)
      try tree.add(sudo, "sudo", parent: 50, group: Self.terminal, nested: "\t7")
      #expect(rig.judge(sudo) == Presence.none)
    }

    @Test func cronIsNobody() throws {
      try desktop()
      try tree.add(300, "cron", parent: 1, group: "/system.slice/cron.service", uid: 0)
      try tree.add(sudo, "sudo", parent: 300, group: "/system.slice/cron.service", terminal: 0)
      #expect(rig.judge(sudo) == Presence.none)
    }

    @Test func loginIsOnTheConsoleInFront() throws {
      let getty = "/system.slice/system-getty.slice/getty@tty2.service"
      try tree.add(sudo, "login", parent: 1, group: getty, uid: 0, terminal: 1026)
      try rig.play()
      #expect(rig.judge(sudo, service: "login") == .seat(session: "tty2"))
      try rig.folder.write("sys/class/tty/tty0/active", "tty3\n")
      #expect(rig.judge(sudo, service: "login") == Presence.none)
      rig.end()
      #expect(rig.judge(sudo, service: "login") == .unknown)
      try rig.folder.write("sys/class/tty/tty0/active", "tty2\n")
      #expect(rig.judge(sudo, service: "login") == .seat(session: "tty2"))
    }

    @Test func aGreeterAsksForTheScreenInFront() throws {
      try tree.add(
        sudo, "gdm-session-wor", parent: 1, group: "/system.slice/gdm.service", uid: 0, terminal: 0)
      try rig.play()
      #expect(rig.judge(sudo, service: "gdm-password") == Presence.none)
      try rig.session("c1", 113, "\"Class\": \"greeter\"")
      #expect(rig.judge(sudo, service: "gdm-password") == .seat(session: "c1"))
      try rig.session("4", 1001)
      #expect(rig.judge(sudo, service: "gdm-fingerprint") == .inactive)
      #expect(rig.judge(sudo, target: 1001, service: "gdm-fingerprint") == .seat(session: "4"))
      #expect(rig.judge(sudo, peer: 1001, target: 1001, service: "gdm-fingerprint") == Presence.none)
    }

    @Test func theKernelTellsOfTheLidWhereNobodyElseDoes() throws {
      rig.end()
      let desk = PresenceDesk(rig.sources)
      #expect(LoginManagerRig.wait { desk.lid(done: $0) } == .unknown)
      tree.folder.makeFolder("acpi/button/lid/LID0")
      for (text, lid) in [("closed", Lid.closed), ("open", .open)] {
        try tree.folder.write("acpi/button/lid/LID0/state", "state:      \(text)\n")
        #expect(LoginManagerRig.wait { desk.lid(done: $0) } == lid)
      }
    }
  }
}
