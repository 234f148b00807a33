// SPDX-License-Identifier: Apache-2.0

public import CThumbturnShim

// What the client says once the conversation stands.

extension Nonce {
  /// Reads 16 bytes, most significant first.
  init(_ bytes: UnsafePointer<UInt8>) {
    var high: UInt64 = 0
    var low: UInt64 = 0
    for index in 0..<8 {
      // SAFETY: the header promises 16 bytes.
      high = unsafe (high << 8) | UInt64(bytes[index])
      low = unsafe (low << 8) | UInt64(bytes[index &+ 8])
    }
    self.init(high: high, low: low)
  }
}

/// Takes the match with this nonce of 16 bytes.
@c @implementation
public func thumbturn_confirm(
  _ conversation: UnsafeMutablePointer<thumbturn_conversation>, _ nonce: UnsafePointer<UInt8>
) -> thumbturn_result {
  // SAFETY: both pointers are the caller's for the length of the call; so below.
  let result = unsafe conversation.pointee.send(ClientMessage.confirm(Nonce(nonce)).frame)
  unsafe conversation.pointee.confirmed = result == THUMBTURN_OK ? 1 : 0
  return result
}

/// Says whether the host is in front.
@c @implementation
public func thumbturn_foreground(
  _ conversation: UnsafeMutablePointer<thumbturn_conversation>, _ in_front: CInt
) -> thumbturn_result {
  unsafe conversation.pointee.send(ClientMessage.foreground(in_front != 0).frame)
}

/// Asks to keep the match for a few seconds.
@c @implementation
public func thumbturn_hold(
  _ conversation: UnsafeMutablePointer<thumbturn_conversation>
) -> thumbturn_result {
  unsafe conversation.pointee.send(ClientMessage.hold.frame)
}

/// Takes the request back.
@c @implementation
public func thumbturn_cancel(
  _ conversation: UnsafeMutablePointer<thumbturn_conversation>
) -> thumbturn_result {
  unsafe conversation.pointee.send(ClientMessage.cancel.frame)
}

/// Sends something typed, and wipes the frame it went in and what that left on the stack.
@c @implementation
public func thumbturn_answer(
  _ conversation: UnsafeMutablePointer<thumbturn_conversation>, _ secret: UnsafePointer<CChar>
) -> thumbturn_result {
  // SAFETY: the secret is a C string, the conversation the caller's.
  guard let bytes = unsafe secretBytes(secret) else { return THUMBTURN_ENDED }
  let result = unsafe conversation.pointee.send(answer: bytes)
  shim_wipe_stack()
  unsafe conversation.pointee.answered = result == THUMBTURN_OK ? 1 : 0
  return result
}

/// Hands a password over in a connection of its own, and wipes what it went in, as above.
@c @implementation
public func thumbturn_learn(
  _ conversation: UnsafeMutablePointer<thumbturn_conversation>, _ socket: UnsafePointer<CChar>?,
  _ user: UnsafePointer<CChar>, _ service: UnsafePointer<CChar>, _ secret: UnsafePointer<CChar>,
  _ limit_ms: CInt
) -> thumbturn_result {
  // SAFETY: the conversation is the caller's, the others are C strings, for the length of the call.
  unsafe conversation.pointee = thumbturn_conversation(
    descriptor: -1, refusal: 0, error: 0, confirmed: 0, answered: 0, learning: 1)
  guard let bytes = unsafe secretBytes(secret), let person = unsafe Text(user),
    let place = unsafe Text(service)
  else { return unsafe conversation.pointee.end(.malformed) }
  let descriptor = unsafe shim_connect(socket ?? shim_default_socket(), limit_ms)
  guard descriptor >= 0 else {
    let code = shim_errno()
    return unsafe conversation.pointee.end(Refusal(connectError: code), error: code)
  }
  unsafe conversation.pointee.descriptor = descriptor
  let result = unsafe conversation.pointee.send(learn: bytes, user: person, service: place)
  let code = shim_errno()
  shim_wipe_stack()
  guard result == THUMBTURN_OK else { return unsafe conversation.pointee.end(.daemonMissing, error: code) }
  return THUMBTURN_OK
}

extension thumbturn_conversation {
  // In functions of their own, so that all they leave lies below their callers.

  @inline(never)
  fileprivate mutating func send(answer bytes: UnsafeBufferPointer<UInt8>) -> thumbturn_result {
    // SAFETY: the secret lives through the call, here and below.
    var frame = unsafe Frame(answer: bytes.span)
    let result = send(frame)
    frame.wipe()
    return result
  }

  @inline(never)
  fileprivate mutating func send(
    learn bytes: UnsafeBufferPointer<UInt8>, user: Text, service: Text
  ) -> thumbturn_result {
    var frame = unsafe Frame(learn: bytes.span, user: user, service: service)
    let result = send(frame)
    frame.wipe()
    return result
  }
}

/// A C string's bytes; `nil` for one longer than any secret, of which no more is looked at.
private func secretBytes(_ secret: UnsafePointer<CChar>) -> UnsafeBufferPointer<UInt8>? {
  var count = 0
  // SAFETY: the string ends with a NUL; nothing behind that is read.
  while unsafe count <= Wire.maximumSecret && secret[count] != 0 { count &+= 1 }
  guard count <= Wire.maximumSecret else { return nil }
  return unsafe UnsafeRawBufferPointer(start: secret, count: count).bindMemory(to: UInt8.self)
}

extension Frame {
  /// Overwrites the secret in the frame.
  mutating func wipe() {
    withStorage { storage in
      // SAFETY: the storage is the frame's own.
      unsafe storage.withUnsafeMutableBytes { unsafe shim_wipe($0.baseAddress, $0.count) }
    }
  }
}
