// SPDX-License-Identifier: Apache-2.0

internal import Throttle

/// The last wrong guesses, which are not counted when they come again: somebody who
/// draws the same wrong pattern five times has guessed once (as Android and Apple count).
///
/// Kept in memory only, five for each person and origin and five minutes, as hashes under a key
/// of this process.
struct RecentGuesses {
  static let limit = 5
  /// Milliseconds.
  static let time: UInt64 = 300_000

  private struct Guess {
    let account: Account
    let origin: Origin
    let code: [UInt8]
    let when: UInt64
  }

  private let key: MachineKey?
  private var guesses: [Guess] = []

  init() { key = MachineKey.random() }

  /// Whether this person made this guess just now.
  mutating func has(_ pattern: HeldPattern, of account: Account, from origin: Origin, now: UInt64) -> Bool {
    guesses.removeAll { now < $0.when || now - $0.when >= RecentGuesses.time }
    guard let code = code(pattern) else { return false }
    return guesses.contains {
      $0.account == account && $0.origin == origin && MachineKey.isSame($0.code, code)
    }
  }

  /// Remembers a wrong guess.
  mutating func add(_ pattern: HeldPattern, of account: Account, from origin: Origin, now: UInt64) {
    guard let code = code(pattern) else { return }
    let own = guesses.indices.filter { guesses[$0].account == account && guesses[$0].origin == origin }
    if own.count >= RecentGuesses.limit, let oldest = own.first { guesses.remove(at: oldest) }
    guesses.append(Guess(account: account, origin: origin, code: code, when: now))
  }

  /// Forgets a person's guesses.
  mutating func forget(_ account: Account) { guesses.removeAll { $0.account == account } }

  private func code(_ pattern: HeldPattern) -> [UInt8]? {
    key.map { key in pattern.withBytes { key.code(.guess, of: $0) } }
  }
}
