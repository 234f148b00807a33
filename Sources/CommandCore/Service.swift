// SPDX-License-Identifier: Apache-2.0

internal import CSystem
internal import System
internal import ThumbturnProtocol

/// One connection to the service.
struct Service: ~Copyable {
  /// Milliseconds the service may take for an answer that needs no person. The
  /// check of a password and the wait for another's claim have limits below it.
  static let patience: Int32 = 45_000

  private let socket: PacketSocket
  private let signals: Signals
  private var buffer = [UInt8](repeating: 0, count: Wire.maximumFrame)

  private init(_ socket: consuming PacketSocket, _ signals: consuming Signals) {
    self.socket = socket
    self.signals = signals
  }

  /// Connects, and makes sure that root listens (or whoever runs this program).
  static func open(at path: String) throws(Failure) -> Service {
    let socket = try connect(to: path)
    let user = try socket.user()
    guard user == 0 || user == geteuid() else { throw .impostor(user: user) }
    return Service(socket, try Signals())
  }

  /// Sends a message without a secret.
  func send(_ message: ClientMessage) throws(Failure) {
    let frame = message.frame
    try send(frame)
  }

  /// Sends a password as proof and wipes the frame it travels in.
  func send(proof password: borrowing Password) throws(Failure) {
    let failure = password.withBytes { bytes in
      var frame = Frame(proof: bytes)
      return failureOf(sendingAndWiping: &frame)
    }
    if let failure { throw failure }
  }

  /// Sends a pattern as an answer, in the same way.
  func send(answer pattern: borrowing Password) throws(Failure) {
    let failure = pattern.withBytes { bytes in
      var frame = Frame(answer: bytes)
      return failureOf(sendingAndWiping: &frame)
    }
    if let failure { throw failure }
  }

  private func failureOf(sendingAndWiping frame: inout Frame) -> Failure? {
    defer {
      frame.withStorage { storage in
        for index in storage.indices { storage[index] = 0 }
      }
    }
    return failureOf(sending: frame)
  }

  private func send(_ frame: borrowing Frame) throws(Failure) {
    if let failure = failureOf(sending: frame) { throw failure }
  }

  private func failureOf(sending frame: borrowing Frame) -> Failure? {
    frame.withBytes { bytes in
      do throws(SystemError) {
        try socket.send(bytes)
        return nil
      } catch {
        // A service that refused and hung up has its answer still waiting to be read.
        return error.code == EPIPE || error.code == ECONNRESET ? nil : .system("\(error)")
      }
    }
  }

  /// The next event. A refusal is thrown.
  ///
  /// `unlimited` is for waits that a person ends. A signal takes the request back.
  mutating func next(
    unlimited: Bool = false, whenStopped: StopBehaviour = .keep
  ) throws(Failure) -> ServerEvent {
    while true {
      if let event = try receive() { return try refusalsThrown(event) }
      switch try wait(limit: unlimited ? -1 : Service.patience, whenStopped: whenStopped) {
      case .nothing where !unlimited: throw .silent
      case .resumed where whenStopped == .giveReaderUp: try send(.foreground(true))
      case .nothing, .readable, .resumed: break
      }
    }
  }

  /// Reads a password while the connection stays open.
  func password(from source: PasswordSource, prompt: String) throws(Failure) -> Password {
    do throws(Failure) {
      return try Password(from: source, prompt: prompt, signals: signals)
    } catch {
      try? send(.cancel)
      throw error
    }
  }

  private func wait(limit: Int32, whenStopped: StopBehaviour) throws(Failure) -> Awaited {
    do throws(Failure) {
      return try signals.wait(for: socket.number, limit: limit) { () throws(Failure) in
        if whenStopped == .giveReaderUp { try send(.foreground(false)) }
      }
    } catch {
      try? send(.cancel)
      throw error
    }
  }

  private mutating func receive() throws(Failure) -> ServerEvent? {
    let received: Received
    do throws(SystemError) {
      received = try socket.receive(into: &buffer)
    } catch {
      throw .system("\(error)")
    }
    switch received {
    case .nothing: return nil
    case .ended: throw .hungUp
    case .packet(let count): return try event(count)
    }
  }

  private func event(_ count: Int) throws(Failure) -> ServerEvent {
    do throws(FrameError) {
      return try ServerEvent(frame: buffer.span.extracting(first: count))
    } catch {
      if case .version = error { throw .refused(.unknownVersion) }
      throw .confused
    }
  }

  private func refusalsThrown(_ event: ServerEvent) throws(Failure) -> ServerEvent {
    if case .refused(let refusal) = event { throw .refused(refusal) }
    return event
  }
}

private func connect(to path: String) throws(Failure) -> PacketSocket {
  do throws(SystemError) {
    return try PacketSocket(connecting: path, limit: 2000)
  } catch {
    throw .unreachable("\(shown(path)): \(error)")
  }
}

extension PacketSocket {
  /// The uid that listens.
  fileprivate func user() throws(Failure) -> UInt32 {
    do throws(SystemError) {
      return try peer().user
    } catch {
      throw .system("\(error)")
    }
  }
}

/// What Ctrl-Z means to a request.
enum StopBehaviour {
  /// It stays as it is.
  case keep
  /// Others may use the reader until the program is in front again.
  case giveReaderUp
}
