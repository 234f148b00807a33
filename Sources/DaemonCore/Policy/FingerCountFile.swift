// SPDX-License-Identifier: Apache-2.0

internal import Records
internal import System
internal import Throttle

/// The file `users/NAME/finger.count` (0600): how often in a row a person's finger was not
/// recognised. Magic "TTFC", version 1, uid (4), the counts' 12 bytes, and the keyed hash
/// (32) of all this and the login name. Without a file nothing was counted.
enum FingerCountFile {
  static let name = "finger.count"
  static let header: [UInt8] = Array("TTFC".utf8) + [1]
  static let size = 5 + 4 + FingerCounts.size + MachineKey.codeSize

  static func bytes(_ counts: FingerCounts, of owner: Account, key: MachineKey) -> [UInt8] {
    let bytes = header + bigEndian(owner.uid) + counts.bytes
    return bytes + key.code(.count, of: bytes + owner.nameBytes)
  }

  /// `nil` for anything that is not as this daemon wrote it for this person.
  static func counts(_ bytes: [UInt8], of owner: Account, key: MachineKey) -> FingerCounts? {
    guard bytes.count == size, bytes.starts(with: header + bigEndian(owner.uid)) else { return nil }
    let code = key.code(.count, of: bytes.dropLast(MachineKey.codeSize) + owner.nameBytes)
    guard MachineKey.isSame(Array(bytes.suffix(MachineKey.codeSize)), code) else { return nil }
    return FingerCounts(bytes: Array(bytes[9..<(9 + FingerCounts.size)]))
  }
}

/// Keeps the counts of mismatches.
///
/// What cannot be written is remembered, tried again at each look, and counts meanwhile;
/// the daemon does not end before. Belongs to the main loop.
final class FingerCounter {
  private let store: Store
  private let keys: PatternStore
  private let problem: (String) -> Void
  /// What should be on the disk, by uid.
  private var unwritten: [UInt32: (account: Account, counts: FingerCounts)] = [:]

  init(_ store: Store, problem: @escaping (String) -> Void) {
    self.store = store
    keys = PatternStore(store)
    self.problem = problem
  }

  /// Whether everything is on the disk.
  var isSettled: Bool { unwritten.isEmpty }

  /// A person's counts; `nil` when their record is damaged.
  func counts(of account: Account) -> FingerCounts? {
    if let pending = unwritten[account.uid] { return pending.counts }
    guard let name = RecordName.folder(of: account.name) else { return FingerCounts() }
    do throws(StoreError) {
      guard let person = try store.users().folder(name), person.has(FingerCountFile.name) else {
        return FingerCounts()
      }
      guard let key = try? keys.key(),
        let bytes = person.contents(of: FingerCountFile.name, limit: FingerCountFile.size)
      else { return nil }
      return FingerCountFile.counts(bytes, of: account, key: key)
    } catch {
      return nil
    }
  }

  /// Whether a person's counts can be kept: nothing of theirs waits for a disk.
  func isKept(_ account: Account) -> Bool {
    guard let pending = unwritten[account.uid] else { return true }
    return keep(pending.counts, of: account)
  }

  /// Counts a mismatch; when this returns it is on the disk or remembered. Answers the
  /// counts, `nil` when the record is damaged.
  func add(_ origin: Origin, of account: Account) -> FingerCounts? {
    guard var counts = counts(of: account) else { return nil }
    counts.add(origin)
    keep(counts, of: account)
    return counts
  }

  /// Forgets mismatches, those of one origin or all. A damaged record stays as it is.
  func clear(_ origin: Origin? = nil, of account: Account) {
    guard var counts = counts(of: account) else { return }
    let before = counts
    if let origin { counts.clear(origin) } else { counts.clear() }
    if counts != before { keep(counts, of: account) }
  }

  /// Forgets all, also what is damaged; `false` when that cannot be written.
  func reset(_ account: Account) -> Bool {
    if let counts = counts(of: account), counts.isClear { return isKept(account) }
    return keep(FingerCounts(), of: account)
  }

  @discardableResult
  private func keep(_ counts: FingerCounts, of account: Account) -> Bool {
    do throws(PatternFault) {
      try write(counts, of: account)
      unwritten[account.uid] = nil
      return true
    } catch {
      unwritten[account.uid] = (account, counts)
      problem("the mismatches of uid \(account.uid) cannot be written: \(error)")
      return false
    }
  }

  private func write(_ counts: FingerCounts, of account: Account) throws(PatternFault) {
    guard let name = RecordName.folder(of: account.name) else { return }
    // For whom nothing is kept, nothing counts.
    let isKnown = try keys.failing { () throws(StoreError) in try store.users().folder(name) != nil }
    guard isKnown else { return }
    let bytes = FingerCountFile.bytes(counts, of: account, key: try keys.keyForSetting())
    try keys.failing { () throws(StoreError) in
      try store.users().folder(name)?.replace(FingerCountFile.name, with: bytes, mode: 0o600)
    }
  }
}
