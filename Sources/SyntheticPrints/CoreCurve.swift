// SPDX-License-Identifier: Apache-2.0

/// The three families of ridge flow, loops split by the side they open to.
public enum RidgePattern: CaseIterable, Sendable {
  case leftLoop, rightLoop, whorl, arch
}

/// The curve the ridges run around: they follow its lines of equal distance.
///
/// A loop surrounds a long ray that leaves the finger at its base, a whorl a short segment; an arch is a
/// raised horizontal line.
struct CoreCurve {
  private enum Shape {
    /// `height` and `width` of the rise, in pixels.
    case arch(height: Double, width: Double)
    /// A segment of `length` pixels along a unit vector; below the core it is bent by `bend`/pixel.
    case segment(alongX: Double, alongY: Double, length: Double, bend: Double, squash: Double)
  }

  private let x: Double
  private let y: Double
  private let shape: Shape

  init(_ pattern: RidgePattern, using random: inout RandomSource) {
    x = 0.5 * Finger.width + random.uniform(-20, 20)
    y = 0.45 * Finger.height + random.uniform(-25, 25)
    switch pattern {
    case .arch: shape = .arch(height: random.uniform(25, 75), width: random.uniform(45, 80))
    case .whorl:
      let turns = random.uniform(0, 0.5)
      shape = Self.segment(turns: turns, length: random.uniform(4, 45), bend: 0, using: &random)
    case .leftLoop, .rightLoop:
      let lean = random.uniform(0.024, 0.11)
      let turns = 0.25 + (pattern == .leftLoop ? lean : -lean)
      let bend = random.uniform(-0.0012, 0.0012)
      shape = Self.segment(turns: turns, length: 2000, bend: bend, using: &random)
    }
  }

  private static func segment(
    turns: Double, length: Double, bend: Double, using random: inout RandomSource
  ) -> Shape {
    .segment(
      alongX: cosine(turns: turns), alongY: sine(turns: turns), length: length, bend: bend,
      squash: random.uniform(0.85, 1.1))
  }

  /// Distance of a point from the curve, in pixels; negative above an arch.
  func distance(x pointX: Double, y pointY: Double) -> Double {
    let offX = pointX - x
    let offY = pointY - y
    switch shape {
    case .arch(let height, let width):
      return offY + height * bump(0.7 * offX / width) * bump(offY / 240)
    case .segment(let alongX, let alongY, let length, let bend, let squash):
      let bentX = offY > 0 ? offX + bend * offY * offY : offX
      let along = min(length, max(0, bentX * alongX + offY * alongY))
      let restX = bentX - along * alongX
      let restY = (offY - along * alongY) * squash
      // 9 square pixels round off the crease over the curve itself.
      return (restX * restX + restY * restY + 9).squareRoot()
    }
  }
}
