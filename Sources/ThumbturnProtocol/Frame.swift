// SPDX-License-Identifier: Apache-2.0

/// The protocol between a client (PAM module, command) and `thumbturnd`, version 1.
///
/// One packet of a `SOCK_SEQPACKET` connection is one frame:
///
///     offset  size  field
///     0       2     magic     "TT"
///     2       1     version   1
///     3       1     kind      see ``ClientMessage/Kind`` and ``ServerEvent/Kind``
///     4       2     length    of the body, big-endian, at most 2,048
///     6       n     body      the kind's fields, one after another
///
/// Numbers are big-endian. A text is one byte of length and as many bytes, none
/// of them NUL. A secret is two bytes of length and as many bytes. A nonce is 16 bytes.
///
/// Kinds and codes are append-only: never renumbered, never used again. A frame
/// that is too short, too long or followed by anything is refused whole. The
/// first four bytes stay as they are in every later version, so a peer can tell
/// "another version" from "not ours" and say so. A packet of no bytes is never
/// sent, because it looks like the end of the connection.
///
/// Nothing here allocates or traps: the same code runs inside sudo and login.
public enum Wire {
  /// The version this code speaks.
  public static let version: UInt8 = 1
  /// The first two bytes of every frame, "TT".
  public static let magic: (UInt8, UInt8) = (0x54, 0x54)
  /// Bytes before the body.
  public static let headerSize = 6
  /// The most bytes a body may have.
  public static let maximumBody = 2048
  /// The most bytes a frame may have.
  public static let maximumFrame = headerSize + maximumBody
  /// The most bytes a secret may have; PAM's own limit for an answer is 512.
  public static let maximumSecret = 511
}

/// Why a frame was not understood.
public enum FrameError: Error, Equatable {
  /// The first two bytes are not "TT".
  case notOurs
  /// The frame speaks another version of the protocol.
  case version(UInt8)
  /// The kind is not one the receiver knows.
  case unknownKind(UInt8)
  /// The body does not have the shape its kind asks for.
  case malformed
}

/// One frame being written: fixed storage, no allocation, never traps.
///
/// A write past the end marks the frame as overflowed; such a frame has no bytes.
public struct Frame: ~Copyable {
  private var storage = [2054 of UInt8](repeating: 0)
  private var end = 0
  private var overflowed = false

  /// Starts a frame of `kind` with an empty body.
  public init(kind: UInt8, version: UInt8 = Wire.version) {
    append(Wire.magic.0)
    append(Wire.magic.1)
    append(version)
    append(kind)
    append(0)
    append(0)
  }

  /// The number of bytes to send, 0 for a frame that overflowed.
  ///
  /// Clamped, so that the compiler too sees that no slice of the storage can fail.
  public var count: Int { overflowed ? 0 : min(max(end, 0), Wire.maximumFrame) }

  /// Lends the frame's bytes for the length of one call.
  public borrowing func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    body(storage.span.extracting(first: count))
  }

  /// Adds one byte to the body and keeps the length field right.
  public mutating func append(_ byte: UInt8) {
    guard end >= 0, end < Wire.maximumFrame else {
      overflowed = true
      return
    }
    storage[end] = byte
    end &+= 1
    let length = end > Wire.headerSize ? end &- Wire.headerSize : 0
    storage[4] = UInt8(truncatingIfNeeded: length &>> 8)
    storage[5] = UInt8(truncatingIfNeeded: length)
  }

  /// Adds a number, most significant byte first.
  public mutating func append<Number: FixedWidthInteger & UnsignedInteger>(number: Number) {
    var shift = Number.bitWidth
    while shift > 0 {
      shift &-= 8
      append(UInt8(truncatingIfNeeded: number &>> Number(truncatingIfNeeded: shift)))
    }
  }

  /// Adds a text.
  public mutating func append(_ text: Text) {
    append(UInt8(truncatingIfNeeded: text.count))
    for index in 0..<text.count { append(text[index]) }
  }

  /// Adds a secret; one that is too long marks the frame as overflowed.
  public mutating func append(secret: Span<UInt8>) {
    guard secret.count <= Wire.maximumSecret else {
      overflowed = true
      return
    }
    append(number: UInt16(truncatingIfNeeded: secret.count))
    for index in 0..<secret.count { append(secret[index]) }
  }

  /// Lends the whole storage for wiping once a secret was sent.
  public mutating func withStorage(_ body: (inout MutableSpan<UInt8>) -> Void) {
    var span = storage.mutableSpan
    body(&span)
  }
}
