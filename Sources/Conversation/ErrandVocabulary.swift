// SPDX-License-Identifier: Apache-2.0

public import ThumbturnProtocol

/// The limits of an errand (enrolling, deleting, patterns), in milliseconds.
public struct ErrandLimits: Equatable, Sendable {
  /// How long the password is waited for, and the pattern.
  public var proof = 120_000
  /// How long a wrong password is answered with silence.
  public var penalty = 1_000
  /// How long a busy reader is waited for.
  public var queueWait = 30_000
  /// How long each scan is waited for.
  public var scan = 60_000

  /// The limits where nothing is configured.
  public init() {}
}

/// What an errand may wait for.
public enum ErrandTimer: CaseIterable, Sendable {
  /// The password, or the pattern.
  case proof
  /// The end of the silence after a wrong one.
  case penalty
  /// The turn at the reader.
  case turn
  /// The next scan.
  case scan
}

/// What happens to an errand.
public enum ErrandEvent: Equatable, Sendable {
  /// The request was checked and stands, once its owner proved to be there if needed.
  case began(proofNeeded: Bool)
  /// A later message of the client; a secret stays where it was received.
  case message(ClientMessage)
  /// The password was checked.
  case checked(right: Bool)
  /// The password cannot be checked, the reader cannot be used, the data cannot be changed.
  case failed(Refusal)
  /// Somebody else holds the reader.
  case mustWait(service: Text, terminal: Text)
  /// It is this errand's turn at the reader.
  case turn
  /// All attached readers were named.
  case listed
  /// A reader is open and can enrol.
  case opened(reader: Text, scan: ScanType, stages: UInt8)
  /// So many scans are done; why the last one did not count.
  case stage(done: UInt8, retry: RetryReason?)
  /// The reader made a template.
  case enrolled
  /// The data is changed.
  case stored
  /// The data is changed; what a reader keeps itself must go, too.
  case storedElsewhereToo
  /// A reader has deleted what it kept; whether another one that is attached must, too.
  case erased(more: Bool)
  /// The time of this timer is up.
  case timer(ErrandTimer)
  /// The client is gone.
  case hungUp
}

/// What an errand wants done.
public enum ErrandAction: Equatable, Sendable {
  /// Tell the client.
  case send(ServerEvent)
  /// Ask the client for the password of the account that the request comes from.
  case wantProof
  /// Ask the client for the account's pattern.
  case wantPattern
  /// Check the password that just came.
  case check
  /// Join the queue for the reader.
  case claim
  /// Leave the queue, or give the reader back.
  case release
  /// Let the open reader enrol.
  case enroll
  /// Change the data: save the template that was made or the pattern that just came, or
  /// delete; or try that pattern.
  case store
  /// Tell the client of each print that is still kept by a reader, and why.
  case tellLeft(Refusal)
  /// Report this timer after so many milliseconds; replaces the same timer.
  case setTimer(ErrandTimer, milliseconds: Int)
  /// Do not report this timer.
  case cancelTimer(ErrandTimer)
  /// Write the line for the log.
  case log(Outcome)
  /// Close the connection; no timer is reported any more.
  case finish
}
