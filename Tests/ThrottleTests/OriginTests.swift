// SPDX-License-Identifier: Apache-2.0

import Testing
import Throttle

/// Counts and throttles of three origins.
@Suite struct OriginTests {
  static let minute: UInt64 = 60_000
  static let day = 24 * 60 * minute

  @Test func whatOneDoesIsNotTheOthers() {
    var counts = FingerCounts()
    for _ in 0..<7 { counts.add(.other) }
    counts.add(.remote)
    #expect((counts[.own], counts[.other], counts[.remote]) == (0, 7, 1))
    #expect(!counts.isLocked(.own, after: 5) && counts.isLocked(.other, after: 5))
    counts.clear(.other)
    #expect(counts[.other] == 0 && counts[.remote] == 1 && !counts.isClear)
    counts.clear()
    #expect(counts.isClear && counts == FingerCounts())
  }

  @Test func aLimitOfNoneIsOne() {
    var counts = FingerCounts()
    #expect(!counts.isLocked(.own, after: 0))
    counts.add(.own)
    #expect(counts.isLocked(.own, after: 0))
  }

  @Test func countsAreWhatIsWritten() throws {
    var counts = FingerCounts()
    for _ in 0..<258 { counts.add(.own) }
    counts.add(.remote)
    #expect(counts.bytes == [0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 1])
    #expect(FingerCounts(bytes: counts.bytes) == counts)
    #expect(FingerCounts(bytes: []) == nil)
    #expect(FingerCounts(bytes: counts.bytes + [0]) == nil)
    #expect(FingerCounts(bytes: [0xFF] + counts.bytes.dropFirst()) == nil)
  }

  @Test func theCountNeverWrapsAround() {
    var counts =
      FingerCounts(bytes: [0, 0x0F, 0x42, 0x3F] + [UInt8](repeating: 0, count: 8)) ?? FingerCounts()
    counts.add(.own)
    counts.add(.own)
    #expect(counts[.own] == FingerCounts.most)
  }

  @Test func throttlesAreWhatIsWritten() throws {
    var throttles = OriginThrottles()
    throttles[.other].count(now: 9, boot: Array(1...16))
    #expect(throttles.bytes.count == OriginThrottles.size)
    #expect(Array(throttles.bytes[28..<56]) == throttles[.other].bytes)
    #expect(OriginThrottles(bytes: throttles.bytes) == throttles)
    #expect(OriginThrottles(bytes: Array(throttles.bytes.dropLast())) == nil)
    #expect(OriginThrottles(bytes: [0, 0, 0, 21] + throttles.bytes.dropFirst(4)) == nil)
  }

  /// Somebody who guesses at once wherever that is allowed, and restarts the machine after
  /// each guess or never.
  @Test(arguments: [false, true]) func budgets(restarting: Bool) {
    for (days, each) in [(1, 12), (365, 17), (100_000, 20)] as [(UInt64, Int)] {
      #expect(guesses(days: days, restarting: restarting) == [each, each, each])
    }
  }

  private func guesses(days: UInt64, restarting: Bool) -> [Int] {
    var throttles = OriginThrottles()
    var tested = [0, 0, 0]
    var (now, sinceStart, start) = (UInt64(0), UInt64(0), UInt8(1))
    while now <= days * Self.day {
      var shortest: UInt64?
      for origin in Origin.allCases {
        let boot = [UInt8](repeating: start, count: 16)
        switch throttles[origin].decide(now: sinceStart, boot: boot) {
        case .test:
          throttles[origin].count(now: sinceStart, boot: boot)
          tested[Int(origin.rawValue)] += 1
          shortest = 0
        case .wait(let left): shortest = min(shortest ?? left, left)
        case .disabled: break
        }
      }
      guard let shortest else { return tested }
      // A restart makes a pause run anew, so it is worth one only right after a guess.
      if restarting, shortest == 0 { (start, sinceStart) = (start &+ 1, 0) }
      now += shortest
      sinceStart += shortest
    }
    return tested
  }
}
