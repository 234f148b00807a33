// SPDX-License-Identifier: Apache-2.0

public import ThumbturnProtocol

/// How a request ended; what its line in the log says.
public enum Outcome: Equatable, Sendable {
  /// The person was recognised and the client took it.
  case granted
  /// What was asked for is done.
  case done
  /// It ended without success.
  case refused(Refusal)
  /// The client went away.
  case hungUp
}
