// SPDX-License-Identifier: Apache-2.0

internal import Policy
internal import ThumbturnProtocol

/// Whose place is asked about.
struct PresenceQuestion {
  /// The process that asks, or the one on whose behalf a helper of root's does.
  var process: Int32
  /// The uid at the other end of the connection.
  var peer: UInt32
  /// The uid of the account.
  var target: UInt32
  /// The PAM service; only root's word counts.
  var service: Text
  /// The terminal without "/dev/", likewise.
  var terminal: Text
  /// The host that is named, likewise.
  var remoteHost: Text
  /// When the connection was taken; the process was there by then.
  var since: Int64
}

/// Where a request comes from, and how the machine stands.
struct Surroundings: Equatable {
  var place: Place
  var lid: LidState
}

/// Tells where requests come from.
protocol PresenceJudge: AnyObject {
  /// Answers once, on the main loop and within 250 ms; maybe before this returns.
  func judge(_ question: PresenceQuestion, done: @escaping (Surroundings) -> Void)
}
