// SPDX-License-Identifier: Apache-2.0

public import Pattern

/// What became of a pattern that somebody gave.
public enum PatternVerdict: Equatable, Sendable {
  /// It is the person's.
  case right
  /// It is not; `handOn`: it could be the person's password.
  case wrong(handOn: Bool)
  /// Too many guesses; it was not tested and not counted.
  case throttled(seconds: UInt64)
  /// So many guesses that the pattern is of no use until it is set anew. Not tested.
  case disabled
  /// The person has no pattern that can be used; ``PatternState/problem`` says why.
  case none
  /// Nothing that can be drawn, so no guess either.
  case notAPattern(handOn: Bool)
  /// The guess could not be counted, so it was not tested; or not tested for want of memory.
  case unavailable(PatternFault)
}

/// What became of a pattern that is to be set.
public enum PatternSetting: Equatable, Sendable {
  /// It is kept.
  case done
  /// It is none.
  case invalid(PatternProblem)
  /// It is one of those that are guessed first.
  case common
  /// It could not be kept.
  case failed(PatternFault)
}

/// How somebody's pattern stands.
public struct PatternState: Equatable, Sendable {
  /// Whether there is one that can be given, if only after a pause.
  public var hasPattern = false
  /// Wrong guesses in a row.
  public var failures: UInt32 = 0
  /// Milliseconds until the next guess is tested, 0: at once, `nil`: never.
  public var lockedFor: UInt64? = 0
  /// Whether the person's password could be a pattern, too.
  public var passwordLooksLikePattern = false
  /// Why a pattern that is there is of no use, for an administrator.
  public var problem: PatternFault?
}
