// SPDX-License-Identifier: Apache-2.0

/// A seeded stream of random numbers that is the same on every machine.
///
/// The generator is SplitMix64 (Steele, Lea and Flood, 2014). Everything built on it uses only the operations
/// IEEE 754 rounds exactly (+, -, *, / and square root), so equal seeds give equal images, bit for bit.
struct RandomSource {
  private var state: UInt64

  /// - Parameters:
  ///   - seed: names a family of streams, such as one finger.
  ///   - stream: names one stream of the family, such as one impression.
  init(seed: UInt64, stream: UInt64) {
    state = Self.scramble(Self.scramble(seed) ^ stream)
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.scramble(state)
  }

  /// Uniform in `low ..< high`.
  mutating func uniform(_ low: Double, _ high: Double) -> Double {
    low + (high - low) * Double(next() >> 11) * 0x1p-53
  }

  /// Bell-shaped with mean 0 and variance 1: the sum of four uniform 16-bit numbers (Irwin-Hall), which is as
  /// good as a normal deviate for noise that is blurred afterwards.
  mutating func bell() -> Double {
    let bits = next()
    let sum = (bits & 0xFFFF) + (bits >> 16 & 0xFFFF) + (bits >> 32 & 0xFFFF) + (bits >> 48)
    return (Double(sum) - 131_070) / 37_837.2
  }

  /// The finaliser of SplitMix64: a bijection in which every input bit reaches every output bit.
  private static func scramble(_ value: UInt64) -> UInt64 {
    var mixed = value
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
