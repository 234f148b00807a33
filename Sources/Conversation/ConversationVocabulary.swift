// SPDX-License-Identifier: Apache-2.0

public import ThumbturnProtocol

/// The limits of one conversation. Times are in milliseconds.
public struct ConversationLimits: Equatable, Sendable {
  /// Mismatches that end it, at least 1.
  public var tries: UInt8 = 3
  /// Unusable scans that end it; they cost no try, so they need a bound of their own.
  public var poorScans: UInt8 = 10
  /// How long the reader stays armed without a touch.
  public var timeout = 60_000
  /// How long a busy reader is waited for.
  public var queueWait = 30_000
  /// How long a match waits for its confirmation.
  public var confirmation = 500
  /// How long it waits once the client asked to hold it.
  public var holding = 8_000
  /// How long it may last in all where a pattern is offered: the finger's end does not
  /// end it, and its place is one of few. A client that is typed to later begins anew.
  public var whole = 300_000
  /// How long an answer that is being tested is waited for behind that.
  public var testing = 10_000

  /// The limits where nothing is configured.
  public init() {}
}

/// What a conversation may wait for.
public enum ConversationTimer: CaseIterable, Sendable {
  /// Its turn at the reader.
  case turn
  /// A touch.
  case touch
  /// The confirmation of a match.
  case confirmation
  /// The end of a conversation that waits for a pattern.
  case whole

  /// Those that stand for a claim of the reader.
  static let ofFinger: [ConversationTimer] = [.turn, .touch, .confirmation]
}

/// What happens to a conversation.
public enum ConversationEvent: Equatable, Sendable {
  /// The request was checked and stands; the client is in front. Whether a pattern may
  /// be answered, and why the finger cannot even be tried.
  case began(pattern: Bool = false, noFinger: Refusal? = nil)
  /// A later message of the client; a secret stays where it was received.
  case message(ClientMessage)
  /// Somebody else holds the reader.
  case mustWait(service: Text, terminal: Text)
  /// It is this conversation's turn at the reader.
  case turn
  /// What the reader says.
  case reader(ReaderNews)
  /// What came of the answer that was to be tested.
  case patternVerdict(PatternAnswer)
  /// The time of this timer is up.
  case timer(ConversationTimer)
  /// The client is gone.
  case hungUp
}

/// What came of an answer.
public enum PatternAnswer: Equatable, Sendable {
  /// It is this person's pattern, and was tested within what the throttle allows.
  case right
  /// It is not.
  case wrong
  /// It is nothing for us: not tested, or to be tried as a password.
  case passedOn
}

/// What becomes known of the claimed reader.
public enum ReaderNews: Equatable, Sendable {
  /// The reader that the person's prints were made on is attached.
  case found(reader: Text, scan: ScanType, fingers: FingerSet)
  /// It waits for a finger.
  case armed
  /// A touch matched a print that is still enrolled. The nonce is fresh.
  case matched(Nonce)
  /// A touch matched none; the reader arms itself again.
  case mismatched
  /// The same, once too often in a row: no finger counts any more.
  case lockedOut
  /// A scan was unusable; the reader arms itself again.
  case retry(RetryReason)
  /// A finger that had rested on the reader was ignored; the reader arms itself again.
  case resting
  /// The claim is over.
  case failed(Refusal)
}

/// What a conversation wants done.
public enum ConversationAction: Equatable, Sendable {
  /// Tell the client.
  case send(ServerEvent)
  /// Join the queue for the reader.
  case claim
  /// Leave the queue, or give the reader back.
  case release
  /// Arm the claimed reader again after a match.
  case arm
  /// Test the answer that just came, and report the verdict.
  case checkPattern
  /// Report this timer after so many milliseconds; replaces the same timer.
  case setTimer(ConversationTimer, milliseconds: Int)
  /// Do not report this timer.
  case cancelTimer(ConversationTimer)
  /// Write the line for the log.
  case log(Outcome)
  /// Close the connection; no timer is reported any more.
  case finish
}
