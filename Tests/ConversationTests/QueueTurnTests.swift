// SPDX-License-Identifier: Apache-2.0

import Conversation
import Testing
import ThumbturnProtocol

/// Turns among origins, and readers that are taken away.
@Suite struct QueueTurnTests {
  private func claimant(
    _ number: UInt64, of origin: UInt32, isOwn: Bool = true, canWait: Bool = true, opensScreen: Bool = false
  ) -> Claimant {
    Claimant(
      number: number, service: text("sudo"), terminal: text("pts/1"), origin: origin, isOwn: isOwn,
      canWait: canWait, opensScreen: opensScreen)
  }

  private func turns(_ notices: [QueueNotice]) -> [UInt64] {
    notices.compactMap { if case .turn(let number) = $0 { number } else { nil } }
  }

  @Test func originsTakeTurnsWhateverManyOneOfThemAsks() {
    var queue = ReaderQueue()
    for number in 1...5 as ClosedRange<UInt64> { _ = queue.join(claimant(number, of: 1000), at: 0) }
    for number in 6...7 as ClosedRange<UInt64> { _ = queue.join(claimant(number, of: 1001), at: 0) }
    _ = queue.join(claimant(8, of: 1002), at: 0)
    var order = [queue.current?.number ?? 0]
    while let current = queue.current {
      #expect(queue.leave(current.number, granted: true, at: 0) == true)
      order += turns(queue.free(at: 0))
    }
    #expect(order == [1, 6, 8, 2, 7, 3, 4, 5])
  }

  @Test func aLockedScreenComesBeforeWhatItCovers() {
    var queue = ReaderQueue()
    _ = queue.join(claimant(1, of: 1000), at: 0)
    #expect(queue.takeInTurn(at: 0) == nil)
    _ = queue.join(claimant(2, of: 1000), at: 0)
    _ = queue.join(claimant(3, of: 1000, opensScreen: true), at: 0)
    #expect(queue.sliceLeft(at: 0) == 0)
    #expect(queue.takeInTurn(at: 0) == 1)
    #expect(turns(queue.free(at: 0)) == [3])
    #expect(queue.takeInTurn(at: 20_000) == nil)
    #expect(queue.leave(3, granted: true, at: 20_000) == true)
    #expect(turns(queue.free(at: 20_000)) == [2])
  }

  @Test func nobodysScreenCoversSomebodyElse() {
    for screen in [
      claimant(2, of: 1001, opensScreen: true), claimant(2, of: 1000, isOwn: false, opensScreen: true),
      claimant(2, of: 1000),
    ] {
      var queue = ReaderQueue()
      _ = queue.join(claimant(1, of: 1000), at: 0)
      _ = queue.join(screen, at: 0)
      #expect(queue.takeInTurn(at: 0) == nil)
      #expect(queue.current?.number == 1)
    }
    var queue = ReaderQueue()
    _ = queue.join(claimant(1, of: 1000), at: 0)
    _ = queue.join(claimant(2, of: 0, opensScreen: true), at: 0)
    #expect(queue.takeInTurn(at: 0) == 1)
  }

  @Test func whoMustWaitIsPassedOver() {
    var queue = ReaderQueue()
    for number in 1...6 as ClosedRange<UInt64> {
      _ = queue.join(claimant(number, of: 1000), at: 0)
      #expect(queue.leave(number, at: 0) == true)
      _ = queue.free(at: 0)
    }
    #expect(turns(queue.join(claimant(7, of: 1000), at: 0)) == [])
    #expect(queue.nextLook(at: 0) == 500)
    #expect(turns(queue.join(claimant(8, of: 1001), at: 0)) == [8])
    #expect(queue.nextLook(at: 0) == nil)
    #expect(queue.leave(8, at: 100) == true)
    #expect(turns(queue.free(at: 100)) == [])
    #expect(turns(queue.lookAgain(at: 500)) == [7])
  }

  @Test func aHotReaderRefusesWhoWaitsAndWhoComes() {
    var queue = ReaderQueue()
    _ = queue.join(claimant(1, of: 1000), at: 0)
    _ = queue.join(claimant(2, of: 1001), at: 0)
    queue.becameHot(at: 0)
    #expect(queue.leave(1, at: 0) == true)
    #expect(queue.free(at: 0) == [.refused(2, .tooHot)])
    #expect(queue.join(claimant(3, of: 1002), at: 0) == [.refused(3, .tooHot)])
    #expect(queue.isIdle && queue.isHot(at: 0))
    #expect(turns(queue.join(claimant(4, of: 1002), at: 60_000)) == [4])
  }

  @Test func theReaderIsTakenInTurnForAnotherOriginsOwnAccountOnly() {
    var queue = ReaderQueue()
    _ = queue.join(claimant(1, of: 1000), at: 0)
    #expect(queue.sliceLeft(at: 20_000) == nil)
    _ = queue.join(claimant(2, of: 1000), at: 0)
    _ = queue.join(claimant(3, of: 1001, isOwn: false), at: 0)
    #expect(queue.takeInTurn(at: 20_000) == nil)
    _ = queue.join(claimant(4, of: 1002), at: 1000)
    #expect(queue.sliceLeft(at: 1000) == 9000 && queue.takeInTurn(at: 1000) == nil)
    #expect(queue.takeInTurn(at: 10_000) == 1)
    #expect(queue.current == nil && queue.isClosing)
    let notices = queue.free(at: 10_000)
    // The one that was taken from waits at the end, and hears who has it.
    #expect(turns(notices) == [4])
    #expect(notices.last == .mustWait(1, service: text("sudo"), terminal: text("pts/1")))
  }

  @Test func anEnrolmentIsNotInterrupted() {
    var queue = ReaderQueue()
    _ = queue.join(claimant(1, of: 1000, canWait: false), at: 0)
    _ = queue.join(claimant(2, of: 1001), at: 0)
    #expect(queue.sliceLeft(at: 60_000) == nil && queue.takeInTurn(at: 60_000) == nil)
    #expect(queue.allowance(at: 60_000) == nil && queue.sleeping(true, at: 60_000) == nil)
    #expect(queue.current?.number == 1)
  }

  @Test func aClaimLastsNoLongerThanItsShare() {
    var queue = ReaderQueue()
    #expect(queue.allowance(at: 0) == nil)
    _ = queue.join(claimant(1, of: 1000), at: 1000)
    #expect(queue.allowance(at: 1000) == 120_000)
    #expect(queue.allowance(at: 101_000) == 20_000)
    #expect(queue.allowance(at: 200_000) == 0)
  }

  @Test func sleepTakesTheReaderAndGivesItBackToTheSameClaim() {
    var queue = ReaderQueue()
    _ = queue.join(claimant(1, of: 1000), at: 0)
    _ = queue.join(claimant(2, of: 1001), at: 0)
    #expect(queue.sleeping(true, at: 100) == 1)
    #expect(queue.free(at: 100) == [] && queue.current == nil && !queue.isIdle)
    #expect(turns(queue.join(claimant(3, of: 1002), at: 100)) == [])
    #expect(queue.lookAgain(at: 200) == [] && queue.nextLook(at: 200) == nil)
    #expect(queue.sleeping(false, at: 300) == nil)
    #expect(turns(queue.lookAgain(at: 300)) == [1])
    _ = queue.leave(1, at: 300)
    #expect(turns(queue.free(at: 300)) == [2])
  }

  /// Against what must always hold, whatever happens in whatever order.
  @Test(arguments: 0..<10 as Range<UInt64>) func randomLives(_ seed: UInt64) {
    var walk = QueueWalk(seed: seed)
    for _ in 0..<20_000 { walk.step() }
    #expect(walk.turns > 500, "\(walk.turns)")
    #expect(walk.taken > 10, "\(walk.taken)")
    #expect(walk.slept > 50, "\(walk.slept)")
    #expect(walk.refused > 20, "\(walk.refused)")
  }
}

/// One desk that does by chance what claims, processes and the machine can do.
private struct QueueWalk {
  private var random: SplitMix
  private var queue = ReaderQueue()
  private var now: Int64 = 0
  private var known: [UInt64: Claimant] = [:]
  private var holder: UInt64?
  private var closing = false
  private var asleep = false
  private var numbers: UInt64 = 0
  var turns = 0
  var taken = 0
  var slept = 0
  var refused = 0

  init(seed: UInt64) { random = SplitMix(state: seed) }

  mutating func step() {
    now += Int64(random.next() % 4_000)
    switch random.next() % 12 {
    case 0...3: join()
    case 4, 5:
      if let number = known.keys.sorted().randomElement(using: &random) { leave(number) }
    case 6: if let holder { leave(holder) }
    case 7: take(queue.lookAgain(at: now))
    case 8: interrupted(queue.takeInTurn(at: now), count: \.taken)
    case 9 where random.next() % 4 == 0: sleep()
    case 10 where random.next() % 64 == 0: queue.becameHot(at: now)
    default:
      if closing {
        closing = false
        take(queue.free(at: now))
      }
    }
    #expect(queue.current?.number == holder && queue.isClosing == closing)
    #expect(queue.isIdle == (known.isEmpty && !closing))
  }

  private mutating func join() {
    numbers += 1
    let claimant = Claimant(
      number: numbers, service: text("sudo"), terminal: text(""), origin: UInt32(random.next() % 4),
      isOwn: random.next() % 2 == 0, canWait: random.next() % 4 != 0)
    known[numbers] = claimant
    take(queue.join(claimant, at: now))
  }

  private mutating func leave(_ number: UInt64) {
    let granted = random.next() % 3 == 0
    known[number] = nil
    #expect(queue.leave(number, granted: granted, at: now) == (holder == number))
    if holder == number { (holder, closing) = (nil, true) }
  }

  private mutating func sleep() {
    asleep.toggle()
    slept += 1
    interrupted(queue.sleeping(asleep, at: now), count: \.slept)
    if !asleep { take(queue.lookAgain(at: now)) }
  }

  private mutating func interrupted(_ number: UInt64?, count: WritableKeyPath<QueueWalk, Int>) {
    guard let number else { return }
    self[keyPath: count] += 1
    #expect(number == holder && known[number]?.canWait == true)
    (holder, closing) = (nil, true)
  }

  private mutating func take(_ notices: [QueueNotice]) {
    for notice in notices {
      switch notice {
      case .turn(let number):
        #expect(holder == nil && !closing && !asleep && known[number] != nil)
        holder = number
        turns += 1
      case .mustWait(let number, _, _): #expect(known[number] != nil && number != holder)
      case .refused(let number, let refusal):
        #expect(known.removeValue(forKey: number) != nil && refusal == .tooHot)
        refused += 1
      }
    }
  }
}
