// SPDX-License-Identifier: Apache-2.0

public import CThumbturnShim

// Opening and ending a conversation. The caller owns the structure; every
// pointer that comes in is valid for the length of the call, as the header says.

typealias ConversationPointer = UnsafeMutablePointer<thumbturn_conversation>

extension thumbturn_conversation {
  /// Closes the connection for a reason; the first reason stays.
  mutating func end(_ reason: Refusal, error code: CInt = 0) -> thumbturn_result {
    if refusal == 0 {
      refusal = CInt(reason.rawValue)
      error = code
    }
    finish()
    return THUMBTURN_ENDED
  }

  /// Closes the connection without a reason.
  mutating func finish() {
    shim_close(descriptor)
    descriptor = -1
    confirmed = 0
    answered = 0
    learning = 0
  }

  /// Sends one frame without waiting. The descriptor stays open even when the
  /// peer is gone, because its last words may still wait to be received.
  mutating func send(_ frame: borrowing Frame) -> thumbturn_result {
    guard descriptor >= 0 else { return THUMBTURN_ENDED }
    let target = descriptor
    let sent: CInt = frame.withBytes { bytes in
      // A frame that overflowed has no bytes, and no packet is ever empty.
      guard bytes.count > 0 else { return -1 }
      // SAFETY: send() reads `count` bytes and keeps no pointer.
      return unsafe bytes.withUnsafeBytes { unsafe shim_send(target, $0.baseAddress, $0.count) }
    }
    return sent == 0 ? THUMBTURN_OK : THUMBTURN_ENDED
  }
}

extension Refusal {
  /// Why a connection could not be made.
  init(connectError code: CInt) {
    // EAGAIN is a backlog that stayed full for as long as we may wait.
    self = code == 11 ? .overloaded : .daemonMissing
  }
}

extension Text {
  /// Copies a C string, NULL being empty; `nil` when it does not fit. Measures it before
  /// it copies, as ``init(_:)`` of a span does, and for the same reason.
  init?(_ string: UnsafePointer<CChar>?) {
    self.init()
    guard let string = unsafe string else { return }
    var count = 0
    // SAFETY: the string ends with a NUL; nothing behind that is read.
    while unsafe count <= Text.capacity && string[count] != 0 { count &+= 1 }
    guard count <= Text.capacity else { return nil }
    var index = 0
    while index < count {
      _ = unsafe append(UInt8(bitPattern: string[index]))
      index &+= 1
    }
  }
}

extension Begin {
  /// Translates the caller's request; `nil` when a text does not fit.
  init?(_ request: thumbturn_request) {
    // SAFETY: the header promises C strings or NULL.
    guard let service = unsafe Text(request.service), let user = unsafe Text(request.user),
      let terminal = unsafe Text(request.terminal), let host = unsafe Text(request.remote_host)
    else { return nil }
    self.init()
    self.service = service
    self.user = user
    self.terminal = terminal
    remoteHost = host
    realUser = unsafe request.real_user
    loginUser = unsafe request.login_user
    tries = unsafe UInt8(clamping: request.tries)
    timeout = unsafe UInt16(clamping: request.timeout)
    requester = unsafe request.requester
  }
}

/// Connects, checks that root listens, and sends the request.
@c @implementation
public func thumbturn_open(
  _ conversation: UnsafeMutablePointer<thumbturn_conversation>, _ socket: UnsafePointer<CChar>?,
  _ request: UnsafePointer<thumbturn_request>, _ limit_ms: CInt
) -> thumbturn_result {
  // SAFETY: all three pointers are the caller's for the length of the call.
  unsafe conversation.pointee = thumbturn_conversation(
    descriptor: -1, refusal: 0, error: 0, confirmed: 0, answered: 0, learning: 0)
  guard let begin = unsafe Begin(request.pointee) else {
    return unsafe conversation.pointee.end(.malformed)
  }
  let descriptor = unsafe shim_connect(socket ?? shim_default_socket(), limit_ms)
  guard descriptor >= 0 else {
    let code = shim_errno()
    return unsafe conversation.pointee.end(Refusal(connectError: code), error: code)
  }
  unsafe conversation.pointee.descriptor = descriptor
  guard unsafe conversation.pointee.send(ClientMessage.begin(begin).frame) == THUMBTURN_OK else {
    return unsafe conversation.pointee.end(.daemonMissing, error: shim_errno())
  }
  return THUMBTURN_OK
}

/// The descriptor to poll, -1 once the conversation is over.
@c @implementation
public func thumbturn_descriptor(_ conversation: UnsafePointer<thumbturn_conversation>) -> CInt {
  // SAFETY: the pointer is the caller's for the length of the call; so below.
  unsafe conversation.pointee.descriptor
}

/// The code of the refusal that ended the conversation, 0 while there is none.
@c @implementation
public func thumbturn_refusal(_ conversation: UnsafePointer<thumbturn_conversation>) -> CInt {
  unsafe conversation.pointee.refusal
}

/// The errno behind that refusal, 0 when there is none.
@c @implementation
public func thumbturn_error(_ conversation: UnsafePointer<thumbturn_conversation>) -> CInt {
  unsafe conversation.pointee.error
}

/// Closes the descriptor; may be called again.
@c @implementation
public func thumbturn_close(_ conversation: UnsafeMutablePointer<thumbturn_conversation>) {
  unsafe conversation.pointee.finish()
}
