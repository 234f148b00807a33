// SPDX-License-Identifier: Apache-2.0

/// Whether a claim that lost its reader waits for it to come back, as a value. Times are
/// readings of one clock that never goes back, in milliseconds.
///
/// A reader that is enumerated anew is away for a second or two; one that was pulled out
/// is plugged in again within a few, or not for this claim.
public struct ReaderLife: Equatable, Sendable {
  /// What to do.
  public enum Step: Equatable, Sendable {
    /// Look for it again in so many milliseconds.
    case lookAgain(milliseconds: Int)
    /// Say what is wrong.
    case giveUp
  }

  /// How long it is looked for after it was lost.
  public static let patience: Int64 = 5_000
  /// How often one claim may lose its reader and go on.
  public static let mostComebacks = 3
  /// How long after the loss it is looked for first; its process is ending until then.
  public static let firstLook = 200
  /// How long between two looks.
  public static let nextLook = 400

  private var lostAt: Int64?
  private var comebacks = 0

  /// A claim that has not had a reader yet. `wokeAt` is when the machine woke last: what is
  /// not there right after counts as lost then.
  public init(wokeAt: Int64? = nil) { lostAt = wokeAt }

  /// The open reader is gone.
  public mutating func lost(at now: Int64) -> Step {
    comebacks += 1
    guard comebacks <= ReaderLife.mostComebacks else { return .giveUp }
    lostAt = now
    return .lookAgain(milliseconds: ReaderLife.firstLook)
  }

  /// The machine sleeps or has just woken, which costs no comeback.
  public mutating func slept(at now: Int64) { lostAt = now }

  /// None of the attached readers is the claim's.
  public mutating func absent(at now: Int64) -> Step {
    guard let lostAt, now - lostAt < ReaderLife.patience else { return .giveUp }
    return .lookAgain(milliseconds: ReaderLife.nextLook)
  }

  /// It is open again.
  public mutating func opened() { lostAt = nil }
}

/// Keeps reader processes that crash or hang from being started in a tight loop, as a value.
public struct CrashGuard: Equatable, Sendable {
  /// So many crashes in a row cost nothing: each is one claim's bad luck.
  public static let free = 3
  /// The pause after the next one, doubled with each, in milliseconds.
  public static let firstPause: Int64 = 2_000
  /// The longest pause.
  public static let longestPause: Int64 = 60_000

  private var crashes = 0
  private var pausedUntil: Int64 = .min

  /// No process has crashed.
  public init() {}

  /// Whether none is to be started now.
  public func isPaused(at now: Int64) -> Bool { now < pausedUntil }

  /// A process crashed, hung, or spoke nonsense.
  public mutating func crashed(at now: Int64) {
    crashes = min(crashes + 1, 64)
    let beyond = crashes - CrashGuard.free
    guard beyond > 0 else { return }
    pausedUntil = now + min(CrashGuard.firstPause << min(beyond - 1, 16), CrashGuard.longestPause)
  }

  /// A process ended as it was told to.
  public mutating func endedWell() { self = CrashGuard() }
}
