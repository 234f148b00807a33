// SPDX-License-Identifier: Apache-2.0

internal import CPAM

/// What the program says, as its exit status. A crash or a signal is no answer.
enum Answer: Int32 {
  /// The password is right.
  case right = 0
  /// It is not, or this person may not sign in.
  case wrong = 1
  /// The call was not understood.
  case usage = 2
  /// PAM could not tell.
  case cannotCheck = 3

  /// What `pam_authenticate` answered, `nil` for success.
  init?(authentication code: Int32) {
    switch code {
    case PAM_SUCCESS: return nil
    case PAM_AUTH_ERR, PAM_USER_UNKNOWN, PAM_MAXTRIES, PAM_PERM_DENIED, PAM_ACCT_EXPIRED: self = .wrong
    default: self = .cannotCheck
    }
  }

  /// What `pam_acct_mgmt` answered after the password was right.
  ///
  /// A password that must be changed at the next sign-in is still the right one, and
  /// this is not a sign-in. An account that has ended or is shut may do nothing.
  init(account code: Int32) {
    switch code {
    case PAM_SUCCESS, PAM_NEW_AUTHTOK_REQD: self = .right
    case PAM_AUTH_ERR, PAM_USER_UNKNOWN, PAM_PERM_DENIED, PAM_ACCT_EXPIRED: self = .wrong
    default: self = .cannotCheck
    }
  }
}
