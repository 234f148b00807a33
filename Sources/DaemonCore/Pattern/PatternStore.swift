// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Records
internal import System
internal import Throttle

/// The patterns below the data folder, beside the prints:
///
///     machine.key                 0600   see ``MachineKey``; made once
///     users/NAME/pattern.record   0600   see ``PatternRecord``
///     users/NAME/pattern.throttle 0600   see ``ThrottleFile``
///
/// Every write is on the disk, file and folder, when it returns.
struct PatternStore {
  private let store: Store

  init(_ store: Store) { self.store = store }

  /// The machine key; fails when there is none, since a new one fits no record.
  func key() throws(PatternFault) -> MachineKey {
    let file: OwnedDescriptor?
    do throws(StoreError) {
      file = try Folder(path: store.folder).privateFile(MachineKey.file)
    } catch {
      throw .unusableKey(error)
    }
    guard let file else { throw .noKey }
    guard let key = MachineKey(reading: file.number) else { throw .unusableKey(nil) }
    return key
  }

  /// The machine key, made if there is none. One that is there is never replaced.
  func keyForSetting() throws(PatternFault) -> MachineKey {
    do throws(PatternFault) {
      return try key()
    } catch {
      guard error == .noKey else { throw error }
    }
    guard let new = MachineKey.random() else { throw .noMemory }
    _ = try failing { () throws(StoreError) in
      try Folder(path: store.folder).createOnce(MachineKey.file, mode: 0o600) {
        number throws(SystemError) in try new.write(to: number)
      }
    }
    return try key()
  }

  /// Whether somebody has a pattern, whatever its state.
  func hasRecord(of account: Account) -> Bool {
    guard let name = RecordName.folder(of: account.name),
      let person = try? store.users().folder(name)
    else { return false }
    return person.has(PatternFile.record.rawValue)
  }

  /// What a person's pattern is compared with.
  func record(of account: Account, key: MachineKey) throws(PatternFault) -> PatternRecord {
    let file = path(.record, of: account)
    guard let bytes = try contents(.record, of: account, limit: PatternRecord.size) else {
      throw .damaged(file: file)
    }
    return try PatternRecord(bytes: bytes, of: account, key: key, file: file)
  }

  /// The guesses at a person's pattern. A file that is damaged or missing is a fault:
  /// it would give all guesses away anew.
  func throttle(of account: Account, key: MachineKey) throws(PatternFault) -> OriginThrottles {
    guard let bytes = try contents(.throttle, of: account, limit: ThrottleFile.size),
      let throttle = ThrottleFile.throttle(bytes, of: account, key: key)
    else { throw .damaged(file: path(.throttle, of: account)) }
    return throttle
  }

  /// Keeps the guesses, durably.
  func save(_ throttle: OriginThrottles, of account: Account, key: MachineKey) throws(PatternFault) {
    guard let name = RecordName.folder(of: account.name) else { throw .store(.badName) }
    let isKept = try failing { () throws(StoreError) in
      guard let person = try store.users().folder(name) else { return false }
      let bytes = ThrottleFile.bytes(throttle, of: account, key: key)
      try person.replace(PatternFile.throttle.rawValue, with: bytes, mode: 0o600)
      return true
    }
    guard isKept else { throw .damaged(file: path(.throttle, of: account)) }
  }

  /// Keeps a new pattern, with no guesses at it, in place of another.
  ///
  /// When this fails, what was there before is still there, but for its guesses,
  /// which end with the proof that setting takes.
  func save(_ record: PatternRecord, of account: Account, key: MachineKey) throws(PatternFault) {
    guard let name = RecordName.folder(of: account.name) else { throw .store(.badName) }
    try failing { () throws(StoreError) in
      let enrolled = try Folder(path: store.folder).folder("enrolled", create: 0o711)
      let isNew = try enrolled.mark(name, mode: 0o644)
      do throws(StoreError) {
        try put(record, of: account, name: name, key: key)
      } catch {
        undo(account, name: name, marker: isNew)
        throw error
      }
    }
  }

  private func put(
    _ record: PatternRecord, of account: Account, name: String, key: MachineKey
  ) throws(StoreError) {
    let users = try store.users()
    let person = try users.folder(name, create: 0o700)
    try users.sync()
    // In this order a crash between leaves no pattern without its guesses.
    let fresh = ThrottleFile.bytes(OriginThrottles(), of: account, key: key)
    try person.replace(PatternFile.throttle.rawValue, with: fresh, mode: 0o600)
    try person.replace(
      PatternFile.record.rawValue, with: record.bytes(of: account, key: key), mode: 0o600)
  }

  /// Takes back what a first save that failed left.
  private func undo(_ account: Account, name: String, marker: Bool) {
    if !hasRecord(of: account), let person = try? store.users().folder(name) {
      _ = try? person.remove(PatternFile.throttle.rawValue)
    }
    if marker { try? store.settle(owner: account, name: name) }
  }

  /// Removes a pattern, also one that cannot be used; says whether there was one.
  func delete(of account: Account) throws(PatternFault) -> Bool {
    guard let name = RecordName.folder(of: account.name) else { return false }
    return try failing { () throws(StoreError) in
      var had = false
      if let person = try store.users().folder(name) {
        had = try person.remove(PatternFile.record.rawValue)
        // The pattern goes first: nobody may find it without its guesses.
        if had { try person.sync() }
        if try person.remove(PatternFile.throttle.rawValue) { try person.sync() }
      }
      try store.settle(owner: account, name: name)
      return had
    }
  }

  private func contents(_ file: PatternFile, of account: Account, limit: Int) throws(PatternFault)
    -> [UInt8]?
  {
    guard let name = RecordName.folder(of: account.name) else { return nil }
    return try failing { () throws(StoreError) in
      guard let person = try store.users().folder(name) else { return nil }
      return person.contents(of: file.rawValue, limit: limit)
    }
  }

  private func path(_ file: PatternFile, of account: Account) -> String {
    "users/\(RecordName.folder(of: account.name) ?? "?")/\(file.rawValue)"
  }

  func failing<Value>(_ body: () throws(StoreError) -> Value) throws(PatternFault) -> Value {
    do throws(StoreError) { return try body() } catch { throw .store(error) }
  }
}
