// SPDX-License-Identifier: Apache-2.0

internal import Pattern
internal import System

/// A pattern while it waits for its turn and its test, in memory that is wiped.
///
/// A value in a closure would stay behind in freed memory.
final class HeldPattern {
  private static let size = 8

  private let secret: Secret

  init(_ pattern: Pattern) {
    var secret = Secret(capacity: HeldPattern.size)
    unsafe secret.fill { buffer in
      for index in 0..<HeldPattern.size {
        unsafe buffer[index] = UInt8(truncatingIfNeeded: pattern.code >> (8 * index))
      }
    }
    self.secret = secret
  }

  /// Lends the pattern's code, 8 bytes, the lowest first.
  func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result { secret.withBytes(body) }
}
