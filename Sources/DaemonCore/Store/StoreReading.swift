// SPDX-License-Identifier: Apache-2.0

internal import Records
internal import System
internal import ThumbturnProtocol

extension Store {
  /// A file of a person's folder and what it holds.
  struct Entry {
    let file: String
    let record: StoredRecord

    var generation: UInt64? {
      switch record {
      case .good(let record), .foreign(_, let record): record.generation
      case .damaged: nil
      }
    }
  }

  /// What is in a person's folder, without files that are not complete.
  func entries(
    in person: borrowing Folder, label: String, owner: Account
  ) throws(StoreError) -> [Entry] {
    var entries: [Entry] = []
    for file in try person.names() where Store.mayBePrint(file) {
      let path = "users/\(label)/\(file)"
      entries.append(Entry(file: file, record: Store.record(file, in: person, path: path, owner: owner)))
    }
    return entries
  }

  /// Whether a file counts as a print, if only a damaged one: all but those that are
  /// not complete and those of the pattern, the password, the counts, the last uses and the news.
  private static func mayBePrint(_ file: String) -> Bool {
    !file.hasPrefix(Folder.temporaryPrefix) && PatternFile(rawValue: file) == nil
      && ![passwordSeen, lockdown, lastUses, news, FingerCountFile.name].contains(file)
  }

  private static func record(
    _ file: String, in person: borrowing Folder, path: String, owner: Account
  ) -> StoredRecord {
    guard let bytes = person.contents(of: file, limit: PrintRecord.maximumBytes),
      let record = try? PrintRecord(bytes: bytes)
    else { return .damaged(file: path) }
    return record.user == owner.name && record.uid == owner.uid ? .good(record) : .foreign(file: path, record)
  }

  /// The usable records of all accounts.
  func everybodysRecords() -> [PrintRecord] {
    guard let users = try? users(), let names = try? users.names() else { return [] }
    return names.flatMap { name -> [PrintRecord] in
      guard let account = Account(named: Text(cut: name)) else { return [] }
      return records(of: account).compactMap(\.usable)
    }
  }

  /// Files that are damaged, or belong to nobody: the folder's name is no account,
  /// or another one than the record says.
  public func report() -> [StoreProblem] {
    guard let users = try? users(), let names = try? users.names() else {
      return [StoreProblem(file: "users", isForeign: false)]
    }
    var problems: [StoreProblem] = []
    for name in names { problems.append(contentsOf: Store.problems(of: name, in: users, store: self)) }
    return problems
  }

  private static func problems(of name: String, in users: borrowing Folder, store: Store) -> [StoreProblem] {
    guard let person = try? users.folder(name), let files = try? person.names() else {
      return [StoreProblem(file: "users/\(name)", isForeign: false)]
    }
    var problems: [StoreProblem] = []
    for file in files where mayBePrint(file) {
      let path = "users/\(name)/\(file)"
      guard let bytes = person.contents(of: file, limit: PrintRecord.maximumBytes),
        let record = try? PrintRecord(bytes: bytes)
      else {
        problems.append(StoreProblem(file: path, isForeign: false))
        continue
      }
      let isOwned =
        RecordName.folder(of: record.user) == name && Account(named: record.user)?.uid == record.uid
      if !isOwned { problems.append(StoreProblem(file: path, isForeign: true)) }
    }
    return problems
  }
}

extension PrintRecord {
  /// The account that the record names.
  var owner: Account { Account(name: user, uid: uid, group: .max) }
}
