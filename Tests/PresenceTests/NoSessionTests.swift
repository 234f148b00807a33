// SPDX-License-Identifier: Apache-2.0

import Presence
import Testing

/// Who is at the seat without a session of their own, and without a session manager.
@Suite struct NoSessionTests {
  /// login on tty2, below getty's service.
  private func getty(inFront: UInt32?) -> ProcessFacts {
    ProcessFacts(
      chain: Sample.chain(["systemd"], console: 2), group: .other, realUser: 0, activeConsole: inFront)
  }

  private let worker = ProcessFacts(
    chain: Sample.chain(["gdm3", "systemd"]), group: .other, realUser: 0, activeConsole: 1)

  private func asked(_ service: String, peer: UInt32 = 0) -> AskedFor {
    AskedFor(peer: peer, target: Sample.ada, service: service, isRemote: false)
  }

  @Test func loginIsOnTheConsoleInFront() {
    for manager in [
      ManagerFacts.absent, .present(LoginFacts()), .present(LoginFacts(front: Sample.session())),
    ] {
      #expect(
        Presence(of: asked("login"), process: getty(inFront: 2), manager: manager) == .seat(session: "tty2"))
    }
  }

  @Test func loginOnAConsoleBehindIsNot() {
    for front in [nil, 1, 3] as [UInt32?] {
      #expect(
        Presence(of: asked("login"), process: getty(inFront: front), manager: .present(LoginFacts()))
          == Presence.none)
      #expect(Presence(of: asked("login"), process: getty(inFront: front), manager: .absent) == .unknown)
    }
  }

  @Test func withoutASessionManagerOnlyTheConsoleIsKnown() {
    for process in [Sample.process(), Sample.terminal, worker] {
      #expect(Presence(of: asked("gdm-password"), process: process, manager: .absent) == .unknown)
    }
  }

  /// A session says more than the console it was begun on.
  @Test func aSessionGoesBeforeTheConsole() {
    var process = Sample.process()
    process.chain = Sample.chain(["bash", "login", "systemd"], console: 2)
    process.activeConsole = 2
    let behind = Sample.session(isActive: false)
    #expect(Presence(of: Sample.asked, process: process, manager: Sample.login(behind)) == .inactive)
  }

  @Test(arguments: ["gdm-password", "gdm-fingerprint", "sddm", "lightdm", "greetd"])
  func aGreeterInFrontIsTheSeat(_ service: String) {
    let greeter = LoginFacts(front: Sample.session("c1", user: 113, kind: "greeter"))
    #expect(
      Presence(of: asked(service), process: worker, manager: .present(greeter)) == .seat(session: "c1"))
  }

  @Test func aLockedSessionInFrontIsTheSeatOfItsOwner() {
    let own = LoginFacts(front: Sample.session())
    let others = LoginFacts(front: Sample.session(user: Sample.bob))
    #expect(
      Presence(of: asked("gdm-password"), process: worker, manager: .present(own)) == .seat(session: "2"))
    #expect(Presence(of: asked("gdm-password"), process: worker, manager: .present(others)) == .inactive)
  }

  @Test func aSeatWithoutAnythingInFrontIsNone() {
    func judged(_ front: LoginSession?) -> Presence {
      Presence(of: asked("gdm-password"), process: worker, manager: .present(LoginFacts(front: front)))
    }
    #expect(judged(nil) == Presence.none)
    #expect(judged(Sample.session(isRemote: true)) == .remote)
    #expect(judged(Sample.session(isActive: false)) == .inactive)
    #expect(judged(Sample.session(state: "closing")) == .inactive)
    #expect(judged(Sample.session(kind: "background")) == .inactive)
  }

  @Test func onlyRootIsADisplayManager() {
    let greeter = LoginFacts(front: Sample.session("c1", kind: "greeter"))
    #expect(
      Presence(of: asked("gdm-password", peer: Sample.ada), process: worker, manager: .present(greeter))
        == Presence.none)
  }

  @Test(arguments: ["cron", "sudo", "login", "polkit-1", "gdm", ""]) func aServiceIsNone(_ service: String) {
    let front = LoginFacts(front: Sample.session())
    #expect(Presence(of: asked(service), process: worker, manager: .present(front)) == Presence.none)
  }

  @Test func whatHoldsWithoutASessionManagerIsKnownEarly() {
    #expect(Presence.early(of: Sample.asked, process: Sample.process()) == nil)
    #expect(Presence.early(of: Sample.asked, process: nil) == Presence.none)
    #expect(Presence.early(of: asked("sshd"), process: nil) == .remote)
  }
}
