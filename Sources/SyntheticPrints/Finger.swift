// SPDX-License-Identifier: Apache-2.0

/// A point where a ridge ends or forks, in pixels of the finger at 500 dpi.
public struct Minutia: Equatable, Sendable {
  /// Distance from the left edge.
  public let x: Double
  /// Distance from the top edge.
  public let y: Double
  /// Whether a walk around the point, from x towards y, gains one ridge or loses one.
  let addsRidge: Bool
}

/// A synthetic finger: an invented ridge pattern that belongs to nobody.
///
/// Fingers of different seeds share nothing but statistics. They serve tests and demonstrations; error rates
/// measured with them say nothing about real fingers.
public struct Finger: Sendable {
  /// Size of the skin, in pixels at 500 dpi.
  static let width = 320.0
  static let height = 384.0

  /// The number that names the finger.
  public let seed: UInt64
  /// The course of its ridges at large.
  public let pattern: RidgePattern
  /// Every minutia of the finger; an impression shows those that touch the sensor.
  public let minutiae: [Minutia]
  let ridges: RidgeField

  /// Grows the finger named by `seed`; equal seeds give equal fingers on every machine.
  public init(seed: UInt64) {
    var random = RandomSource(seed: seed, stream: 0x5249_4447_4553)
    self.seed = seed
    pattern = Self.pattern(using: &random)
    minutiae = Self.scatter(using: &random)
    ridges = RidgeField(pattern: pattern, minutiae: minutiae, using: &random)
  }

  /// Draws a pattern about as often as it occurs on hands: loops 66 %, whorls 26 %, arches 8 %.
  private static func pattern(using random: inout RandomSource) -> RidgePattern {
    switch random.uniform(0, 1) {
    case ..<0.33: .leftLoop
    case ..<0.66: .rightLoop
    case ..<0.92: .whorl
    default: .arch
    }
  }

  /// Places minutiae at random, no two closer than 13 pixels. Their senses alternate: equal numbers of both
  /// keep the ridges from winding up as a whole.
  private static func scatter(using random: inout RandomSource) -> [Minutia] {
    let wanted = Int(width * height / 1250)
    var found: [Minutia] = []
    for _ in 0..<4000 where found.count < wanted {
      let x = random.uniform(0, width)
      let y = random.uniform(0, height)
      let isCrowded = found.contains { other in
        (x - other.x) * (x - other.x) + (y - other.y) * (y - other.y) < 169
      }
      if !isCrowded { found.append(Minutia(x: x, y: y, addsRidge: found.count % 2 == 0)) }
    }
    return found
  }
}
