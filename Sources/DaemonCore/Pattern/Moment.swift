// SPDX-License-Identifier: Apache-2.0

internal import CSystem
internal import System

/// A time that nobody can set: since the machine's start, and which start that is.
struct Moment: Equatable, Sendable {
  /// Milliseconds since the start, time asleep included.
  var milliseconds: UInt64
  /// The start's id, 16 bytes.
  var boot: [UInt8]

  /// The time now; `nil` when the kernel does not name this start.
  static func now() -> Moment? {
    // SAFETY: the path is a literal.
    let raw = unsafe csystem_open("/proc/sys/kernel/random/boot_id", O_RDONLY, 0)
    guard let file = try? OwnedDescriptor(adopting: raw, from: "open"),
      let text = FileBytes.read(file.number, limit: 64), let boot = identifier(text)
    else { return nil }
    return Moment(milliseconds: UInt64(clamping: csystem_milliseconds()), boot: boot)
  }

  /// The bytes of a UUID as it is written.
  static func identifier(_ text: [UInt8]) -> [UInt8]? {
    let digits = text.compactMap { Character(UnicodeScalar($0)).hexDigitValue }.map { UInt8($0) }
    guard digits.count == 32 else { return nil }
    return stride(from: 0, to: 32, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}
