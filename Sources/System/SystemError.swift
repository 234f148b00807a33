// SPDX-License-Identifier: Apache-2.0

internal import CSystem

/// A failed call of the C library: which one, and its `errno`.
public struct SystemError: Error, Equatable, Sendable {
  /// The call's name, `open`.
  public let call: StaticString
  /// The `errno` it left.
  public let code: Int32

  /// Records a failure with a known reason.
  public init(_ call: StaticString, code: Int32) {
    self.call = call
    self.code = code
  }

  /// Records a failure that `errno` tells of.
  public init(_ call: StaticString) {
    self.init(call, code: csystem_errno())
  }

  /// Equal when call and code are.
  public static func == (left: SystemError, right: SystemError) -> Bool {
    left.code == right.code && left.call.description == right.call.description
  }
}

extension SystemError: CustomStringConvertible {
  /// `open: No such file or directory`
  public var description: String {
    // SAFETY: strerror answers a NUL-terminated string that stays until the next call; it is copied at once.
    let reason = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    return "\(call): \(reason)"
  }
}

/// Runs a call that answers -1 with `errno`, again while it says `EINTR`.
@discardableResult
public func check<Number: FixedWidthInteger & SignedInteger>(
  _ call: StaticString, _ body: () -> Number
) throws(SystemError) -> Number {
  while true {
    let result = body()
    if result >= 0 { return result }
    if csystem_errno() != EINTR { throw SystemError(call) }
  }
}
