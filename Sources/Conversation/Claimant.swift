// SPDX-License-Identifier: Apache-2.0

public import ThumbturnProtocol

/// Who wants the reader.
public struct Claimant: Equatable, Sendable {
  /// A number of its own.
  public let number: UInt64
  /// What others are told of it: its service and terminal.
  public let service: Text
  /// See ``service``.
  public let terminal: Text
  /// The uid on whose behalf it asks: the real one behind a setuid program. It pays for
  /// the reader's time, and takes turns with others.
  public let origin: UInt32
  /// Whether it asks for the origin's own account. Only such a claim may take the reader
  /// from another origin's: a touch that was on its way must not serve a stranger's
  /// request for the same person.
  public let isOwn: Bool
  /// Whether its reader can be taken and given back later.
  public let canWait: Bool
  /// Whether it opens a locked screen: what asked before the screen was locked lies below it, and
  /// a touch is meant for what can be seen.
  public let opensScreen: Bool

  /// Names somebody who wants the reader.
  public init(
    number: UInt64, service: Text, terminal: Text, origin: UInt32 = 0, isOwn: Bool = false,
    canWait: Bool = false, opensScreen: Bool = false
  ) {
    self.number = number
    self.service = service
    self.terminal = terminal
    self.origin = origin
    self.isOwn = isOwn
    self.canWait = canWait
    self.opensScreen = opensScreen
  }

  /// Whether it lies over what `other` asks: its own person's locked screen, or root's. A
  /// program that merely says so takes the reader from its own person's requests alone.
  func covers(_ other: Claimant) -> Bool {
    opensScreen && isOwn && !other.opensScreen && (origin == other.origin || origin == 0)
  }
}

/// Who must be told something about the queue.
public enum QueueNotice: Equatable, Sendable {
  /// This claimant has the reader now.
  case turn(UInt64)
  /// This claimant waits for somebody else.
  case mustWait(UInt64, service: Text, terminal: Text)
  /// This claimant is out of the queue.
  case refused(UInt64, Refusal)
}
