// SPDX-License-Identifier: Apache-2.0

// The mathematical library's functions may differ in the last bit between machines. These stand-ins use
// exactly rounded operations only and are as accurate as a drawing needs (an error below 0.002 for the
// sine).

/// The sine of an angle given in full turns.
func sine(turns: Double) -> Double {
  let angle = turns - turns.rounded(.down) - 0.5
  let parabola = 16 * angle * abs(angle) - 8 * angle
  return parabola + 0.225 * (parabola * abs(parabola) - parabola)
}

/// The cosine of an angle given in full turns.
func cosine(turns: Double) -> Double {
  sine(turns: turns + 0.25)
}

/// An S-shaped curve from -1 to 1 with slope 1 at 0: the Padé approximant of tanh, flat from 3 on.
func softClip(_ value: Double) -> Double {
  let inner = min(3, max(-3, value))
  let square = inner * inner
  return inner * (27 + square) / (27 + 9 * square)
}

/// A bell-shaped bump: 1 at 0, a quarter at ±1, falling to 0.
func bump(_ value: Double) -> Double {
  let widened = 1 + value * value
  return 1 / (widened * widened)
}
