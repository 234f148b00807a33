// SPDX-License-Identifier: Apache-2.0

import Presence

/// Facts that the tables vary: ada (1000) at seat0 asks by sudo in her session 2.
enum Sample {
  static let ada: UInt32 = 1000
  static let bob: UInt32 = 1001

  static let asked = AskedFor(peer: 0, target: ada, service: "sudo", isRemote: false)

  /// A process that says no more than a name and a number; parents have lower ones.
  static func status(_ name: String, _ process: Int32, console: UInt32? = nil) -> ProcessStatus {
    let device = console.map { 1024 + $0 } ?? 34818
    let text = "\(process) (\(name)) S 1 1 1 \(device) 1 1 1 0 0 0 0 0 0 0 20 0 1 0 \(process) 0"
    guard let status = ProcessStatus(text) else { fatalError("a sample is no process") }
    return status
  }

  /// sudo below these programs, nearest first; the last has number 1.
  static func chain(_ parents: [String], console: UInt32? = nil) -> [ProcessStatus] {
    let names = ["sudo"] + parents
    return names.enumerated().map { status($1, Int32(names.count - $0), console: console) }
  }

  /// A text console: sudo, bash, login, which leads the session, and init.
  static func process(_ parents: [String] = ["bash", "login", "systemd"]) -> ProcessFacts {
    ProcessFacts(chain: chain(parents), group: .session(id: "2", user: ada), loginUser: ada, realUser: ada)
  }

  /// A terminal of a desktop: below the user's manager, which leads nothing.
  static var terminal: ProcessFacts {
    var facts = process(["bash", "gnome-terminal-", "systemd", "systemd"])
    facts.group = .userManager(user: ada)
    facts.auditSession = 7
    return facts
  }

  static func session(
    _ id: String = "2", user: UInt32 = ada, isRemote: Bool = false, isActive: Bool = true,
    seat: String = "seat0", kind: String = "user", state: String = "active", leader: Int32 = 2
  ) -> LoginSession {
    LoginSession(
      id: id, user: user, isRemote: isRemote, isActive: isActive, seat: seat, kind: kind, state: state,
      leader: leader)
  }

  static let fromAfar = session("5", isRemote: true, seat: "", leader: 900)

  /// The process's session, among all that its owner has.
  static func login(_ session: LoginSession, and others: [LoginSession] = []) -> ManagerFacts {
    .present(LoginFacts(ofProcess: session, display: session, ofOwner: [session] + others, front: session))
  }

  /// No session of the process's own; its owner has these, the first on the screen.
  static func display(_ sessions: [LoginSession], audit: LoginSession? = nil) -> ManagerFacts {
    .present(
      LoginFacts(ofAudit: audit, display: sessions.first, ofOwner: sessions, front: sessions.first))
  }
}
