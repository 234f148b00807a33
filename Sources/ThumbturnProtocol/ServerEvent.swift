// SPDX-License-Identifier: Apache-2.0

/// One enrolled print, as a list shows it.
public struct ListedPrint: Equatable, Sendable {
  /// Whether a print can be used.
  public enum State: UInt8, CaseIterable, Sendable {
    /// Usable.
    case good = 0
    /// The record cannot be read.
    case damaged = 1
    /// The record belongs to somebody or something else.
    case foreign = 2
  }

  /// The finger, `nil` when the record does not say.
  public var finger: Finger?
  /// The reader it was made on, or the file's name where that cannot be read.
  public var reader: Text
  /// When it was made, in seconds since 1970, 0 when the record does not say.
  public var created: UInt64
  /// Whether it can be used.
  public var state: State

  /// Names one print.
  public init(finger: Finger?, reader: Text, created: UInt64, state: State) {
    self.finger = finger
    self.reader = reader
    self.created = created
    self.state = state
  }
}

/// What the daemon sends. A conversation ends with `granted`, `refused` or `done`.
public enum ServerEvent: Equatable, Sendable {
  /// The request stands and a reader that can serve it is attached. Asked before
  /// the reader is open, so that the prompt need not wait for it.
  case accepted(reader: Text, scan: ScanType, fingers: FingerSet)
  /// Somebody else holds the reader: this service, on this terminal.
  case waiting(service: Text, terminal: Text)
  /// The reader waits for a finger.
  case armed
  /// Another finger; so many tries are left.
  case mismatch(triesLeft: UInt8)
  /// The scan was unusable; costs no try.
  case retry(RetryReason)
  /// The finger matched. Nothing is granted until this nonce is confirmed.
  case matched(Nonce)
  /// The match is void; the reader is armed again.
  case voided
  /// The confirmation was accepted: the person is who they say.
  case granted
  /// It ends without success.
  case refused(Refusal)
  /// What was typed is not for us; the next module decides.
  case passedOn
  /// A pattern may be typed: what has its shape is to be sent as an answer. Comes
  /// first, before what becomes of the reader.
  case patternOffered
  /// The finger cannot be used, for this reason; a pattern still can.
  case fingerEnded(Refusal)
  /// What was enrolled (`nil`: a pattern was set) after a finger or pattern let somebody in, and
  /// when, in seconds since 1970; told before `done` to whoever gave the password.
  case announced(finger: Finger?, when: UInt64)
  /// Proof is needed: the password of this account.
  case proofWanted(user: Text)
  /// The reader is ready to enrol in so many stages.
  case enrolling(reader: Text, scan: ScanType, stages: UInt8)
  /// So many stages are done; the reason why the last scan did not count.
  case stage(done: UInt8, retry: RetryReason?)
  /// One print of a list.
  case listed(ListedPrint)
  /// One attached reader: its name, its driver, and how it is touched.
  case reader(name: Text, driver: Text, scan: ScanType)
  /// One line of a status report.
  case status(key: Text, value: Text)
  /// It ends with success.
  case done
  /// The pattern of this account is wanted, as an answer.
  case patternWanted(user: Text)
  /// Patterns are locked for so many seconds, 0 until one is set anew; told before the refusal.
  case lockedFor(seconds: UInt64)
  /// This reader keeps a print that was deleted here, and why; told before `done`.
  case leftOnReader(reader: Text, reason: Refusal)
  /// One attached reader that is not trusted, why, and where it is.
  case untrustedReader(name: Text, driver: Text, scan: ScanType, doubt: ReaderDoubt, place: Text)

  /// The codes on the wire.
  public enum Kind: UInt8, CaseIterable, Sendable {
    case accepted = 1, waiting, armed, mismatch, retry, matched, voided, granted, refused, passedOn
    case patternOffered = 11, fingerEnded, announced
    case proofWanted = 32, enrolling, stage, listed, reader, status, done, patternWanted, lockedFor
    case leftOnReader, untrustedReader
  }

  /// Decodes one whole packet.
  public init(frame: Span<UInt8>) throws(FrameError) {
    var cursor = try Cursor(frame: frame)
    guard let kind = Kind(rawValue: cursor.kind) else { throw .unknownKind(cursor.kind) }
    self = try ServerEvent(kind, frame: frame, at: &cursor)
    try cursor.finish()
  }

  private init(_ kind: Kind, frame: Span<UInt8>, at cursor: inout Cursor) throws(FrameError) {
    switch kind {
    case .accepted:
      self = .accepted(
        reader: try cursor.text(in: frame), scan: try cursor.scanType(in: frame),
        fingers: try cursor.fingers(in: frame))
    case .waiting:
      self = .waiting(service: try cursor.text(in: frame), terminal: try cursor.text(in: frame))
    case .armed: self = .armed
    case .mismatch: self = .mismatch(triesLeft: try cursor.byte(in: frame))
    case .retry: self = .retry(try cursor.retryReason(in: frame))
    case .matched: self = .matched(try Nonce(frame: frame, at: &cursor))
    case .voided: self = .voided
    case .granted: self = .granted
    case .refused: self = .refused(try cursor.refusal(in: frame))
    case .passedOn: self = .passedOn
    case .proofWanted: self = .proofWanted(user: try cursor.text(in: frame))
    case .enrolling:
      self = .enrolling(
        reader: try cursor.text(in: frame), scan: try cursor.scanType(in: frame),
        stages: try cursor.byte(in: frame))
    case .stage:
      let done = try cursor.byte(in: frame)
      self = .stage(done: done, retry: try cursor.flag(in: frame) ? try cursor.retryReason(in: frame) : nil)
    case .listed: self = .listed(try ListedPrint(frame: frame, at: &cursor))
    case .reader:
      self = .reader(
        name: try cursor.text(in: frame), driver: try cursor.text(in: frame),
        scan: try cursor.scanType(in: frame))
    case .status: self = .status(key: try cursor.text(in: frame), value: try cursor.text(in: frame))
    case .done: self = .done
    case .patternOffered: self = .patternOffered
    case .fingerEnded: self = .fingerEnded(try cursor.refusal(in: frame))
    case .announced:
      self = .announced(
        finger: try Finger?(code: cursor.byte(in: frame)), when: try cursor.number(in: frame))
    case .patternWanted: self = .patternWanted(user: try cursor.text(in: frame))
    case .lockedFor: self = .lockedFor(seconds: try cursor.number(in: frame))
    case .leftOnReader:
      self = .leftOnReader(reader: try cursor.text(in: frame), reason: try cursor.refusal(in: frame))
    case .untrustedReader:
      self = .untrustedReader(
        name: try cursor.text(in: frame), driver: try cursor.text(in: frame),
        scan: try cursor.scanType(in: frame), doubt: try cursor.doubt(in: frame),
        place: try cursor.text(in: frame))
    }
  }
}

extension Cursor {
  mutating func refusal(in frame: Span<UInt8>) throws(FrameError) -> Refusal {
    guard let refusal = Refusal(rawValue: try byte(in: frame)) else { throw .malformed }
    return refusal
  }

  mutating func scanType(in frame: Span<UInt8>) throws(FrameError) -> ScanType {
    guard let type = ScanType(rawValue: try byte(in: frame)) else { throw .malformed }
    return type
  }

  mutating func doubt(in frame: Span<UInt8>) throws(FrameError) -> ReaderDoubt {
    guard let doubt = ReaderDoubt(rawValue: try byte(in: frame)) else { throw .malformed }
    return doubt
  }

  mutating func retryReason(in frame: Span<UInt8>) throws(FrameError) -> RetryReason {
    guard let reason = RetryReason(rawValue: try byte(in: frame)) else { throw .malformed }
    return reason
  }

  mutating func fingers(in frame: Span<UInt8>) throws(FrameError) -> FingerSet {
    let bits: UInt16 = try number(in: frame)
    guard FingerSet(bits: bits).bits == bits else { throw .malformed }
    return FingerSet(bits: bits)
  }
}

extension ListedPrint {
  init(frame: Span<UInt8>, at cursor: inout Cursor) throws(FrameError) {
    finger = try Finger?(code: cursor.byte(in: frame))
    reader = try cursor.text(in: frame)
    created = try cursor.number(in: frame)
    guard let state = State(rawValue: try cursor.byte(in: frame)) else { throw .malformed }
    self.state = state
  }
}
