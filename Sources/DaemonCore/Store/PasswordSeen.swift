// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Records

extension Store {
  /// The file `users/NAME/password.seen` (0600) of somebody who has a print or a pattern:
  /// when they last gave their password. One line: version 1, uid, seconds since 1970,
  /// milliseconds since the machine's start, and the 32 hexadecimal digits of that start's id.
  static let passwordSeen = "password.seen"

  /// Notes that a person's password was given; nothing for whom nothing is kept.
  func notePassword(of account: Account, at moment: Moment) throws(StoreError) {
    guard let name = RecordName.folder(of: account.name), let person = try users().folder(name) else {
      return
    }
    let boot = moment.boot.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    let line = "1 \(account.uid) \(max(time(nil), 0)) \(moment.milliseconds) \(boot)\n"
    try person.replace(Store.passwordSeen, with: Array(line.utf8), mode: 0o600)
  }
}
