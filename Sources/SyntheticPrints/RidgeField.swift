// SPDX-License-Identifier: Apache-2.0

/// The ridges of one finger as a wave: its phase at every point of the skin.
///
/// The phase has two parts, both kept at the nodes of a coarse grid and interpolated in between. `flow` is
/// smooth and makes parallel ridges. The other is one spiral (±the angle around the point) for each
/// minutia: walking around it adds one whole ridge, so a ridge ends or forks there and nowhere else.
/// Spirals are kept as vectors, whose interpolation passes through zero at the minutia and has no seam.
struct RidgeField: Sendable {
  /// Distance of the nodes, in pixels.
  private static let step = 4.0
  private static let columns = Int(Finger.width / step) + 1
  private static let rows = Int(Finger.height / step) + 1

  private var flow: [Double] = []
  private var spiralX: [Double] = []
  private var spiralY: [Double] = []

  init(pattern: RidgePattern, minutiae: [Minutia], using random: inout RandomSource) {
    let curve = CoreCurve(pattern, using: &random)
    let warpX = Self.noise(spacing: 61, amplitude: random.uniform(6, 11), using: &random)
    let warpY = Self.noise(spacing: 61, amplitude: random.uniform(6, 11), using: &random)
    let wobble = Self.noise(spacing: 49, amplitude: 0.55, using: &random)
    let period = random.uniform(8.3, 9.6)
    let start = random.uniform(0, 1)
    for node in 0..<Self.rows * Self.columns {
      let x = Double(node % Self.columns) * Self.step
      let y = Double(node / Self.columns) * Self.step
      let distance = curve.distance(x: x + warpX[node], y: y + warpY[node])
      flow.append(start + distance / period + wobble[node])
      let spiral = Self.spiral(x: x, y: y, around: minutiae)
      spiralX.append(spiral.x)
      spiralY.append(spiral.y)
    }
  }

  /// Height of the skin at a point: 1 on a ridge, -1 in a valley. The point must lie on the finger.
  func height(x: Double, y: Double) -> Double {
    let column = min(Self.columns - 2, Int(x / Self.step))
    let row = min(Self.rows - 2, Int(y / Self.step))
    let right = x / Self.step - Double(column)
    let below = y / Self.step - Double(row)
    let node = row * Self.columns + column
    let turns = Self.blend(flow, node, right, below)
    let spiralX = Self.blend(spiralX, node, right, below)
    let spiralY = Self.blend(spiralY, node, right, below)
    let length = (spiralX * spiralX + spiralY * spiralY + 1e-12).squareRoot()
    return (cosine(turns: turns) * spiralX - sine(turns: turns) * spiralY) / length
  }

  private static func noise(
    spacing: Double, amplitude: Double, using random: inout RandomSource
  ) -> [Double] {
    smoothNoise(width: columns, height: rows, spacing: spacing / step, using: &random)
      .map { amplitude * $0 }
  }

  /// The sum of all spirals' angles, as a unit vector: the product of the complex numbers pointing at the
  /// point.
  private static func spiral(x: Double, y: Double, around minutiae: [Minutia]) -> (x: Double, y: Double) {
    var real = 1.0
    var imaginary = 0.0
    for minutia in minutiae {
      // The factor keeps the product of a hundred offsets within the range of a Double.
      let offX = (x - minutia.x) / 128
      let offY = (minutia.addsRidge ? y - minutia.y : minutia.y - y) / 128
      let turned = real * offX - imaginary * offY
      imaginary = real * offY + imaginary * offX
      real = turned
    }
    let length = (real * real + imaginary * imaginary).squareRoot()
    return length > 0 ? (real / length, imaginary / length) : (0, 0)
  }

  private static func blend(_ values: [Double], _ node: Int, _ right: Double, _ below: Double) -> Double {
    let upper = values[node] + right * (values[node + 1] - values[node])
    let next = node + columns
    let lower = values[next] + right * (values[next + 1] - values[next])
    return upper + below * (lower - upper)
  }
}
