// SPDX-License-Identifier: Apache-2.0

/// Who asks for what, as the client puts it.
///
/// Only what a root peer says of others is believed; for any other peer the
/// daemon goes by the socket's credentials.
public struct Begin: Equatable, Sendable {
  /// The PAM service, `sudo`.
  public var service = Text()
  /// The account to be authenticated.
  public var user = Text()
  /// `PAM_TTY`, empty without one.
  public var terminal = Text()
  /// `PAM_RHOST`, empty for a local request.
  public var remoteHost = Text()
  /// The real uid of the process that asks.
  public var realUser: UInt32 = 0
  /// Its login uid (`/proc/self/loginuid`), 4294967295 when there is none.
  public var loginUser: UInt32 = .max
  /// How many mismatches end the request, 0 for the configured number.
  public var tries: UInt8 = 0
  /// Seconds the reader stays armed without a match, 0 for the configured number.
  public var timeout: UInt16 = 0

  /// A request that names nobody yet.
  public init() {}
}

/// What an account's owner or root wants done with enrolled prints.
public struct PrintRequest: Equatable, Sendable {
  /// The account.
  public var user: Text
  /// The finger; `nil` stands for all of them.
  public var finger: Finger?

  /// Names an account and a finger.
  public init(user: Text, finger: Finger?) {
    self.user = user
    self.finger = finger
  }
}

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
  /// Trusts the attached readers that are not; the daemon asks for proof. What root trusts,
  /// everybody does.
  case trustReaders

  /// The codes on the wire.
  public enum Kind: UInt8, CaseIterable, Sendable {
    case begin = 1, foreground, confirm, hold, cancel, answer, learn
    case enroll = 16, list, delete, status, readers, proof, setPattern, deletePattern, checkPattern
    case storage
    case trustReaders = 29
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
    case .list(let user), .setPattern(let user), .deletePattern(let user), .checkPattern(let user):
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

extension Begin {
  init(frame: Span<UInt8>, at cursor: inout Cursor) throws(FrameError) {
    service = try cursor.text(in: frame)
    user = try cursor.text(in: frame)
    terminal = try cursor.text(in: frame)
    remoteHost = try cursor.text(in: frame)
    realUser = try cursor.number(in: frame)
    loginUser = try cursor.number(in: frame)
    tries = try cursor.byte(in: frame)
    timeout = try cursor.number(in: frame)
  }

  func append(to frame: inout Frame) {
    frame.append(service)
    frame.append(user)
    frame.append(terminal)
    frame.append(remoteHost)
    frame.append(number: realUser)
    frame.append(number: loginUser)
    frame.append(tries)
    frame.append(number: timeout)
  }
}

extension PrintRequest {
  init(frame: Span<UInt8>, at cursor: inout Cursor) throws(FrameError) {
    user = try cursor.text(in: frame)
    finger = try Finger?(code: cursor.byte(in: frame))
  }

  func append(to frame: inout Frame) {
    frame.append(user)
    frame.append(finger?.rawValue ?? 0)
  }
}

extension Finger? {
  /// Takes a finger's number, 0 for none.
  init(code: UInt8) throws(FrameError) {
    guard code != 0 else {
      self = nil
      return
    }
    guard let finger = Finger(rawValue: code) else { throw .malformed }
    self = finger
  }
}
