// SPDX-License-Identifier: Apache-2.0

/// Where failed tries at somebody's finger or pattern come from.
///
/// Each has a count of its own, so that nobody can lock a person out from afar or from
/// another account: what the last two do never locks the first.
public enum Origin: UInt8, CaseIterable, Sendable {
  /// The person's own account, or a program that signs people in, on a seat of this machine.
  case own = 0
  /// Another account, or a place that is no seat.
  case other = 1
  /// Another machine.
  case remote = 2
}
