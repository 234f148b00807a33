// SPDX-License-Identifier: Apache-2.0

import Policy
import Testing
import Throttle

/// Random lives of an account, against a model that is written another way.
@Suite struct LifeTests {
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

  /// The account as the code under test sees it.
  struct Account {
    var settings = PolicySettings()
    var counts = FingerCounts()
    var password = PasswordState()
    var seconds: UInt64 = 1_000_000_000
    var ran: UInt64 = 0
    var boot: UInt8 = 1

    var now: PasswordMemory { PasswordMemory(seconds: seconds, milliseconds: ran, boot: [boot]) }

    func decide(_ origin: Origin) -> Decision {
      var request = PolicyRequest(
        service: "su", peerIsRoot: true, target: 1000, realUser: origin == .other ? 1001 : 1000)
      request.place = origin == .remote ? .remote : .seat
      var facts = Facts()
      facts.counts = counts
      facts.password = password
      facts.password.now = now
      return settings.decide(request, facts)
    }
  }

  /// What must hold, told by what happened instead of by clocks.
  struct Model {
    var streaks = [0, 0, 0]
    var wasGivenInThisStart = false
    var wasGiven = false
    var isLockedDown = false
    /// Hours that the machine ran since the password, in one start.
    var ranSince: UInt64 = 0

    func mayTouch(_ origin: Origin) -> Bool {
      origin != .remote && !isLockedDown && wasGivenInThisStart && ranSince < 72 * 3_600_000
        && streaks[Int(origin.rawValue)] < 5
    }
  }

  @Test(arguments: 0..<50 as Range<UInt64>) func aLifeFollowsTheModel(_ seed: UInt64) throws {
    var random = Random(state: seed)
    var account = Account()
    var model = Model()
    for step in 0..<4_000 {
      switch UInt8.random(in: 0..<24, using: &random) {
      case 0:
        (account.boot, account.ran) = (account.boot &+ 1, UInt64.random(in: 0..<100, using: &random))
        model.wasGivenInThisStart = false
      case 1...4:
        let passed = UInt64(1) << UInt64.random(in: 0..<29, using: &random)
        account.ran += passed
        account.seconds += passed / 1000
        model.ranSince += passed
      case 5: account.seconds += UInt64.random(in: 0..<100_000_000, using: &random)
      case 6: account.seconds -= min(account.seconds, UInt64.random(in: 0..<100_000_000, using: &random))
      case 7...8:
        account.password.last = account.now
        account.password.isLockedDown = false
        account.counts.clear()
        model = Model(wasGivenInThisStart: true, wasGiven: true)
      case 9:
        account.password.isLockedDown = true
        model.isLockedDown = true
      case 10: account.counts = try #require(FingerCounts(bytes: account.counts.bytes), "step \(step)")
      case 11:
        account.counts.clear()
        model.streaks = [0, 0, 0]
      default:
        let origin = Origin.allCases[Int.random(in: 0..<3, using: &random)]
        let decision = account.decide(origin)
        try #require(decision.origin == origin)
        try #require((decision.finger == nil) == model.mayTouch(origin), "step \(step), \(origin)")
        if decision.finger == nil { touch(origin, isRight: UInt8.random(in: 0..<5, using: &random) == 0) }
      }
    }
    func touch(_ origin: Origin, isRight: Bool) {
      if isRight { account.counts.clear(origin) } else { account.counts.add(origin) }
      model.streaks[Int(origin.rawValue)] = isRight ? 0 : model.streaks[Int(origin.rawValue)] + 1
    }
  }

  /// Somebody with a false finger who waits, restarts the machine and sets its clock, and
  /// whom nobody gives a password: so many guesses, ever.
  @Test(arguments: 0..<20 as Range<UInt64>) func theBudgetOfAFalseFinger(_ seed: UInt64) {
    var random = Random(state: seed)
    var account = Account()
    account.settings.passwordFirst = false
    account.settings.passwordEvery = 0
    var guesses = [0, 0, 0]
    for _ in 0..<5_000 {
      switch UInt8.random(in: 0..<6, using: &random) {
      case 0: (account.boot, account.ran) = (account.boot &+ 1, 0)
      case 1: account.ran += UInt64.random(in: 0..<10_000_000_000, using: &random)
      case 2: account.seconds = UInt64.random(in: 0..<4_000_000_000, using: &random)
      default:
        let origin = Origin.allCases[Int.random(in: 0..<3, using: &random)]
        guard account.decide(origin).finger == nil else { continue }
        guesses[Int(origin.rawValue)] += 1
        account.counts.add(origin)
      }
    }
    #expect(guesses == [5, 5, 0])
  }
}
