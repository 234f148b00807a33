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
  /// The process on whose behalf the peer asks, 0 for the peer itself.
  ///
  /// polkit's helper runs under systemd; only its standard input's `SO_PEERCRED` names
  /// the agent in somebody's session.
  public var requester: UInt32 = 0

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
    requester = try cursor.number(in: frame)
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
    frame.append(number: requester)
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
