// SPDX-License-Identifier: Apache-2.0

internal import CPAM
internal import Glibc
internal import System

/// Answers PAM: the first hidden prompt with the secret, every other prompt with a
/// failure, notes with nothing.
final class Conversation {
  private let secret: Secret
  private let count: Int
  /// Whether the secret was asked for. An account without a password lets everybody
  /// in unasked, which says nothing about a password.
  private(set) var wasAsked = false

  init(secret: consuming Secret, count: Int) {
    self.secret = secret
    self.count = count
  }

  /// What PAM calls. Valid as long as the conversation.
  var functions: pam_conv {
    unsafe pam_conv(
      conv: { count, messages, responses, context in
        guard let context = unsafe context, let messages = unsafe messages, let responses = unsafe responses
        else { return PAM_CONV_ERR }
        // SAFETY: the context is the conversation named below, which its user keeps alive.
        let conversation = unsafe Unmanaged<Conversation>.fromOpaque(context).takeUnretainedValue()
        return unsafe conversation.answer(Int(count), messages, responses)
      }, appdata_ptr: Unmanaged.passUnretained(self).toOpaque())
  }

  /// PAM's contract: `count` messages, as many answers in memory of `calloc`, which
  /// PAM frees; no memory is left behind on a failure.
  private func answer(
    _ count: Int, _ messages: UnsafeMutablePointer<UnsafePointer<pam_message>?>,
    _ responses: UnsafeMutablePointer<UnsafeMutablePointer<pam_response>?>
  ) -> Int32 {
    guard count > 0, count <= Int(PAM_MAX_NUM_MSG),
      let memory = unsafe calloc(count, MemoryLayout<pam_response>.stride)
    else { return PAM_CONV_ERR }
    let answers = unsafe memory.bindMemory(to: pam_response.self, capacity: count)
    for index in 0..<count {
      // SAFETY: PAM's messages and our answers are as many as `count` says.
      guard let message = unsafe messages[index], unsafe reply(to: message.pointee, in: &answers[index])
      else {
        unsafe discard(answers, count)
        return PAM_CONV_ERR
      }
    }
    unsafe responses.pointee = unsafe answers
    return PAM_SUCCESS
  }

  /// Answers one message; `false` for a prompt that gets no answer.
  private func reply(to message: pam_message, in response: inout pam_response) -> Bool {
    switch unsafe message.msg_style {
    case PAM_TEXT_INFO, PAM_ERROR_MSG: return true
    case PAM_PROMPT_ECHO_OFF where !wasAsked:
      wasAsked = true
      unsafe response.resp = unsafe copy()
      return unsafe response.resp != nil
    default: return false
    }
  }

  /// The secret with a NUL, in memory that PAM frees.
  private func copy() -> UnsafeMutablePointer<CChar>? {
    guard let memory = unsafe calloc(count + 1, 1) else { return nil }
    let characters = unsafe memory.bindMemory(to: CChar.self, capacity: count + 1)
    secret.withBytes { bytes in
      // SAFETY: as many as were allocated; the last one stays 0.
      for index in 0..<count { unsafe characters[index] = CChar(bitPattern: bytes[index]) }
    }
    return unsafe characters
  }

  /// Wipes and frees answers that PAM does not get.
  private func discard(_ answers: UnsafeMutablePointer<pam_response>, _ count: Int) {
    for index in 0..<count {
      guard let text = unsafe answers[index].resp else { continue }
      unsafe explicit_bzero(text, self.count)
      unsafe free(text)
    }
    unsafe free(answers)
  }
}
