// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import SyntheticPrints

/// The 64-bit FNV-1a hash.
private func checksum(_ bytes: [UInt8]) -> UInt64 {
  bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
}

@Suite struct FingerTests {
  @Test func equalSeedsGiveEqualImages() {
    let first = Finger(seed: 11).impression(3, quality: .easy)
    #expect(Finger(seed: 11).impression(3, quality: .easy) == first)
  }

  @Test func imagesAreTheSameOnEveryMachine() {
    #expect(checksum(Finger(seed: 1).impression(1, quality: .easy).pixels) == 0xBAB6_4893_0185_BF6F)
    #expect(checksum(Finger(seed: 1).impression(1, quality: .mixed).pixels) == 0x77C3_30D3_C9B9_C07C)
  }

  @Test func seedImpressionAndQualityEachChangeTheImage() {
    let finger = Finger(seed: 11)
    let images = [
      finger.impression(1, quality: .easy), finger.impression(2, quality: .easy),
      finger.impression(1, quality: .mixed), Finger(seed: 12).impression(1, quality: .easy),
    ]
    #expect(Set(images.map { checksum($0.pixels) }).count == images.count)
  }

  @Test func noTwoOfManyFingersShareAMinutia() {
    let fingers = (0..<20).map { Finger(seed: $0) }
    let places = fingers.flatMap(\.minutiae).map { [$0.x, $0.y] }
    #expect(Set(places).count == places.count)
  }

  @Test(arguments: [0, 1, 77, UInt64.max]) func minutiaeAreManyApartAndBalanced(_ seed: UInt64) {
    let minutiae = Finger(seed: seed).minutiae
    #expect(minutiae.count >= 80)
    let adding = minutiae.count(where: \.addsRidge)
    #expect(abs(2 * adding - minutiae.count) <= 1)
    for (index, one) in minutiae.enumerated() {
      for other in minutiae[(index + 1)...] {
        let (offX, offY) = (one.x - other.x, one.y - other.y)
        #expect(offX * offX + offY * offY >= 169)
      }
    }
  }

  @Test func everyPatternOccurs() {
    let patterns = Set((0..<60).map { Finger(seed: $0).pattern })
    #expect(patterns == Set(RidgePattern.allCases))
  }

  @Test func aMinutiaTurnsRidgesIntoValleysOnOneSideOnly() {
    var random = RandomSource(seed: 5, stream: 5)
    let minutia = Minutia(x: 162, y: 190, addsRidge: true)
    let plain = RidgeField(pattern: .arch, minutiae: [], using: &random)
    random = RandomSource(seed: 5, stream: 5)
    let forked = RidgeField(pattern: .arch, minutiae: [minutia], using: &random)
    // The spiral's angle is 0 on the ray towards larger x and half a turn on the opposite one.
    #expect(abs(plain.height(x: 202, y: 190) - forked.height(x: 202, y: 190)) < 0.05)
    #expect(abs(plain.height(x: 122, y: 190) + forked.height(x: 122, y: 190)) < 0.05)
  }
}
