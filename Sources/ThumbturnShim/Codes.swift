// SPDX-License-Identifier: Apache-2.0

import CThumbturnShim

// What stands in tables: PAM codes and sentences. Any number may come in.

extension Refusal {
  /// The refusal with this code, `nil` when there is none.
  init?(code: CInt) {
    guard let raw = UInt8(exactly: code), let known = Refusal(rawValue: raw) else { return nil }
    self = known
  }
}

extension StaticString {
  /// The text for C. Literals end with a NUL and live as long as the module.
  var forC: UnsafePointer<CChar> {
    guard hasPointerRepresentation else { return unsafe shim_empty_text() }
    // SAFETY: `CChar` and `UInt8` have the same layout.
    return unsafe UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
  }
}

/// The PAM return value of a refusal; never success, never "ignore".
@c @implementation
public func thumbturn_pam_code(_ refusal: CInt) -> CInt {
  (Refusal(code: refusal)?.pamFailure ?? .systemError).rawValue
}

/// The same for a stack that asks the reader alone.
@c @implementation
public func thumbturn_pam_code_alone(_ refusal: CInt) -> CInt {
  (Refusal(code: refusal)?.pamFailureAlone ?? .systemError).rawValue
}

/// A sentence about a refusal, for a person or a log.
@c @implementation
public func thumbturn_refusal_message(_ refusal: CInt) -> UnsafePointer<CChar> {
  // SAFETY: see `forC`.
  unsafe (Refusal(code: refusal) ?? .malfunction).message.forC
}

/// Advice after an unusable scan.
@c @implementation
public func thumbturn_retry_message(_ retry_reason: CInt) -> UnsafePointer<CChar> {
  let reason = UInt8(exactly: retry_reason).flatMap { RetryReason(rawValue: $0) }
  // SAFETY: see `forC`.
  return unsafe (reason ?? .general).message.forC
}

/// A finger's name, `right-index`; empty for a number that is no finger's.
@c @implementation
public func thumbturn_finger_name(_ finger: CInt) -> UnsafePointer<CChar> {
  let known = UInt8(exactly: finger).flatMap { Finger(rawValue: $0) }
  // SAFETY: see `forC`.
  return unsafe (known?.name ?? "").forC
}
