// SPDX-License-Identifier: Apache-2.0

/// How many connections may stand at a time.
///
/// What others may have is bounded in all, not only for each, so that many
/// users together cannot keep sudo and login out. Root's connections are also counted for
/// the users who started the setuid programs that make them, so that one user's sudos
/// cannot keep out those of others.
public struct Admission: Equatable, Sendable {
  /// The most connections of one uid other than 0.
  public static let perUser = 8
  /// The most connections of uid 0.
  public static let forRoot = 32
  /// The most connections of all uids other than 0.
  public static let forOthers = 32
  /// The most of root's connections that one user may have made through setuid programs.
  public static let throughRoot = 8
  /// The most that all users may have made so; the rest is for login and the like.
  public static let allThroughRoot = 24

  private var counts: [UInt32: Int] = [:]
  private var others = 0
  /// Root's connections by the real uids behind them, without those that are 0.
  private var behindRoot: [UInt32: Int] = [:]
  private var allBehindRoot = 0

  /// Nobody is connected.
  public init() {}

  /// How many connections stand.
  public var count: Int { others + (counts[0] ?? 0) }

  /// Counts a connection of `user`, made by a program that `real` started; `false` when it
  /// is one too many.
  public mutating func admit(_ user: UInt32, real: UInt32 = 0) -> Bool {
    let standing = counts[user] ?? 0
    if user == 0 {
      guard standing < Admission.forRoot, admitBehindRoot(real) else { return false }
    } else {
      guard standing < Admission.perUser, others < Admission.forOthers else { return false }
      others += 1
    }
    counts[user] = standing + 1
    return true
  }

  private mutating func admitBehindRoot(_ real: UInt32) -> Bool {
    if real == 0 { return true }
    let standing = behindRoot[real] ?? 0
    guard standing < Admission.throughRoot, allBehindRoot < Admission.allThroughRoot else { return false }
    behindRoot[real] = standing + 1
    allBehindRoot += 1
    return true
  }

  /// A connection that was admitted is closed.
  public mutating func leave(_ user: UInt32, real: UInt32 = 0) {
    guard let standing = counts[user] else { return }
    counts[user] = standing > 1 ? standing - 1 : nil
    if user != 0 { others -= 1 }
    guard user == 0, let behind = behindRoot[real] else { return }
    behindRoot[real] = behind > 1 ? behind - 1 : nil
    allBehindRoot -= 1
  }
}
