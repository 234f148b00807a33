// SPDX-License-Identifier: Apache-2.0

/// What a client sends.
public enum ClientMessage: Equatable, Sendable {
  /// Opens the conversation: authenticate this person.
  case begin(Begin)
  /// The host is, or is no longer, in front on its terminal.
  case foreground(Bool)
  /// Takes the match with this nonce; the daemon answers granted or voided.
  case confirm(Nonce)
  /// The prompt could not be ended by itself: keep the match for a few seconds.
  case hold
  /// Takes the request back.
  case cancel
  /// Something typed that has the shape of a pattern; the daemon answers granted,
  /// refused or passed on.
  case answer(SecretRange)
  /// Hands over what the person typed as a password, for the daemon to have it
  /// checked; opens a conversation of its own. Teaches something only if it is right.
  case learn(user: Text, service: Text, SecretRange)
  /// Enrols one finger. The daemon asks for proof where it needs one.
  case enroll(PrintRequest)
  /// Asks for the enrolled prints of an account.
  case list(Text)
  /// Deletes prints of an account.
  case delete(PrintRequest)
  /// Asks how the service is.
  case status
  /// Asks for the attached readers.
  case readers
  /// The password of the peer, as proof.
  case proof(SecretRange)
  /// Sets an account's pattern anew; the daemon asks for proof, then for the pattern.
  case setPattern(Text)
  /// Deletes an account's pattern.
  case deletePattern(Text)
  /// Tries an account's pattern, changing nothing but the count of guesses.
  case checkPattern(Text)
  /// Asks what attached readers keep in their own storage, or, with `true`, to empty it.
  case storage(clear: Bool)
  /// Forgets the failed tries at an account's finger and pattern, and what of them is damaged.
  case unlock(Text)
  /// Takes nothing but the password of this account, until it was given; an empty
  /// name stands for everybody.
  case lockdown(Text)
  /// Asks what a request of this service for this account would be allowed now, and why.
  case policy(service: Text, user: Text)
  /// Trusts the attached readers that are not; the daemon asks for proof. What root trusts,
  /// everybody does.
  case trustReaders

  /// The codes on the wire.
  public enum Kind: UInt8, CaseIterable, Sendable {
    case begin = 1, foreground, confirm, hold, cancel, answer, learn
    case enroll = 16, list, delete, status, readers, proof, setPattern, deletePattern, checkPattern
    case storage, unlock, lockdown, policy, trustReaders
  }

  /// Decodes one whole packet.
  public init(frame: Span<UInt8>) throws(FrameError) {
    var cursor = try Cursor(frame: frame)
    guard let kind = Kind(rawValue: cursor.kind) else { throw .unknownKind(cursor.kind) }
    switch kind {
    case .begin: self = .begin(try Begin(frame: frame, at: &cursor))
    case .foreground: self = .foreground(try cursor.flag(in: frame))
    case .confirm: self = .confirm(try Nonce(frame: frame, at: &cursor))
    case .hold: self = .hold
    case .cancel: self = .cancel
    case .answer: self = .answer(try cursor.secret(in: frame))
    case .enroll: self = .enroll(try PrintRequest(frame: frame, at: &cursor))
    case .list: self = .list(try cursor.text(in: frame))
    case .delete: self = .delete(try PrintRequest(frame: frame, at: &cursor))
    case .status: self = .status
    case .readers: self = .readers
    case .proof: self = .proof(try cursor.secret(in: frame))
    case .learn:
      self = .learn(
        user: try cursor.text(in: frame), service: try cursor.text(in: frame), try cursor.secret(in: frame))
    case .setPattern: self = .setPattern(try cursor.text(in: frame))
    case .deletePattern: self = .deletePattern(try cursor.text(in: frame))
    case .checkPattern: self = .checkPattern(try cursor.text(in: frame))
    case .storage: self = .storage(clear: try cursor.flag(in: frame))
    case .unlock: self = .unlock(try cursor.text(in: frame))
    case .lockdown: self = .lockdown(try cursor.text(in: frame))
    case .policy: self = .policy(service: try cursor.text(in: frame), user: try cursor.text(in: frame))
    case .trustReaders: self = .trustReaders
    }
    try cursor.finish()
  }

  /// Encodes a message without a secret.
  ///
  /// A secret's message is written by ``Frame/init(answer:)``,
  /// ``Frame/init(proof:)`` or ``Frame/init(learn:user:service:)``; here it becomes one with an empty secret.
  public var frame: Frame {
    var frame = Frame(kind: kind.rawValue)
    switch self {
    case .begin(let begin): begin.append(to: &frame)
    case .foreground(let flag), .storage(let flag): frame.append(flag ? 1 : 0)
    case .confirm(let nonce): frame.append(nonce)
    case .enroll(let request), .delete(let request): request.append(to: &frame)
    case .list(let user), .setPattern(let user), .deletePattern(let user), .checkPattern(let user),
      .unlock(let user), .lockdown(let user):
      frame.append(user)
    case .policy(let service, let user):
      frame.append(service)
      frame.append(user)
    case .learn(let user, let service, _):
      frame.append(user)
      frame.append(service)
      frame.append(number: UInt16(0))
    case .answer, .proof: frame.append(number: UInt16(0))
    case .hold, .cancel, .status, .readers, .trustReaders: break
    }
    return frame
  }

  /// The code of this message.
  public var kind: Kind {
    switch self {
    case .begin: .begin
    case .foreground: .foreground
    case .confirm: .confirm
    case .hold: .hold
    case .cancel: .cancel
    case .answer: .answer
    case .enroll: .enroll
    case .list: .list
    case .delete: .delete
    case .status: .status
    case .readers: .readers
    case .proof: .proof
    case .learn: .learn
    case .setPattern: .setPattern
    case .deletePattern: .deletePattern
    case .checkPattern: .checkPattern
    case .storage: .storage
    case .unlock: .unlock
    case .lockdown: .lockdown
    case .policy: .policy
    case .trustReaders: .trustReaders
    }
  }
}

extension Frame {
  /// Writes an `answer` with its secret.
  public init(answer secret: Span<UInt8>) {
    self.init(kind: ClientMessage.Kind.answer.rawValue)
    append(secret: secret)
  }

  /// Writes a `proof` with its secret.
  public init(proof secret: Span<UInt8>) {
    self.init(kind: ClientMessage.Kind.proof.rawValue)
    append(secret: secret)
  }

  /// Writes a `learn` with its secret.
  public init(learn secret: Span<UInt8>, user: Text, service: Text) {
    self.init(kind: ClientMessage.Kind.learn.rawValue)
    append(user)
    append(service)
    append(secret: secret)
  }

  mutating func append(_ nonce: Nonce) {
    append(number: nonce.high)
    append(number: nonce.low)
  }
}

extension Nonce {
  init(frame: Span<UInt8>, at cursor: inout Cursor) throws(FrameError) {
    self.init(high: try cursor.number(in: frame), low: try cursor.number(in: frame))
  }
}
