// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Policy
internal import Records
internal import System
internal import ThumbturnProtocol
internal import Throttle

/// What a status report says of locks and of the password.
extension Services {
  private static let mostShown = 50

  /// How one's own finger and password stand; for root also who is locked, and by what.
  func lockLines(for peer: Peer) -> [StatusLine] {
    var lines: [StatusLine] = []
    if let own = Account(uid: peer.user), store.keepsSomething(of: own) {
      lines.append(("fingerprint", fingerWords(own)))
      lines.append(("password", passwordWords(own)))
      let uses = store.lastUses(of: own)
      for factor in LastUses.Factor.allCases {
        if let use = uses[factor] {
          lines.append((factor == .finger ? "last touch" : "last pattern", use.words))
        }
      }
    }
    // The names tell who has something enrolled.
    guard peer.user == geteuid() else { return lines }
    let troubled = store.owners().flatMap { owner in troubles(of: owner) }
    lines += troubled.prefix(Services.mostShown)
    let more = troubled.count - Services.mostShown
    if more > 0 { lines.append(("more locks", "\(more) fingers, counts or accounts")) }
    return lines
  }

  /// What root should know of an account.
  private func troubles(of owner: Account) -> [StatusLine] {
    var lines: [StatusLine] = []
    let name = owner.name.shown
    if let counts = counter.counts(of: owner) {
      for origin in Origin.allCases where counts.isLocked(origin, after: configuration.policy.lockAfter) {
        lines.append(("locked fingerprint", "\(name): \(counts[origin]) mismatches of \(origin.words)"))
      }
    } else {
      lines.append(("damaged count", "\(name): users/\(name)/\(FingerCountFile.name)"))
    }
    if store.isLockedDown(owner) { lines.append(("lockdown", name)) }
    return lines
  }

  /// `2 mismatches in a row of 5`
  private func fingerWords(_ account: Account) -> String {
    guard let counts = counter.counts(of: account) else { return Objection.damagedCount.words }
    let limit = configuration.policy.lockAfter
    if counts.isLocked(.own, after: limit) { return "locked until the password is given" }
    return "\(counts[.own]) of \(limit) mismatches in a row"
  }

  /// When it was last given, and whether it is needed.
  private func passwordWords(_ account: Account) -> String {
    var state = PasswordState()
    state.last = store.passwordMemory(of: account)
    state.now = PasswordMemory.now()
    state.isLockedDown = store.isLockedDown(account)
    let last = state.lastWords
    return state.objection(configuration.policy).map { "\(last); needed first: \($0.words)" } ?? last
  }
}

extension LastUses.Use {
  /// `2026-11-30 09:12 by sudo`
  fileprivate var words: String { localTime(seconds) + (service.isEmpty ? "" : " by \(service)") }
}

extension PasswordState {
  /// `last given 3 h 20 min ago`
  fileprivate var lastWords: String {
    guard let last else { return "not given yet" }
    guard let now, last.boot == now.boot, now.milliseconds >= last.milliseconds else {
      return "last given before the machine was started"
    }
    let minutes = (now.milliseconds - last.milliseconds) / 60_000
    return "last given \(minutes >= 60 ? "\(minutes / 60) h " : "")\(minutes % 60) min ago"
  }
}

extension Store {
  /// Whether anything is kept of an account.
  fileprivate func keepsSomething(of account: Account) -> Bool {
    guard let name = RecordName.folder(of: account.name) else { return false }
    return (try? users().folder(name)) != nil
  }

  /// Everybody of whom something is kept.
  fileprivate func owners() -> [Account] {
    guard let users = try? users(), let names = try? users.names() else { return [] }
    return names.compactMap { Account(named: Text(cut: $0)) }
  }
}
