// SPDX-License-Identifier: Apache-2.0

internal import CPAM
internal import Glibc
internal import System

/// The PAM service, a file of `/etc/pam.d`. It must not contain our own module.
private let service = "thumbturn-password"
/// Where Linux-PAM looks for a service's file.
private let serviceFolders = ["/etc/pam.d", "/usr/lib/pam.d"]
/// PAM_MAX_RESP_SIZE without the NUL.
private let maximumSecret = 511

/// Does what the command line says.
func checkPassword(_ arguments: [String]) -> Answer {
  guard arguments.count == 2, (1...255).contains(arguments[1].utf8.count) else { return .usage }
  forbidCoreDump()
  var secret = Secret(capacity: maximumSecret + 1)
  guard let count = readSecret(into: &secret) else { return .usage }
  // An account without a password has no password that could be right.
  guard count > 0 else { return .wrong }
  // Without its own file PAM would use the service "other", whose stack may be anything.
  guard serviceFolders.contains(where: { unsafe access("\($0)/\(service)", F_OK) == 0 }) else {
    return .cannotCheck
  }
  return ask(user: arguments[1], Conversation(secret: secret, count: count))
}

/// A core file would hold the password.
private func forbidCoreDump() {
  var none = rlimit(rlim_cur: 0, rlim_max: 0)
  // SAFETY: the structure is only read.
  _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
}

/// Reads descriptor 0 to its end; `nil` on an error, above 511 bytes, and for a NUL,
/// where PAM would end the password early. A line's end is part of the password.
private func readSecret(into secret: inout Secret) -> Int? {
  unsafe secret.fill { buffer in
    var count = 0
    while count < buffer.count {
      // SAFETY: the rest of the buffer is as long as is said.
      let got = unsafe read(0, buffer.baseAddress?.advanced(by: count), buffer.count - count)
      if got == 0 { break }
      if got > 0 { count += got } else if errno != EINTR { return nil }
    }
    guard count <= maximumSecret, unsafe !buffer.prefix(count).contains(0) else { return nil }
    return count
  }
}

/// Runs PAM once.
private func ask(user: String, _ conversation: Conversation) -> Answer {
  var handle: OpaquePointer?
  var functions = unsafe conversation.functions
  // SAFETY: PAM copies the strings and the structure; the conversation outlives pam_end.
  guard unsafe pam_start(service, user, &functions, &handle) == PAM_SUCCESS, let handle = unsafe handle else {
    return .cannotCheck
  }
  // SAFETY: the handle is used until pam_end and not after it.
  let flags = Int32(bitPattern: UInt32(PAM_SILENT) | UInt32(PAM_DISALLOW_NULL_AUTHTOK))
  var code = unsafe pam_authenticate(handle, flags)
  var answer = Answer(authentication: code)
  if answer == nil {
    answer = unsafe confirm(handle, user, conversation, flags, &code)
  }
  _ = unsafe pam_end(handle, code)
  return withExtendedLifetime(conversation) { answer ?? .cannotCheck }
}

/// What a success is worth: nothing if the secret was not asked for, or if the stack
/// turned to another user.
private func confirm(
  _ handle: OpaquePointer, _ user: String, _ conversation: Conversation, _ flags: Int32, _ code: inout Int32
) -> Answer {
  var item: UnsafeRawPointer?
  // SAFETY: PAM keeps the item, a string that ends with a NUL.
  guard conversation.wasAsked, unsafe pam_get_item(handle, PAM_USER, &item) == PAM_SUCCESS,
    let name = unsafe item, unsafe strcmp(name.assumingMemoryBound(to: CChar.self), user) == 0
  else { return .cannotCheck }
  code = unsafe pam_acct_mgmt(handle, flags)
  return Answer(account: code)
}
