// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Policy
internal import Records
internal import ThumbturnProtocol

/// What was enrolled for somebody since a finger or a pattern let them in, for whoever gives
/// their password next.
struct News: Equatable {
  /// The most that is kept; the oldest goes first.
  static let most = 8

  /// One finger or pattern.
  struct Item: Equatable {
    /// Seconds since 1970.
    var seconds: UInt64
    /// The finger, `nil` for a pattern.
    var finger: Finger?
  }

  /// The newest ``most``, oldest first.
  private(set) var items: [Item] = []

  init() {}

  mutating func add(_ item: Item) {
    items.append(item)
    if items.count > News.most { items.removeFirst() }
  }

  /// The lines of the file: `1 UID`, then `SECONDS finger NUMBER` and `SECONDS pattern`.
  func bytes(uid: UInt32) -> [UInt8] {
    var text = "1 \(uid)\n"
    for item in items {
      text += "\(item.seconds) \(item.finger.map { "finger \($0.rawValue)" } ?? "pattern")\n"
    }
    return Array(text.utf8)
  }

  /// Understands a file; nothing where it is not as ``bytes(uid:)`` writes it. It only informs.
  init?(_ bytes: [UInt8], uid: UInt32) {
    guard let text = String(validating: bytes, as: UTF8.self), text.hasSuffix("\n") else { return nil }
    let lines = text.split(separator: "\n")
    guard lines.first == "1 \(uid)", lines.count <= News.most + 1 else { return nil }
    for line in lines.dropFirst() {
      guard let item = Item(line) else { return nil }
      items.append(item)
    }
  }
}

extension News.Item {
  fileprivate init?(_ line: Substring) {
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count >= 2, let seconds = UInt64(words[0]) else { return nil }
    switch (words[1], words.count) {
    case ("pattern", 2): self.init(seconds: seconds, finger: nil)
    case ("finger", 3):
      guard let finger = UInt8(words[2]).flatMap(Finger.init(rawValue:)) else { return nil }
      self.init(seconds: seconds, finger: finger)
    default: return nil
    }
  }
}

extension Store {
  /// The file `users/NAME/news` (0600) of somebody who has a print or a pattern.
  static let news = "news"
  private static let mostBytes = 512

  /// What a person has not heard of yet.
  func news(of account: Account) -> News {
    guard let name = RecordName.folder(of: account.name), let person = try? users().folder(name),
      let bytes = person.contents(of: Store.news, limit: Store.mostBytes)
    else { return News() }
    return News(bytes, uid: account.uid) ?? News()
  }

  /// Keeps that a finger was enrolled, or with `nil` that a pattern was set, just now.
  func addNews(of finger: Finger?, to account: Account) throws(StoreError) {
    guard let name = RecordName.folder(of: account.name), let person = try users().folder(name) else {
      return
    }
    var news = news(of: account)
    news.add(News.Item(seconds: UInt64(max(time(nil), 0)), finger: finger))
    try person.replace(Store.news, with: news.bytes(uid: account.uid), mode: 0o600)
  }

  /// Forgets what a person has heard of.
  func forgetNews(of account: Account) throws(StoreError) {
    guard let name = RecordName.folder(of: account.name), let person = try users().folder(name) else {
      return
    }
    if try person.remove(Store.news) { try person.sync() }
  }

  /// Whether it was a finger or a pattern that last let a person in, and not the password.
  func wasLetInWithoutPassword(_ account: Account) -> Bool {
    let uses = lastUses(of: account)
    let latest = LastUses.Factor.allCases.compactMap { uses[$0]?.seconds }.max()
    guard let latest else { return false }
    return latest >= (passwordMemory(of: account)?.seconds ?? 0)
  }
}
