// SPDX-License-Identifier: Apache-2.0

import Testing
import Throttle

/// Random lives of a secret, against a model that is written another way.
@Suite struct ThrottleModelTests {
  /// SplitMix64, so that a failure can be repeated.
  struct Random: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
  }

  /// The table in minutes, by hand.
  static let minutes: [UInt64] = [
    0, 0, 0, 0, 0, 1, 5, 15, 30, 90, 243, 729, 2_187, 6_561, 19_683, 59_049, 177_147, 531_441, 1_594_323,
    4_782_969,
  ]

  /// What must hold: the machine ran this long in one go since the last guess.
  struct Model {
    var failures = 0
    var ranSince: UInt64 = 0

    var mayTest: Bool { failures < 20 && ranSince >= ThrottleModelTests.minutes[failures] * 60_000 }
  }

  @Test(arguments: 0..<40 as Range<UInt64>) func aLifeFollowsTheModel(_ seed: UInt64) throws {
    var random = Random(state: seed)
    var throttle = GuessThrottle()
    var model = Model()
    var (now, boot) = (UInt64(5_000), UInt8(1))
    for step in 0..<2_000 {
      switch UInt8.random(in: 0..<10, using: &random) {
      case 0:
        (boot, now) = (boot &+ 1, UInt64.random(in: 0..<1_000, using: &random))
        model.ranSince = now
      case 1...4:
        let passed = UInt64(1) << UInt64.random(in: 0..<38, using: &random)
        now += passed
        model.ranSince += passed
      case 5: throttle = try #require(GuessThrottle(bytes: throttle.bytes), "step \(step)")
      default:
        let id = [UInt8](repeating: boot, count: 16)
        let decision = throttle.decide(now: now, boot: id)
        #expect((decision == .test) == model.mayTest, "step \(step)")
        #expect((decision == .disabled) == (model.failures == 20), "step \(step)")
        if decision == .test { guess(right: UInt8.random(in: 0..<30, using: &random) == 0, at: now, id) }
      }
    }
    func guess(right: Bool, at now: UInt64, _ boot: [UInt8]) {
      throttle.count(now: now, boot: boot)
      model = Model(failures: model.failures + 1)
      if right {
        throttle.clear()
        model = Model()
      }
      #expect(throttle.failures == UInt32(model.failures))
    }
  }

  @Test func itsBytesAreWhatIsWritten() throws {
    var throttle = GuessThrottle()
    #expect(throttle.bytes == [UInt8](repeating: 0, count: 28))
    #expect(GuessThrottle(bytes: throttle.bytes) == throttle)
    for _ in 0..<3 { throttle.count(now: 0x0102_0304, boot: Array(1...16)) }
    #expect(throttle.bytes == [0, 0, 0, 3, 0, 0, 0, 0, 1, 2, 3, 4] + Array(1...16))
    #expect(GuessThrottle(bytes: throttle.bytes) == throttle)
  }

  @Test func otherBytesAreNone() {
    let bytes = GuessThrottle().bytes
    #expect(GuessThrottle(bytes: []) == nil)
    #expect(GuessThrottle(bytes: bytes + [0]) == nil)
    #expect(GuessThrottle(bytes: Array(bytes.dropLast())) == nil)
    #expect(GuessThrottle(bytes: [0, 0, 0, 21] + bytes.dropFirst(4)) == nil)
    #expect(GuessThrottle(bytes: [1, 0, 0, 0] + bytes.dropFirst(4)) == nil)
  }
}
