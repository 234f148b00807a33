// SPDX-License-Identifier: Apache-2.0

/// The four weights of a uniform cubic B-spline at each of a row of evenly spaced positions.
private struct SplineTaps {
  private(set) var first: [Int] = []
  private(set) var weights: [SIMD4<Double>] = []

  /// - Parameters:
  ///   - count: number of positions, one unit apart.
  ///   - spacing: distance between knots, in the same unit.
  init(count: Int, spacing: Double) {
    for position in 0..<count {
      let knots = Double(position) / spacing
      let whole = knots.rounded(.down)
      first.append(Int(whole))
      weights.append(Self.weights(at: knots - whole))
    }
  }

  /// Number of coefficients that reach any of the positions.
  var knotCount: Int { (first.last ?? 0) + 4 }

  private static func weights(at fraction: Double) -> SIMD4<Double> {
    let rest = 1 - fraction
    let square = fraction * fraction
    let cube = square * fraction
    let outer = rest * rest * rest / 6
    let inner = (4 - 6 * square + 3 * cube) / 6
    return SIMD4(outer, inner, 1 - outer - inner - cube / 6, cube / 6)
  }
}

/// A smooth random surface of mean 0 and variance 1, row by row.
///
/// White noise serves as the coefficients of a cubic B-spline: the result has two continuous derivatives,
/// and its covariance is close to that of Gaussian noise blurred with a standard deviation of 0.58
/// `spacing`.
/// - Parameter spacing: distance between knots, in samples; 1 or more.
func smoothNoise(
  width: Int, height: Int, spacing: Double, using random: inout RandomSource
) -> [Double] {
  let across = SplineTaps(count: width, spacing: spacing)
  let down = SplineTaps(count: height, spacing: spacing)
  // 151/315 is the integral of the squared spline, once for each direction.
  let gain = 315.0 / 151.0
  var lattice: [Double] = []
  lattice.reserveCapacity(across.knotCount * down.knotCount)
  for _ in 0..<across.knotCount * down.knotCount { lattice.append(gain * random.bell()) }
  return stretchDown(stretchAcross(lattice, across), width: width, down)
}

/// Evaluates the splines along each row of knots.
private func stretchAcross(_ lattice: [Double], _ taps: SplineTaps) -> [Double] {
  var result: [Double] = []
  result.reserveCapacity(lattice.count / taps.knotCount * taps.first.count)
  for row in stride(from: 0, to: lattice.count, by: taps.knotCount) {
    for column in 0..<taps.first.count {
      let knot = row + taps.first[column]
      let weight = taps.weights[column]
      result.append(
        weight.x * lattice[knot] + weight.y * lattice[knot + 1]
          + weight.z * lattice[knot + 2] + weight.w * lattice[knot + 3])
    }
  }
  return result
}

/// Evaluates the splines along each column of knots.
private func stretchDown(_ rows: [Double], width: Int, _ taps: SplineTaps) -> [Double] {
  var result: [Double] = []
  result.reserveCapacity(width * taps.first.count)
  for row in 0..<taps.first.count {
    let start = taps.first[row] * width
    let weight = taps.weights[row]
    for knot in start..<start + width {
      result.append(
        weight.x * rows[knot] + weight.y * rows[knot + width]
          + weight.z * rows[knot + 2 * width] + weight.w * rows[knot + 3 * width])
    }
  }
  return result
}
