// SPDX-License-Identifier: Apache-2.0

/// How many connections may stand at a time.
///
/// What others may have is bounded in all, not only for each, so that many
/// users together cannot keep sudo and login out.
public struct Admission: Equatable, Sendable {
  /// The most connections of one uid other than 0.
  public static let perUser = 8
  /// The most connections of uid 0.
  public static let forRoot = 32
  /// The most connections of all uids other than 0.
  public static let forOthers = 32

  private var counts: [UInt32: Int] = [:]
  private var others = 0

  /// Nobody is connected.
  public init() {}

  /// How many connections stand.
  public var count: Int { others + (counts[0] ?? 0) }

  /// Counts a connection of `user`; `false` when it is one too many.
  public mutating func admit(_ user: UInt32) -> Bool {
    let standing = counts[user] ?? 0
    if user == 0 {
      guard standing < Admission.forRoot else { return false }
    } else {
      guard standing < Admission.perUser, others < Admission.forOthers else { return false }
      others += 1
    }
    counts[user] = standing + 1
    return true
  }

  /// A connection of `user` that was admitted is closed.
  public mutating func leave(_ user: UInt32) {
    guard let standing = counts[user] else { return }
    counts[user] = standing > 1 ? standing - 1 : nil
    if user != 0 { others -= 1 }
  }
}
