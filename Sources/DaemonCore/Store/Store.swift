// SPDX-License-Identifier: Apache-2.0

internal import Glibc
public import Records
internal import System
public import ThumbturnProtocol

/// The enrolled data below one folder, `/var/lib/thumbturn`:
///
///     users/     0700   NAME/right-index.0a1b2c3d.print   the records (0600)
///                       NAME/pattern.record, .throttle    see ``PatternStore``
///                       NAME/password.seen, lockdown      see ``passwordSeen``, ``lockdown``
///                       NAME/finger.count                 see ``FingerCountFile``
///                       NAME/last.uses, news              see ``lastUses``, ``news``
///     enrolled/  0711   NAME                              the markers (0644, empty)
///
/// A marker only says that somebody has a print or a pattern, so that the PAM module need not
/// ask for everybody else. It is made before the first record and removed after
/// the last, so a crash between leaves a marker too many, which costs time only.
/// One process uses a folder at a time.
public struct Store: Sendable {
  /// The most record files of one person: ten fingers on six readers.
  public static let maximumRecords = 60

  let folder: String

  /// Checks the folder and its two subfolders, makes what is missing, and removes
  /// files that a crash left half written.
  public init(folder: String) throws(StoreError) {
    self.folder = folder
    let root = try Folder(path: folder)
    _ = try root.folder("enrolled", create: 0o711)
    let users = try root.folder("users", create: 0o700)
    for name in try users.names() {
      guard let person = try? users.folder(name) else { continue }
      for file in (try? person.names()) ?? [] where file.hasPrefix(Folder.temporaryPrefix) {
        _ = try? person.remove(file)
      }
    }
  }

  /// All records of a person, also those that cannot be used.
  public func records(of account: Account) -> [StoredRecord] {
    guard let name = RecordName.folder(of: account.name) else { return [] }
    do throws(StoreError) {
      let users = try users()
      guard let person = try users.folder(name) else { return [] }
      return try entries(in: person, label: name, owner: account).map(\.record)
    } catch {
      return [.damaged(file: "users/\(name)")]
    }
  }

  /// Keeps a record in place of the one of the same finger on the same reader,
  /// with the next generation of this person; returns it as it was kept.
  ///
  /// When this fails, what was there before is still there.
  @discardableResult
  public func save(_ record: PrintRecord) throws(StoreError) -> PrintRecord {
    guard let name = RecordName.folder(of: record.user) else { throw .badName }
    let root = try Folder(path: folder)
    let enrolled = try root.folder("enrolled", create: 0o711)
    let isNew = try enrolled.mark(name, mode: 0o644)
    do throws(StoreError) {
      return try put(record, name: name, users: try root.folder("users", create: 0o700))
    } catch {
      if isNew { try? settle(owner: record.owner, name: name) }
      throw error
    }
  }

  private func put(_ record: PrintRecord, name: String, users: borrowing Folder) throws(StoreError)
    -> PrintRecord
  {
    let person = try users.folder(name, create: 0o700)
    try users.sync()
    let entries = try entries(in: person, label: name, owner: record.owner)
    let latest = entries.compactMap(\.generation).max() ?? 0
    let kept = record.with(generation: latest == .max ? .max : latest + 1)
    let file = try Store.file(for: record, among: entries)
    try person.replace(file, with: kept.bytes, mode: 0o600)
    return kept
  }

  /// Where a record goes: in place of its predecessor, never of a file that must stay.
  private static func file(for record: PrintRecord, among entries: [Entry]) throws(StoreError) -> String {
    let predecessor = entries.first {
      guard let kept = $0.record.usable else { return false }
      return kept.finger == record.finger && kept.reader.isSameReader(as: record.reader)
    }
    if let predecessor { return predecessor.file }
    let taken = Set(entries.map(\.file))
    guard taken.count < maximumRecords else { throw .tooMany }
    for attempt in 0...taken.count {
      let file = RecordName.file(finger: record.finger, reader: record.reader, attempt: attempt)
      if !taken.contains(file) { return file }
    }
    throw .tooMany
  }

  /// Removes a person's records of one finger, or of all with `nil`; returns how
  /// many there were. Damaged and foreign files stay.
  public func delete(of account: Account, finger: Finger?) throws(StoreError) -> Int {
    guard let name = RecordName.folder(of: account.name) else { return 0 }
    let users = try users()
    var count = 0
    if let person = try users.folder(name) {
      for entry in try entries(in: person, label: name, owner: account) {
        guard let record = entry.record.usable, finger == nil || record.finger == finger else { continue }
        if try person.remove(entry.file) { count += 1 }
      }
      try person.sync()
    }
    try settle(owner: account, name: name)
    return count
  }

  /// Removes the marker, and the folder if it is empty, of a person without a usable
  /// print and without a pattern.
  func settle(owner: Account, name: String) throws(StoreError) {
    guard !records(of: owner).contains(where: { $0.usable != nil }) else { return }
    if let person = try? users().folder(name) {
      if person.has(PatternFile.record.rawValue) { return }
      let files = [Store.passwordSeen, FingerCountFile.name, Store.lockdown, Store.lastUses, Store.news]
      for file in files { _ = try? person.remove(file) }
    }
    let root = try Folder(path: folder)
    let enrolled = try root.folder("enrolled", create: 0o711)
    if try enrolled.remove(name) { try enrolled.sync() }
    try users().removeFolder(name)
  }

  func users() throws(StoreError) -> Folder {
    try Folder(path: folder).folder("users", create: 0o700)
  }
}
