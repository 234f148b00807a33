// SPDX-License-Identifier: Apache-2.0

import Presence
import Testing

/// What the kernel's texts are understood as.
@Suite struct ReadingTests {
  private static let line =
    "4242 (sudo) S 4200 4242 4200 34818 4242 4194560 1 0 0 0 0 0 0 0 20 0 1 0 987654 3133440 407 18446744073709551615\n"

  @Test func aProcessIsUnderstood() throws {
    let status = try #require(ProcessStatus(ReadingTests.line))
    #expect(status.process == 4242)
    #expect(status.name == "sudo")
    #expect(!status.isDead)
    #expect(status.parent == 4200)
    #expect(status.console == nil)
    #expect(status.start == 987_654)
  }

  @Test func aNameMayHoldAnything() throws {
    for name in ["tmux: server", "a) R 1 (b", ") S 1 1 1 1 1", ""] {
      let status = try #require(ProcessStatus(ReadingTests.line.replacing("sudo", with: name)))
      #expect(status.name == name)
      #expect(status.parent == 4200)
    }
  }

  @Test(arguments: [("Z", true), ("X", true), ("R", false), ("T", false), ("D", false)])
  func aZombieIsDead(_ state: String, _ isDead: Bool) {
    #expect(ProcessStatus(ReadingTests.line.replacing(") S ", with: ") \(state) "))?.isDead == isDead)
  }

  @Test(arguments: [
    "", "4242", "4242 (sudo", "4242 (sudo) S 1 2 3",
    "x (sudo) S 4200 4242 4200 1 1 1 1 0 0 0 0 0 0 0 20 0 1 0 9",
    ") 1 (",
  ]) func whatIsNoProcessIsNone(_ text: String) {
    #expect(ProcessStatus(text) == nil)
  }

  /// Device numbers: minor 0-7 and 20-31, major 8-19 (proc_pid_stat(5)).
  @Test(arguments: [(1025, 1), (1026, 2), (1087, 63)] as [(Int, UInt32)])
  func aConsoleIsKnownByItsNumber(_ device: Int, _ console: UInt32) {
    #expect(ProcessStatus(ReadingTests.line.replacing("34818", with: "\(device)"))?.console == console)
  }

  /// None, tty0, ttyS0, hvc0, pts/2, and minor 257 of major 4.
  @Test(arguments: [0, 1024, 1088, 58624, 34818, 1_049_601]) func othersAreNoConsole(_ device: Int) {
    let status = ProcessStatus(ReadingTests.line.replacing("34818", with: "\(device)"))
    #expect(status != nil && status?.console == nil)
  }

  @Test func theConsoleInFrontIsUnderstood() {
    #expect(ProcessStatus.console(named: "tty2\n") == 2)
    for text in ["", "tty", "tty0", "tty64", "ttyS0", "pts/1", "2", "tty-1"] {
      #expect(ProcessStatus.console(named: text) == nil)
    }
  }

  @Test func aNamespaceBelowOursIsSeen() {
    #expect(!ProcessStatus.isNested(status: "Name:\tsudo\nNSpid:\t4242\n"))
    #expect(ProcessStatus.isNested(status: "Name:\tsudo\nNSpid:\t4242\t7\n"))
    #expect(ProcessStatus.isNested(status: "Name:\tsudo\n"))
    #expect(ProcessStatus.isNested(status: ""))
  }

  @Test func usersAreUnderstood() {
    #expect(ProcessStatus.realUser(status: "Name:\tx\nUid:\t1000\t0\t0\t0\n") == 1000)
    #expect(ProcessStatus.realUser(status: "Gid:\t1000\t0\t0\t0\n") == nil)
    #expect(ProcessStatus.audit("1000") == 1000)
    #expect(ProcessStatus.audit("0\n") == 0)
    for text in ["4294967295", "", "x", "-1"] { #expect(ProcessStatus.audit(text) == nil) }
  }

  @Test(
    arguments: [
      ("0::/user.slice/user-1000.slice/session-2.scope\n", .session(id: "2", user: 1000)),
      ("0::/user.slice/user-0.slice/session-c1.scope\n", .session(id: "c1", user: 0)),
      (
        "0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-org.gnome.Terminal.slice/vte-spawn-1.scope\n",
        .userManager(user: 1000)
      ),
      (
        "12:cpu:/\n1:name=systemd:/user.slice/user-7.slice/session-9.scope\n0::/\n",
        .session(id: "9", user: 7)
      ),
      ("12:pids:/docker/0123\n0::/user.slice/user-7.slice/session-9.scope\n", .session(id: "9", user: 7)),
    ] as [(String, ControlGroup)]) func aPlaceIsUnderstood(_ text: String, _ group: ControlGroup)
  {
    #expect(ControlGroup(text) == group)
  }

  @Test(arguments: [
    "0::/system.slice/docker-0123.scope", "0::/machine.slice/machine-deb.scope/payload",
    "0::/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-0123.scope/container",
    "0::/kubepods.slice/x", "0::/lxc.payload.c1/x", "0::/../../system.slice/cron.service",
    "0::/machine.slice/systemd-nspawn@deb.service/payload",
    "0::/user.slice/user-1000.slice/session-2.scope/../../x",
  ]) func aContainerIsUnderstood(_ text: String) {
    #expect(ControlGroup(text) == .container)
  }

  /// A name below a user's manager is the user's choice and makes no session.
  @Test func namesBelowAManagerAreNoSessions() {
    let text = "0::/user.slice/user-1000.slice/user@1000.service/session-2.scope"
    #expect(ControlGroup(text) == .userManager(user: 1000))
  }

  @Test(arguments: [
    "", "\n", "::", "0::", "0::/", "0::/system.slice/cron.service", "0::/system.slice/ssh.service",
    "0::/user.slice/user-1000.slice", "0::/user.slice/user-.slice/session-2.scope",
    "0::/user.slice/user-x.slice/session-2.scope", "0::/user.slice/user-1000.slice/session-.scope",
    "0::/user.slice/user-1000.slice/user@1001.service/x", "0::/x/user.slice/user-1000.slice/session-2.scope",
    "4:memory:/user.slice/user-1000.slice/session-2.scope", "1:name=elogind:/2",
    "1:name=systemd:/\n0::/user.slice/user-1000.slice/session-2.scope",
  ]) func otherPlacesAreNone(_ text: String) {
    #expect(ControlGroup(text) == .other)
  }
}
