// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Policy
internal import System
internal import ThumbturnProtocol
internal import Throttle

/// What a status report says of patterns.
extension Services {
  private static let mostShown = 50

  /// How one's own stands; and for root, how many people have one, and whose are locked
  /// or of no use. Others could tell from the number alone who has one, and would have
  /// every account looked up as often as they ask.
  func patternLines(for peer: Peer) -> [StatusLine] {
    guard configuration.policy.patternEnabled else { return [("patterns", "off")] }
    let own = ownLine(of: peer)
    guard peer.user == geteuid() else { return [("patterns", "on")] + own }
    let owners = store.patternOwners()
    var lines: [StatusLine] = [("patterns", "\(owners.count)")] + own
    let states = owners.flatMap { owner in
      Origin.allCases.map { (owner, $0, patterns.state(of: owner, from: $0)) }
    }
    let troubled = states.filter { $2.problem == nil ? $2.lockedFor != 0 : $1 == .own }
    for (owner, origin, state) in troubled.prefix(Services.mostShown) {
      let whose = origin == .own ? "" : " of \(origin.words)"
      lines.append(
        (
          state.problem == nil ? "locked pattern" : "damaged pattern",
          "\(owner.name.shown): \(state.words)\(whose)"
        ))
    }
    let more = troubled.count - Services.mostShown
    if more > 0 { lines.append(("more patterns", "\(more) that are locked or damaged")) }
    return lines
  }

  private func ownLine(of peer: Peer) -> [StatusLine] {
    guard let own = Account(uid: peer.user) else { return [] }
    let state = patterns.state(of: own)
    if state == PatternState() { return [] }
    return [("pattern", state.words)]
  }
}

extension PatternState {
  /// `set, 5 wrong guesses, locked for 60 s`
  var words: String {
    if let problem { return "of no use (\(problem))" }
    let guesses = failures == 0 ? "" : failures == 1 ? ", 1 wrong guess" : ", \(failures) wrong guesses"
    guard let lockedFor else { return "set\(guesses), locked until it is set anew" }
    return "set\(guesses)"
      + (lockedFor == 0 ? "" : ", locked for \(lockedFor / 1000 + (lockedFor % 1000 == 0 ? 0 : 1)) s")
  }
}

extension Store {
  /// Everybody who has a pattern, whatever its state.
  func patternOwners() -> [Account] {
    guard let users = try? users(), let names = try? users.names() else { return [] }
    return names.compactMap { name in
      guard let person = try? users.folder(name), person.has(PatternFile.record.rawValue) else { return nil }
      return Account(named: Text(cut: name))
    }
  }
}
