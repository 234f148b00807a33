// SPDX-License-Identifier: Apache-2.0

import Testing
import Throttle

@Suite struct GuessThrottleTests {
  static let minute: UInt64 = 60_000
  static let day = 24 * 60 * minute
  let boot = [UInt8](repeating: 1, count: 16)

  /// Minutes after n wrong guesses.
  @Test(
    arguments: [
      (0, 0), (4, 0), (5, 1), (6, 5), (7, 15), (8, 30), (9, 90), (10, 243), (11, 729), (12, 2_187),
      (13, 6_561),
      (14, 19_683), (15, 59_049), (16, 177_147), (17, 531_441), (18, 1_594_323), (19, 4_782_969),
    ] as [(UInt32, UInt64)])
  func thePauses(_ failures: UInt32, _ minutes: UInt64) {
    #expect(GuessThrottle.pause(after: failures) == minutes * Self.minute)
  }

  @Test func afterTwentyItIsOver() {
    #expect(GuessThrottle.pause(after: 20) == nil)
    #expect(GuessThrottle.pause(after: .max) == nil)
  }

  /// Guesses of somebody who tries at once whenever that is allowed.
  private func guesses(within limit: UInt64, rebooting: Bool = false) -> Int {
    var throttle = GuessThrottle()
    var (now, sinceBoot, boot, tested) = (UInt64(0), UInt64(0), boot, 0)
    while now <= limit {
      switch throttle.decide(now: sinceBoot, boot: boot) {
      case .test:
        throttle.count(now: sinceBoot, boot: boot)
        tested += 1
        if rebooting {
          boot[0] &+= 1
          sinceBoot = 0
        }
      case .wait(let left):
        now += left
        sinceBoot += left
      case .disabled: return tested
      }
    }
    return tested
  }

  @Test func budgets() {
    #expect(guesses(within: Self.day) == 12)
    #expect(guesses(within: 365 * Self.day) == 17)
    #expect(guesses(within: 100_000 * Self.day) == 20)
    #expect(guesses(within: 365 * Self.day, rebooting: true) == 17)
  }

  @Test func aRebootRestartsThePauseInFull() {
    var throttle = GuessThrottle()
    for _ in 0..<5 { throttle.count(now: 1_000 * Self.minute, boot: boot) }
    let second = [UInt8](repeating: 2, count: 16)
    let third = [UInt8](repeating: 3, count: 16)
    #expect(throttle.decide(now: 0, boot: second) == .wait(milliseconds: Self.minute))
    #expect(throttle.decide(now: 59_999, boot: second) == .wait(milliseconds: 1))
    #expect(throttle.decide(now: 0, boot: third) == .wait(milliseconds: Self.minute))
    #expect(throttle.decide(now: Self.minute, boot: third) == .test)
    #expect(throttle.failures == 5)
  }

  @Test func aClockThatStandsBackWaitsInFull() {
    var throttle = GuessThrottle()
    for _ in 0..<5 { throttle.count(now: 1_000, boot: boot) }
    #expect(throttle.decide(now: 10, boot: boot) == .wait(milliseconds: Self.minute))
  }

  @Test func successForgets() {
    var throttle = GuessThrottle()
    for _ in 0..<19 { throttle.count(now: 5, boot: boot) }
    throttle.clear()
    #expect(throttle == GuessThrottle())
    #expect(throttle.decide(now: 0, boot: boot) == .test)
  }

  @Test func theCountNeverWrapsAround() {
    var throttle = GuessThrottle()
    for _ in 0..<1_000 { throttle.count(now: 5, boot: boot) }
    #expect(throttle.failures == GuessThrottle.limit)
    #expect(throttle.decide(now: .max, boot: boot) == .disabled)
  }
}
