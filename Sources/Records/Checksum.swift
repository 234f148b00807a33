// SPDX-License-Identifier: Apache-2.0

/// CRC-32 as Ethernet, gzip and PNG use it (reflected polynomial 0xEDB88320,
/// start and end inverted; "123456789" gives 0xCBF43926).
///
/// It finds every change of up to 32 bits in a row, so every changed byte, and
/// other damage but for one case in 2³². It is **no authentication**: whoever can
/// write a record can compute it. The folder's permissions keep writers out.
struct Checksum {
  private var state: UInt32 = 0xFFFF_FFFF

  /// The checksum of what was added.
  var value: UInt32 { ~state }

  mutating func add(_ byte: UInt8) {
    state ^= UInt32(byte)
    for _ in 0..<8 { state = (state >> 1) ^ (0xEDB8_8320 & (0 &- (state & 1))) }
  }

  mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { add(byte) }
  }
}
