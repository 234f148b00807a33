// SPDX-License-Identifier: Apache-2.0

/// What may be done with a guess.
public enum GuessDecision: Equatable, Sendable {
  /// Count it, make the count durable, then test it.
  case test
  /// Do not test it; so many milliseconds are left.
  case wait(milliseconds: UInt64)
  /// Do not test it; only setting the secret anew helps.
  case disabled
}

/// The guesses at one secret. A value: it reads no clock and keeps nothing on disk.
///
/// The order is the caller's duty: ``decide(now:boot:)``, then ``count(now:boot:)`` and
/// a durable write, then the test, then ``clear()`` on success. A crash between the
/// write and the test then costs a guess and never gives one away.
public struct GuessThrottle: Equatable, Sendable {
  /// Wrong guesses in a row after which the secret is of no use any more.
  public static let limit: UInt32 = 20

  /// Wrong guesses in a row.
  public private(set) var failures: UInt32
  /// When the last one was counted, in milliseconds since the start of `boot`.
  public private(set) var last: UInt64
  /// The kernel's id of that start (`/proc/sys/kernel/random/boot_id`), 16 bytes.
  public private(set) var boot: [UInt8]

  /// A secret that nobody guessed at.
  public init() { self.init(failures: 0, last: 0, boot: []) }

  init(failures: UInt32, last: UInt64, boot: [UInt8]) {
    self.failures = failures
    self.last = last
    self.boot = boot
  }

  /// The pause after so many wrong guesses in a row, in milliseconds; `nil`: for ever.
  ///
  /// The table of Android's software rate limiter (16 QPR2): none for four, then 1, 5,
  /// 15, 30 and 90 minutes, then 3^(n-5) minutes. It allows 12 guesses in a day, 17 in
  /// a year, 20 in all.
  public static func pause(after failures: UInt32) -> UInt64? {
    let minutes: UInt64
    switch failures {
    case 0...4: minutes = 0
    case 5: minutes = 1
    case 6: minutes = 5
    case 7: minutes = 15
    case 8: minutes = 30
    case 9: minutes = 90
    case 10..<limit: minutes = (5..<failures).reduce(1) { power, _ in power * 3 }
    default: return nil
    }
    return minutes * 60_000
  }

  /// What may be done with a guess at this moment.
  ///
  /// - Parameters:
  ///   - now: milliseconds since the machine's start, time asleep included. The time of
  ///     day plays no part, since it can be set.
  ///   - boot: the id of that start. After another start the pause runs anew in full.
  public func decide(now: UInt64, boot: [UInt8]) -> GuessDecision {
    guard let pause = GuessThrottle.pause(after: failures) else { return .disabled }
    let passed = boot != self.boot ? now : now > last ? now - last : 0
    return passed >= pause ? .test : .wait(milliseconds: pause - passed)
  }

  /// Counts a guess as wrong, before it is tested.
  public mutating func count(now: UInt64, boot: [UInt8]) {
    failures = min(failures + 1, GuessThrottle.limit)
    last = now
    self.boot = boot
  }

  /// Forgets the guesses: the secret was given, or set anew.
  public mutating func clear() { self = GuessThrottle() }
}
