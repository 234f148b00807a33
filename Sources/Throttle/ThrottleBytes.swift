// SPDX-License-Identifier: Apache-2.0

extension GuessThrottle {
  /// How many bytes ``bytes`` has.
  public static let size = 28

  /// The value for a file: failures (4), last (8), boot (16, zeros before the first
  /// guess); numbers big-endian. Whoever keeps it adds what tells damage.
  public var bytes: [UInt8] {
    var bytes: [UInt8] = []
    for shift in stride(from: UInt32(24), through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: failures >> shift))
    }
    for shift in stride(from: UInt64(56), through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: last >> shift))
    }
    return bytes + (boot.count == 16 ? boot : [UInt8](repeating: 0, count: 16))
  }

  /// Reads such bytes; `nil` for what none of these values has.
  public init?(bytes: [UInt8]) {
    guard bytes.count == GuessThrottle.size else { return nil }
    let failures = bytes[..<4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    let last = bytes[4..<12].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard failures <= GuessThrottle.limit else { return nil }
    let boot = Array(bytes[12...])
    self.init(failures: failures, last: last, boot: boot.contains { $0 != 0 } ? boot : [])
  }
}
