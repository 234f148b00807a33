// SPDX-License-Identifier: Apache-2.0

internal import Records

/// When somebody was last let in by a finger and by a pattern, and by which service.
struct LastUses: Equatable {
  /// One sign-in.
  struct Use: Equatable {
    /// Seconds since 1970.
    var seconds: UInt64
    /// The PAM service, empty for one that would not fit a line.
    var service: String
  }

  /// What somebody was let in by.
  enum Factor: String, CaseIterable {
    case finger, pattern
  }

  private var uses: [Factor: Use] = [:]

  init() {}

  subscript(_ factor: Factor) -> Use? {
    get { uses[factor] }
    set { uses[factor] = newValue }
  }

  /// The lines of the file: `1 UID`, then `finger SECONDS SERVICE` and the like.
  func bytes(uid: UInt32) -> [UInt8] {
    var text = "1 \(uid)\n"
    for factor in Factor.allCases {
      guard let use = uses[factor] else { continue }
      let isName = use.service.utf8.allSatisfy { (0x21...0x7E).contains($0) } && use.service.utf8.count <= 64
      text += "\(factor.rawValue) \(use.seconds) \(isName ? use.service : "")\n"
    }
    return Array(text.utf8)
  }

  /// Understands a file; nothing where it is not as ``bytes(uid:)`` writes it. It only informs.
  init?(_ bytes: [UInt8], uid: UInt32) {
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    let lines = text.split(separator: "\n")
    guard lines.first == "1 \(uid)" else { return nil }
    for line in lines.dropFirst() {
      let words = line.split(separator: " ", omittingEmptySubsequences: false)
      guard words.count == 3, let factor = Factor(rawValue: String(words[0])), let seconds = UInt64(words[1])
      else { return nil }
      uses[factor] = Use(seconds: seconds, service: String(words[2]))
    }
  }
}

extension Store {
  /// The file `users/NAME/last.uses` (0600) of somebody who has a print or a pattern.
  static let lastUses = "last.uses"
  private static let mostBytes = 512

  /// When a person was last let in; nothing where nobody knows.
  func lastUses(of account: Account) -> LastUses {
    guard let name = RecordName.folder(of: account.name), let person = try? users().folder(name),
      let bytes = person.contents(of: Store.lastUses, limit: Store.mostBytes)
    else { return LastUses() }
    return LastUses(bytes, uid: account.uid) ?? LastUses()
  }

  /// Notes that a person was let in; a crash of the machine may lose it.
  func noteUse(_ factor: LastUses.Factor, _ use: LastUses.Use, of account: Account) throws(StoreError) {
    guard let name = RecordName.folder(of: account.name), let person = try users().folder(name) else {
      return
    }
    var uses = lastUses(of: account)
    uses[factor] = use
    try person.replace(Store.lastUses, with: uses.bytes(uid: account.uid), mode: 0o600, mayBeLost: true)
  }
}
