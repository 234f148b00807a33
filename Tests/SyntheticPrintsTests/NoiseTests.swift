// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import SyntheticPrints

/// Mean and variance.
private func moments(_ values: [Double]) -> (mean: Double, variance: Double) {
  let mean = values.reduce(0, +) / Double(values.count)
  return (mean, values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count))
}

@Suite struct NoiseTests {
  @Test func streamsOfOneSeedDiffer() {
    var random = (0..<100).map { RandomSource(seed: 1, stream: $0) }
    let firsts = random.indices.map { random[$0].next() }
    #expect(Set(firsts).count == firsts.count)
  }

  @Test func uniformNumbersFillTheirRange() {
    var random = RandomSource(seed: 1, stream: 1)
    let values = (0..<20_000).map { _ in random.uniform(-2, 6) }
    #expect(values.allSatisfy { $0 >= -2 && $0 < 6 })
    let (mean, variance) = moments(values)
    #expect(abs(mean - 2) < 0.1)
    #expect(abs(variance - 64.0 / 12) < 0.1)
  }

  @Test func bellHasUnitVariance() {
    var random = RandomSource(seed: 1, stream: 2)
    let (mean, variance) = moments((0..<20_000).map { _ in random.bell() })
    #expect(abs(mean) < 0.03)
    #expect(abs(variance - 1) < 0.04)
  }

  @Test(arguments: [1.0, 1.1, 2.45, 8]) func smoothNoiseHasUnitVariance(_ spacing: Double) {
    var random = RandomSource(seed: 1, stream: 3)
    let noise = smoothNoise(width: 400, height: 300, spacing: spacing, using: &random)
    #expect(noise.count == 400 * 300)
    let (mean, variance) = moments(noise)
    #expect(abs(mean) < 0.1)
    #expect(abs(variance - 1) < 0.15)
  }

  @Test func smoothNoiseHasNoSeams() {
    var random = RandomSource(seed: 1, stream: 4)
    let noise = smoothNoise(width: 200, height: 200, spacing: 20, using: &random)
    for pixel in 0..<199 * 200 where pixel % 200 < 199 {
      #expect(abs(noise[pixel + 1] - noise[pixel]) < 0.3)
      #expect(abs(noise[pixel + 200] - noise[pixel]) < 0.3)
    }
  }

  @Test func sineIsCloseToTheRealOne() {
    for step in -200...200 {
      let turns = Double(step) / 73
      #expect(abs(sine(turns: turns) - sin(2 * .pi * turns)) < 0.002)
      #expect(abs(cosine(turns: turns) - cos(2 * .pi * turns)) < 0.002)
    }
  }

  @Test func softClipRisesFromMinusOneToOne() {
    let values = stride(from: -4.0, through: 4, by: 0.125).map { softClip($0) }
    #expect(values.first == -1)
    #expect(values.last == 1)
    #expect(zip(values, values.dropFirst()).allSatisfy { $0 <= $1 })
  }
}
