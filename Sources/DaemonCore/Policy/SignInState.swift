// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Policy
internal import Records
internal import System
internal import ThumbturnProtocol

extension Store {
  /// The file `users/NAME/lockdown` (0600, empty): only the password counts until it was given.
  static let lockdown = "lockdown"

  /// When a person's password was last given; `nil` when that is not known.
  func passwordMemory(of account: Account) -> PasswordMemory? {
    guard let name = RecordName.folder(of: account.name), let person = try? users().folder(name),
      let bytes = person.contents(of: Store.passwordSeen, limit: 128)
    else { return nil }
    let line = String(decoding: bytes, as: UTF8.self)
    guard line.hasSuffix("\n") else { return nil }
    let fields = line.dropLast().split(separator: " ", omittingEmptySubsequences: false)
    guard fields.count == 5, fields[0] == "1", fields[1] == "\(account.uid)", let seconds = UInt64(fields[2]),
      let milliseconds = UInt64(fields[3]), fields[4].utf8.count == 32,
      let boot = Moment.identifier(Array(fields[4].utf8))
    else { return nil }
    return PasswordMemory(seconds: seconds, milliseconds: milliseconds, boot: boot)
  }

  /// Whether only a person's password counts.
  func isLockedDown(_ account: Account) -> Bool {
    guard let name = RecordName.folder(of: account.name), let person = try? users().folder(name) else {
      return false
    }
    return person.has(Store.lockdown)
  }

  /// Lets only the password of a person count; nothing for whom nothing is kept.
  func lockDown(_ account: Account) throws(StoreError) {
    guard let name = RecordName.folder(of: account.name), let person = try users().folder(name) else {
      return
    }
    try person.mark(Store.lockdown, mode: 0o600)
  }

  /// Does so for everybody, those first whom it works for; throws the last failure.
  func lockEverybodyDown() throws(StoreError) {
    let users = try users()
    var failure: StoreError?
    for name in try users.names() {
      do throws(StoreError) {
        try users.folder(name)?.mark(Store.lockdown, mode: 0o600)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }

  /// Notes that a person's password was given, and ends a lockdown; in this order, so that a
  /// crash between asks for it once more.
  func passwordGiven(of account: Account, at moment: Moment) throws(StoreError) {
    try notePassword(of: account, at: moment)
    guard let name = RecordName.folder(of: account.name), let person = try users().folder(name) else {
      return
    }
    if try person.remove(Store.lockdown) { try person.sync() }
  }
}

extension PasswordMemory {
  /// The time now; `nil` when the kernel does not name this start of the machine.
  static func now() -> PasswordMemory? {
    guard let moment = Moment.now() else { return nil }
    return PasswordMemory(
      seconds: UInt64(max(time(nil), 0)), milliseconds: moment.milliseconds, boot: moment.boot)
  }
}
