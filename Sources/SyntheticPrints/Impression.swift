// SPDX-License-Identifier: Apache-2.0

extension Finger {
  /// The image of one touch of this finger, 260 by 300 pixels.
  ///
  /// - Parameters:
  ///   - number: names the touch; equal numbers give equal images, different ones differ as touches do.
  ///   - quality: how carefully the finger is put on.
  public func impression(_ number: Int, quality: Quality) -> GreyImage {
    var random = RandomSource(seed: seed, stream: UInt64(bitPattern: Int64(number)))
    let imprint = Imprint(of: ridges, quality: quality, using: &random)
    var pixels: [UInt8] = []
    pixels.reserveCapacity(Imprint.width * Imprint.height)
    for pixel in 0..<Imprint.width * Imprint.height {
      let grey = imprint.grey(at: pixel) + 2 * random.bell()
      pixels.append(UInt8(min(255, max(0, grey))))
    }
    return GreyImage(width: Imprint.width, height: Imprint.height, pixels: pixels)
  }
}

/// One touch, drawn pixel by pixel out of the ridges and several smooth random surfaces.
private struct Imprint {
  static let width = 260
  static let height = 300

  private let ridges: RidgeField
  private let touch: Touch
  private let stretchX: [Double]
  private let stretchY: [Double]
  private let cracks: [Double]
  private let crackiness: [Double]
  private let moisture: [Double]
  private let grain: [Double]
  private let outline: [Double]

  init(of ridges: RidgeField, quality: Quality, using random: inout RandomSource) {
    self.ridges = ridges
    touch = Touch(quality, using: &random)
    stretchX = Self.noise(67, using: &random)
    stretchY = Self.noise(67, using: &random)
    cracks = Self.noise(2.45, using: &random)
    crackiness = Self.noise(37, using: &random)
    moisture = Self.noise(49, using: &random)
    grain = Self.noise(1.1, using: &random)
    outline = Self.noise(31, using: &random)
  }

  private static func noise(_ spacing: Double, using random: inout RandomSource) -> [Double] {
    smoothNoise(width: width, height: height, spacing: spacing, using: &random)
  }

  /// Brightness before the sensor's last noise; may exceed 0 ... 255 a little.
  func grey(at pixel: Int) -> Double {
    let x = Double(pixel % Self.width - Self.width / 2)
    let y = Double(pixel / Self.width - Self.height / 2)
    let skinX =
      0.5 * Finger.width + touch.shiftX + touch.cosine * x - touch.sine * y + touch.stretch * stretchX[pixel]
    let skinY =
      0.47 * Finger.height + touch.shiftY + touch.sine * x + touch.cosine * y + touch.stretch
      * stretchY[pixel]
    let margin = min(min(skinX, Finger.width - skinX), min(skinY, Finger.height - skinY))
    guard margin > 0 else { return 235 }
    let contact = min(1, margin / 12) * contact(x, y, pixel)
    return 235 - contact * (88 + 70 * ink(ridges.height(x: skinX, y: skinY), pixel))
  }

  /// How firmly the skin rests on the sensor: 1 inside an uneven ellipse, 0 outside, with a soft rim.
  private func contact(_ x: Double, _ y: Double, _ pixel: Int) -> Double {
    let acrossPart = x / (touch.reach * Double(Self.width))
    let downPart = y / (touch.reach * Double(Self.height))
    let radius = acrossPart * acrossPart + downPart * downPart + 0.12 * outline[pixel]
    return 0.5 - 0.5 * softClip(6 * (radius - 1))
  }

  /// Darkness under the skin, about -1 to 1.
  private func ink(_ height: Double, _ pixel: Int) -> Double {
    let breaks = touch.dryness * cracks[pixel] * (0.6 + 0.4 * crackiness[pixel])
    let level = softClip(1.5 * height) + touch.pressure + breaks + 0.15 * moisture[pixel]
    return softClip(2.2 * level) + touch.grain * grain[pixel]
  }
}
