// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import System
internal import ThumbturnProtocol

/// What a status report says of patterns.
extension Services {
  private static let mostShown = 50

  /// How many people have one; how one's own stands; and for root, whose are locked or
  /// of no use.
  func patternLines(for peer: Peer) -> [StatusLine] {
    guard configuration.patternEnabled else { return [("patterns", "off")] }
    let owners = store.patternOwners()
    var lines: [StatusLine] = [("patterns", "\(owners.count)")]
    if let own = owners.first(where: { $0.uid == peer.user }) {
      lines.append(("pattern", patterns.state(of: own).words))
    }
    // The names tell who has one.
    guard peer.user == geteuid() else { return lines }
    let states = owners.map { ($0, patterns.state(of: $0)) }
    let troubled = states.filter { $1.lockedFor != 0 || $1.problem != nil }
    for (owner, state) in troubled.prefix(Services.mostShown) {
      lines.append(
        (state.problem == nil ? "locked pattern" : "damaged pattern", "\(owner.name.shown): \(state.words)"))
    }
    let more = troubled.count - Services.mostShown
    if more > 0 { lines.append(("more patterns", "\(more) that are locked or damaged")) }
    return lines
  }
}

extension PatternState {
  /// `set, 5 wrong guesses, locked for 60 s`
  fileprivate var words: String {
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
