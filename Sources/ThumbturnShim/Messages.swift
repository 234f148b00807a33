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

/// Sends something typed, and wipes the frame it went in.
@c @implementation
public func thumbturn_answer(
  _ conversation: UnsafeMutablePointer<thumbturn_conversation>, _ secret: UnsafePointer<CChar>
) -> thumbturn_result {
  // SAFETY: the secret is a C string; no more than the longest one is looked at.
  var count = 0
  while unsafe count <= Wire.maximumSecret && secret[count] != 0 { count &+= 1 }
  guard count <= Wire.maximumSecret else { return THUMBTURN_ENDED }
  let bytes = unsafe UnsafeRawBufferPointer(start: secret, count: count)
  var frame = unsafe Frame(answer: bytes.bindMemory(to: UInt8.self).span)
  let result = unsafe conversation.pointee.send(frame)
  frame.wipe()
  return result
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
