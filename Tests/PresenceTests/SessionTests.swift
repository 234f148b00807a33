// SPDX-License-Identifier: Apache-2.0

import Presence
import Testing

/// Who is at the seat: processes with a session, and those below a user's manager.
@Suite struct SessionTests {
  private func judge(
    _ process: ProcessFacts?, _ manager: ManagerFacts, asked: AskedFor = Sample.asked
  ) -> Presence {
    Presence(of: asked, process: process, manager: manager)
  }

  private func judge(_ manager: ManagerFacts, asked: AskedFor = Sample.asked) -> Presence {
    judge(Sample.process(), manager, asked: asked)
  }

  @Test func aSessionInFrontIsTheSeat() {
    #expect(judge(Sample.login(Sample.session())) == .seat(session: "2"))
    #expect(judge(Sample.login(Sample.session(seat: "seat1"))) == .seat(session: "2"))
    for kind in ["user-early", "user-light", "greeter", "lock-screen"] {
      #expect(judge(Sample.login(Sample.session(kind: kind))) == .seat(session: "2"))
    }
  }

  @Test func aSessionBehindIsNot() {
    #expect(judge(Sample.login(Sample.session(isActive: false, state: "online"))) == .inactive)
    #expect(judge(Sample.login(Sample.session(state: "closing"))) == .inactive)
  }

  @Test func aSessionFromAfarIsNot() {
    #expect(judge(Sample.login(Sample.session(isRemote: true, seat: ""))) == .remote)
    #expect(judge(Sample.login(Sample.session(isRemote: true))) == .remote)
  }

  /// xrdp's and `su -`'s sessions have no seat, and such a session is always active.
  @Test func aSessionWithoutASeatIsNot() {
    #expect(judge(Sample.login(Sample.session(seat: ""))) == Presence.none)
  }

  @Test(arguments: ["background", "background-light", "none", ""]) func aServicesSessionIsNot(_ kind: String)
  {
    #expect(judge(Sample.login(Sample.session(kind: kind))) == Presence.none)
  }

  @Test func whoNamesAnotherMachineIsRemote() {
    var asked = Sample.asked
    asked.isRemote = true
    #expect(judge(Sample.login(Sample.session()), asked: asked) == .remote)
    for service in ["sshd", "xrdp-sesman", "cockpit"] {
      let asked = AskedFor(peer: 0, target: Sample.ada, service: service, isRemote: false)
      #expect(judge(Sample.login(Sample.session()), asked: asked) == .remote)
      #expect(judge(nil, .absent, asked: asked) == .remote)
    }
  }

  @Test(arguments: [
    "sshd", "sshd-session", "dropbear", "mosh-server", "xrdp-sesman", "Xvnc", "ttyd", "cockpit-bridge",
    "tailscaled", "in.telnetd",
  ]) func aRemoteProgramAmongTheParentsIsRemote(_ name: String) {
    for parents in [["bash", name, "login", "systemd"], ["bash", "su", "bash", name], [name]] {
      let process = Sample.process(parents)
      #expect(judge(process, Sample.login(Sample.session(leader: 1))) == .remote)
      #expect(judge(process, .absent) == .remote)
      var terminal = Sample.terminal
      terminal.chain = process.chain
      #expect(judge(terminal, Sample.display([Sample.session()])) == .remote)
    }
  }

  @Test func aProcessOfAnotherNamespaceIsNobody() {
    #expect(judge(nil, Sample.login(Sample.session())) == Presence.none)
    var process = Sample.process()
    process.isNested = true
    #expect(judge(process, Sample.login(Sample.session())) == Presence.none)
    process = Sample.process()
    process.group = .container
    #expect(judge(process, Sample.login(Sample.session())) == Presence.none)
    #expect(judge(process, .absent) == Presence.none)
  }

  // MARK: - Terminals that may be shown elsewhere

  @Test func parentsUpToTheLeaderAreProof() {
    #expect(judge(Sample.login(Sample.session(), and: [Sample.fromAfar])) == .seat(session: "2"))
  }

  /// tmux's server lives on: started at the seat, looked at from anywhere.
  @Test func aServerOfItsOwnCountsWhenNobodyIsElsewhere() {
    let process = Sample.process(["bash", "tmux: server", "systemd"])
    let session = Sample.session(leader: 77)
    #expect(judge(process, Sample.login(session)) == .seat(session: "2"))
    #expect(judge(process, Sample.login(session, and: [Sample.fromAfar])) == .remote)
  }

  @Test(arguments: ["tmux: server", "tmux", "screen", "SCREEN", "zellij", "dtach"])
  func aMultiplexerBelowTheLeaderIsNoProof(_ name: String) {
    let process = Sample.process(["bash", name, "login", "systemd"])
    let session = Sample.session(leader: 2)
    #expect(judge(process, Sample.login(session)) == .seat(session: "2"))
    #expect(judge(process, Sample.login(session, and: [Sample.fromAfar])) == .remote)
  }

  @Test func initLeadsNoSession() {
    for leader in [0, 1] as [Int32] {
      let session = Sample.session(leader: leader)
      #expect(judge(Sample.login(session)) == .seat(session: "2"))
      #expect(judge(Sample.login(session, and: [Sample.fromAfar])) == .remote)
    }
  }

  @Test func aMultiplexerAboveTheLeaderIsNone() {
    let process = Sample.process(["bash", "login", "tmux"])
    #expect(judge(process, Sample.login(Sample.session(), and: [Sample.fromAfar])) == .seat(session: "2"))
  }

  @Test func whatCountsAsElsewhere() {
    let process = Sample.process(["bash", "tmux: server", "systemd"])
    let session = Sample.session(leader: 77)
    func judged(_ change: (inout LoginFacts, inout ProcessFacts) -> Void) -> Presence {
      var facts = LoginFacts(ofProcess: session, ofOwner: [session])
      var process = process
      change(&facts, &process)
      return judge(process, .present(facts))
    }
    #expect(judged { _, _ in } == .seat(session: "2"))
    #expect(judged { login, _ in login.hasMore = true } == .remote)
    #expect(judged { _, process in process.ownerComesFromAfar = true } == .remote)
    #expect(judged { _, process in process.group = .session(id: "2", user: Sample.bob) } == .remote)
    #expect(judged { login, _ in login.ofOwner.append(Sample.session("6", seat: "")) } == .remote)
    #expect(
      judged { login, _ in login.ofOwner.append(Sample.session("6", isRemote: true, state: "closing")) }
        == .remote)
    for kind in ["background", "manager"] {
      #expect(
        judged { login, _ in login.ofOwner.append(Sample.session("6", seat: "", kind: kind)) }
          == .seat(session: "2"))
    }
  }

  // MARK: - Below a user's manager

  @Test func aTerminalBelongsToTheScreen() {
    let process = Sample.terminal
    #expect(judge(process, Sample.display([Sample.session()])) == .seat(session: "2"))
    #expect(judge(process, Sample.display([Sample.session(isActive: false)])) == .inactive)
    #expect(judge(process, Sample.display([])) == Presence.none)
  }

  /// `systemd-run --user` in a session of ssh looks the same as a terminal of the desktop.
  @Test func aTerminalIsRemoteWhenItsOwnerMayBe() {
    var process = Sample.terminal
    let desktop = Sample.session(leader: 77)
    #expect(judge(process, Sample.display([desktop, Sample.fromAfar])) == .remote)
    #expect(judge(process, Sample.display([Sample.fromAfar])) == .remote)
    process.ownerComesFromAfar = true
    #expect(judge(process, Sample.display([desktop])) == .remote)
    #expect(judge(process, Sample.display([])) == .remote)
  }

  @Test func theAuditSessionGoesFirst() {
    let process = Sample.terminal
    let desktop = Sample.session()
    let console = Sample.session("7", isActive: false)
    #expect(judge(process, Sample.display([desktop, console], audit: console)) == .inactive)
    let ssh = Sample.session("7", isRemote: true, seat: "")
    #expect(judge(process, Sample.display([desktop, ssh], audit: ssh)) == .remote)
    // The manager's own audit session says nothing of where people are.
    let manager = Sample.session("7", seat: "", kind: "manager")
    #expect(judge(process, Sample.display([desktop, manager], audit: manager)) == .seat(session: "2"))
  }

  /// A scope that somebody starts from their shell: below the manager, yet a child of the shell.
  @Test func parentsAreProofBelowAManagerToo() {
    var process = Sample.process()
    process.group = .userManager(user: Sample.ada)
    let session = Sample.session()
    #expect(
      judge(process, Sample.display([session, Sample.fromAfar], audit: session)) == .seat(session: "2"))
  }

  @Test func aManagersSessionIsLookedThrough() {
    let manager = Sample.session("9", seat: "", kind: "manager-early")
    let facts = LoginFacts(
      ofProcess: manager, display: Sample.session(), ofOwner: [manager, Sample.session()])
    #expect(judge(Sample.terminal, .present(facts)) == .seat(session: "2"))
  }

  @Test func nobodyGetsAnothersScreen() {
    let facts = LoginFacts(display: Sample.session(user: Sample.bob))
    #expect(judge(Sample.terminal, .present(facts)) == Presence.none)
  }

  /// Root in a shell of ada's session: the group is hers, whatever the uid.
  @Test func theOwnerIsTheGroups() {
    var process = Sample.process()
    process.realUser = 0
    #expect(process.owner == Sample.ada)
    process.group = .other
    #expect(process.owner == Sample.ada)
    process.loginUser = nil
    #expect(process.owner == 0)
  }
}
