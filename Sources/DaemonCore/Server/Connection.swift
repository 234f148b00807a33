// SPDX-License-Identifier: Apache-2.0

internal import CSystem
internal import System
internal import ThumbturnProtocol

/// What a connection serves once its first message has said what it is for.
protocol Session: AnyObject {
  /// Begins; the connection knows the session by now.
  func start()
  /// Takes a later message. A secret in it can be used until this returns.
  func receive(_ message: ClientMessage, secret: borrowing Secret)
  /// The client is gone; nothing can be sent any more.
  func hungUp()
}

/// One client's connection.
final class Connection {
  /// How long a client may be silent at first, in milliseconds.
  static let firstMessageLimit = 2_000

  let peer: Peer
  private let socket: PacketSocket
  /// Holds one packet at a time and is wiped after each; a byte more than a frame
  /// has, so that none too long looks whole.
  private var buffer = Secret(capacity: Wire.maximumFrame + 1)
  private var watch: ReadWatch?
  private var silence: Timer?
  private var session: (any Session)?
  private let begin: (Connection, ClientMessage) -> (any Session)?
  private let closed: () -> Void

  /// Serves a socket. `begin` answers what serves the first message, `nil` when it
  /// was answered at once; `closed` is called when everything is over.
  init(
    _ socket: consuming PacketSocket, peer: Peer,
    begin: @escaping (Connection, ClientMessage) -> (any Session)?, closed: @escaping () -> Void
  ) {
    self.peer = peer
    self.socket = socket
    self.begin = begin
    self.closed = closed
    watch = ReadWatch(self.socket.number) { [weak self] in self?.read() }
    silence = Timer(milliseconds: Connection.firstMessageLimit) { [weak self] in self?.close() }
  }

  /// Whether the client is still there, as far as is known.
  var isOpen: Bool { watch != nil }

  /// Sends an event. A client that does not read what it is sent is dropped.
  func send(_ event: ServerEvent) {
    guard watch != nil else { return }
    let frame = event.frame
    let sent = frame.withBytes { bytes in
      do throws(SystemError) {
        try socket.send(bytes)
        return true
      } catch {
        return false
      }
    }
    if !sent { drop() }
  }

  /// Closes the connection after everything was said.
  func close() {
    guard watch != nil else { return }
    watch = nil
    silence = nil
    closed()
  }

  /// The client is gone, or treated as if it were.
  func drop() {
    guard watch != nil else { return }
    session?.hungUp()
    close()
  }

  private func read() {
    // A client that floods shares the loop with everybody else.
    for _ in 0..<16 where watch != nil {
      do throws(SystemError) {
        switch try socket.receive(into: &buffer) {
        case .packet(let count): take(count)
        case .nothing: return
        case .ended: return drop()
        }
      } catch {
        // A packet that is longer than a frame can be is gone; its sender hears why.
        return error.code == EMSGSIZE ? refuse(.malformed) : drop()
      }
    }
  }

  private func take(_ count: Int) {
    switch decode(count) {
    case .success(let message): take(message)
    case .failure(.version): refuse(.unknownVersion)
    case .failure: refuse(.malformed)
    }
    // SAFETY: the buffer is exclusively ours.
    unsafe buffer.fill { if let base = $0.baseAddress { unsafe csystem_wipe(base, $0.count) } }
    // A pattern is a plain value until it is held; it went through the calls above.
    csystem_wipe_stack()
  }

  private func decode(_ count: Int) -> Result<ClientMessage, FrameError> {
    buffer.withBytes { bytes in
      do throws(FrameError) {
        return .success(try ClientMessage(frame: bytes.extracting(first: count)))
      } catch {
        return .failure(error)
      }
    }
  }

  private func take(_ message: ClientMessage) {
    if let session { return session.receive(message, secret: buffer) }
    silence = nil
    session = begin(self, message)
    guard let session else { return close() }
    session.start()
    // The only first message with a secret in it.
    if message.kind == .learn { session.receive(message, secret: buffer) }
  }

  /// What is not the protocol ends the request, whatever it was.
  private func refuse(_ refusal: Refusal) {
    send(.refused(refusal))
    drop()
  }
}
