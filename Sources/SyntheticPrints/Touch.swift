// SPDX-License-Identifier: Apache-2.0

/// How carefully the finger is put on the reader.
public enum Quality: String, CaseIterable, Sendable {
  /// Every touch is good: a matcher should accept them all.
  case easy
  /// Good touches and bad ones: turned, off centre, dry, noisy and partial to a random degree.
  case mixed
}

/// The circumstances of one touch.
struct Touch {
  /// Turn of the finger as a unit vector.
  let cosine: Double
  let sine: Double
  /// Offset of the finger's centre, in pixels.
  let shiftX: Double
  let shiftY: Double
  /// Displacement of the skin by its own stretching: standard deviation, in pixels.
  let stretch: Double
  /// Evenly more ink (positive) or less.
  let pressure: Double
  /// How much the ridges break up.
  let dryness: Double
  /// Strength of the sensor's grain.
  let grain: Double
  /// Half axes of the area of contact, as a fraction of the image's size.
  let reach: Double

  init(_ quality: Quality, using random: inout RandomSource) {
    // 0 is a good touch, 1 the worst; the slopes make libfprint's errors on mixed touches resemble its
    // errors on the public FVC collections.
    let trouble = quality == .mixed ? random.uniform(0, 1) : 0
    let largestTurn = (12 + 14 * trouble) / 360
    let largestShift = 14 + 34 * trouble
    let turns = random.uniform(-largestTurn, largestTurn)
    cosine = SyntheticPrints.cosine(turns: turns)
    sine = SyntheticPrints.sine(turns: turns)
    shiftX = random.uniform(-largestShift, largestShift)
    shiftY = random.uniform(-largestShift, largestShift)
    stretch = 2.2 + 2.3 * trouble
    pressure = random.uniform(-0.25, 0.25)
    dryness = 0.2 + 0.75 * trouble
    grain = 0.3 + 0.8 * trouble
    reach = random.uniform(0.44, 0.52) - 0.14 * trouble
  }
}
