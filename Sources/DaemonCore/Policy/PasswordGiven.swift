// SPDX-License-Identifier: Apache-2.0

internal import System
internal import ThumbturnProtocol

extension Services {
  /// Learns that somebody gave their own password, as `thumbturn-pwcheck` found; nothing
  /// else teaches this. It ends a lockdown and unlocks the finger. A locked pattern stays
  /// locked: who knows the password needs none.
  func passwordGiven(of account: Account) {
    guard let moment = Moment.now() else {
      return log.problem("the kernel does not name this start: a password that was given is not remembered")
    }
    do throws(StoreError) {
      try store.passwordGiven(of: account, at: moment)
    } catch {
      log.problem("\(error)")
    }
    counter.clear(of: account)
  }
}
