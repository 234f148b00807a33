// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import SyntheticPrints

@Suite struct ImpressionTests {
  /// Fraction of the pixels darker than half-way between ridge and ground.
  private func ink(_ image: GreyImage) -> Double {
    Double(image.pixels.count { $0 < 128 }) / Double(image.pixels.count)
  }

  @Test(arguments: Quality.allCases) func sizeIsThatOfTheReader(_ quality: Quality) {
    let image = Finger(seed: 3).impression(1, quality: quality)
    #expect(image.width == 260)
    #expect(image.height == 300)
    #expect(image.pixels.count == 260 * 300)
  }

  @Test(arguments: 0..<12) func easyTouchesCoverTheMiddleAndLeaveTheCorners(_ seed: UInt64) {
    let image = Finger(seed: seed).impression(1, quality: .easy)
    #expect((0.15...0.6).contains(ink(image)))
    let middle = (110..<190).flatMap { row in image.pixels[row * 260 + 90..<row * 260 + 170] }
    let dark = Double(middle.count { $0 < 128 }) / Double(middle.count)
    #expect((0.25...0.75).contains(dark))
    let corners = [0, 259, 299 * 260, 299 * 260 + 259].map { image.pixels[$0] }
    #expect(corners.allSatisfy { $0 > 150 })
  }

  @Test func mixedTouchesLeaveLessInkOnTheWhole() {
    let finger = Finger(seed: 9)
    let easy = (1...8).map { ink(finger.impression($0, quality: .easy)) }.reduce(0, +)
    let mixed = (1...8).map { ink(finger.impression($0, quality: .mixed)) }.reduce(0, +)
    #expect(mixed < easy)
  }

  @Test func extremeNumbersNameTouchesToo() {
    let finger = Finger(seed: .max)
    #expect(finger.impression(.min, quality: .mixed) != finger.impression(.max, quality: .mixed))
  }

  @Test func pgmAndScanHoldTheSamePixels() {
    let image = GreyImage(width: 3, height: 2, pixels: [1, 2, 3, 4, 5, 255])
    #expect(image.pgm == Array("P5\n3 2\n255\n".utf8) + image.pixels)
    var words: [UInt8] = []
    for number in [Int32(3), 2] {
      let value = number.littleEndian == number ? number : number.byteSwapped
      let bytes = (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
      words += bytes
    }
    #expect(image.scan == words + image.pixels)
  }
}
