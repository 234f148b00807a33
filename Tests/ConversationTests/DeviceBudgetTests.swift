// SPDX-License-Identifier: Apache-2.0

import Conversation
import Testing
import ThumbturnProtocol

@Suite struct DeviceBudgetTests {
  private let ada: UInt32 = 1000
  private let bob: UInt32 = 1001

  /// One claim after the other without a pause; answers when the last has ended.
  private func use(
    _ budget: inout DeviceBudget, _ origin: UInt32, times: Int, each: Int64, from start: Int64 = 0,
    end: ClaimEnd = .fruitless
  ) -> Int64 {
    var now = start
    for _ in 0..<times {
      budget.spend(origin, from: now, until: now + each, end: end)
      now += each
    }
    return now
  }

  @Test func fiveFruitlessClaimsCostNothingAndTheNextOnesMoreAndMore() {
    var budget = DeviceBudget()
    var waits: [Int64] = []
    var now: Int64 = 0
    for _ in 0..<12 {
      budget.spend(ada, from: now, until: now + 100, end: .fruitless)
      now += 100
      if case .wait(let time) = budget.admittance(of: ada, at: now) {
        waits.append(time)
        now += time
      } else {
        waits.append(0)
      }
      #expect(budget.admittance(of: ada, at: now) == .now)
      #expect(budget.admittance(of: bob, at: now) == .now)
    }
    #expect(waits == [0, 0, 0, 0, 0, 500, 1000, 2000, 4000, 8000, 8000, 8000])
  }

  @Test func twentyGrantsInARowAreNeverKeptWaiting() {
    var budget = DeviceBudget()
    var now: Int64 = 0
    for _ in 0..<200 {
      #expect(budget.admittance(of: ada, at: now) == .now)
      now = use(&budget, ada, times: 1, each: 500, from: now, end: .granted) + 1
    }
  }

  @Test func aGrantEndsTheWaiting() {
    var budget = DeviceBudget()
    let now = use(&budget, ada, times: 9, each: 100)
    guard case .wait = budget.admittance(of: ada, at: now) else {
      Issue.record("nine claims in vain cost nothing")
      return
    }
    budget.spend(ada, from: now, until: now + 100, end: .granted)
    #expect(budget.admittance(of: ada, at: now + 100) == .now)
    #expect(budget.allowance(of: ada, at: now + 100) == 120_000)
  }

  @Test func claimsWithRestBetweenThemCostNothing() {
    var budget = DeviceBudget()
    var now: Int64 = 0
    for _ in 0..<50 {
      budget.spend(ada, from: now, until: now + 1000, end: .fruitless)
      now += 11_000
      #expect(budget.admittance(of: ada, at: now) == .now)
    }
  }

  @Test func whatIsInterruptedIsNobodysFault() {
    var budget = DeviceBudget()
    let now = use(&budget, ada, times: 30, each: 100, end: .interrupted)
    #expect(budget.admittance(of: ada, at: now) == .now)
    #expect(budget.allowance(of: ada, at: now) < 120_000)
  }

  @Test func aShareIsUsedUpAndComesBackWithRest() {
    var budget = DeviceBudget()
    let now = use(&budget, ada, times: 2, each: 60_000)
    #expect(budget.admittance(of: ada, at: now) == .refused(.tooHot))
    #expect(budget.allowance(of: ada, at: now) == 0)
    #expect(budget.admittance(of: bob, at: now) == .now)
    #expect(budget.allowance(of: bob, at: now) == 60_000)
    // A minute comes back in three.
    #expect(budget.admittance(of: ada, at: now + 179_999) == .refused(.tooHot))
    #expect(budget.admittance(of: ada, at: now + 180_003) == .now)
  }

  @Test func allTogetherCannotHeatTheReader() {
    var budget = DeviceBudget()
    let now = use(&budget, bob, times: 1, each: 70_000, from: use(&budget, ada, times: 1, each: 119_000))
    #expect(budget.isHot(at: now))
    for origin in [ada, bob, 0, 7] as [UInt32] {
      #expect(budget.admittance(of: origin, at: now) == .refused(.tooHot))
    }
    #expect(!budget.isHot(at: now + 180_003))
  }

  @Test func aReaderThatIsTooHotIsNobodysForAWhile() {
    var budget = DeviceBudget()
    budget.becameHot(at: 1000)
    #expect(budget.admittance(of: ada, at: 60_999) == .refused(.tooHot))
    #expect(budget.admittance(of: ada, at: 61_000) == .now)
  }

  /// The reader is never driven for longer than its limits in any stretch of time, and
  /// whoever does little is never refused for what others do, as long as it is not hot.
  @Test(arguments: 0..<10 as Range<UInt64>) func randomLives(_ seed: UInt64) {
    var random = SplitMix(state: seed)
    var budget = DeviceBudget()
    var now: Int64 = 0
    var driven: [(origin: UInt32, from: Int64, until: Int64, granted: Bool)] = []
    var refusals = 0
    for _ in 0..<10_000 {
      now += Int64(random.next() % 3_000)
      let origin = UInt32(random.next() % 4)
      guard budget.admittance(of: origin, at: now) == .now else {
        refusals += 1
        continue
      }
      let wish = Int64(random.next() % 20_000)
      let spent = min(wish, budget.allowance(of: origin, at: now))
      let granted = origin == 0 && random.next() % 2 == 0
      budget.spend(origin, from: now, until: now + spent, end: granted ? .granted : .fruitless)
      driven.append((origin, now, now + spent, granted))
      now += spent
      driven.removeAll { $0.until < now - 720_000 }
      check(driven, at: now)
    }
    #expect(refusals > 100)
  }

  private func check(
    _ driven: [(origin: UInt32, from: Int64, until: Int64, granted: Bool)], at now: Int64
  ) {
    // In each window, what drains in it comes on top of the limit.
    for window in [60_000, 240_000, 720_000] as [Int64] {
      let inside = driven.filter { $0.from >= now - window }
      let total = inside.reduce(0) { $0 + $1.until - $1.from }
      #expect(total <= 180_000 + (window - total) / 3 + 1)
      for origin in 1..<4 as Range<UInt32> {
        let own = inside.filter { $0.origin == origin }.reduce(0) { $0 + $1.until - $1.from }
        #expect(own <= 120_000 + (window - own) / 3 + 1)
      }
    }
  }

  @Test func manyOriginsAreNotRememberedForEver() {
    var budget = DeviceBudget()
    for origin in 0..<5_000 as Range<UInt32> {
      budget.spend(origin, from: Int64(origin), until: Int64(origin) + 1, end: .fruitless)
    }
    #expect(budget.remembered == 256)
    budget.spend(9, from: 1_000_000, until: 1_000_000, end: .fruitless)
    budget.spend(10, from: 1_000_000, until: 1_000_000, end: .granted)
  }
}

@Suite struct ReaderLifeTests {
  @Test func aReaderThatNeverWasThereIsNotWaitedFor() {
    var life = ReaderLife()
    #expect(life.absent(at: 0) == .giveUp)
  }

  @Test func oneThatWasLostIsLookedForFiveSeconds() {
    var life = ReaderLife()
    #expect(life.lost(at: 1000) == .lookAgain(milliseconds: 200))
    #expect(life.absent(at: 1200) == .lookAgain(milliseconds: 400))
    #expect(life.absent(at: 5999) == .lookAgain(milliseconds: 400))
    #expect(life.absent(at: 6000) == .giveUp)
  }

  @Test func onceItIsBackItIsWaitedForNoMore() {
    var life = ReaderLife()
    _ = life.lost(at: 0)
    life.opened()
    #expect(life.absent(at: 1) == .giveUp)
  }

  @Test func oneThatComesAndGoesIsGivenUp() {
    var life = ReaderLife()
    for round in 0..<3 as Range<Int64> {
      #expect(life.lost(at: round) == .lookAgain(milliseconds: 200))
      life.opened()
    }
    #expect(life.lost(at: 4) == .giveUp)
  }

  @Test func afterSleepItMayTakeAWhile() {
    var life = ReaderLife(wokeAt: 1000)
    #expect(life.absent(at: 1500) == .lookAgain(milliseconds: 400))
    #expect(life.absent(at: 6000) == .giveUp)
    life.slept(at: 9000)
    #expect(life.absent(at: 13_999) == .lookAgain(milliseconds: 400))
  }

  @Test func crashesInARowLeadToPauses() {
    var crashes = CrashGuard()
    var now: Int64 = 0
    var pauses: [Int64] = []
    for _ in 0..<10 {
      crashes.crashed(at: now)
      let start = now
      while crashes.isPaused(at: now) { now += 500 }
      pauses.append(now - start)
    }
    #expect(pauses == [0, 0, 0, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000])
    crashes.endedWell()
    crashes.crashed(at: now)
    #expect(!crashes.isPaused(at: now))
  }
}
