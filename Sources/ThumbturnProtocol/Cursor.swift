// SPDX-License-Identifier: Apache-2.0

/// A place inside a frame being read. Every read is checked; none allocates.
public struct Cursor {
  /// The offset of the next byte to read.
  public private(set) var offset: Int
  /// The frame's kind, 0 where there is no header.
  public let kind: UInt8
  private let end: Int

  /// Checks magic, version and length of `frame` and stands at its body.
  ///
  /// - Throws: ``FrameError/notOurs``, ``FrameError/version(_:)`` (before anything
  ///   behind the version is looked at) or ``FrameError/malformed``.
  public init(frame: Span<UInt8>) throws(FrameError) {
    guard frame.count >= 4 else { throw .malformed }
    guard frame[0] == Wire.magic.0, frame[1] == Wire.magic.1 else { throw .notOurs }
    guard frame[2] == Wire.version else { throw .version(frame[2]) }
    guard frame.count >= Wire.headerSize, frame.count <= Wire.maximumFrame else { throw .malformed }
    let length = Int(frame[4]) &<< 8 | Int(frame[5])
    guard length == frame.count &- Wire.headerSize else { throw .malformed }
    offset = Wire.headerSize
    kind = frame[3]
    end = frame.count
  }

  /// Stands at the start of `bytes`, which have no header.
  public init(bytes: Span<UInt8>) {
    offset = 0
    kind = 0
    end = bytes.count
  }

  /// Bytes not yet read.
  public var remaining: Int { end &- offset }

  /// Reads one byte.
  public mutating func byte(in frame: Span<UInt8>) throws(FrameError) -> UInt8 {
    guard offset >= 0, offset < end, offset < frame.count else { throw .malformed }
    let value = frame[offset]
    offset &+= 1
    return value
  }

  /// Reads a number, most significant byte first.
  public mutating func number<Number: FixedWidthInteger & UnsignedInteger>(
    in frame: Span<UInt8>
  ) throws(FrameError) -> Number {
    var value: Number = 0
    for _ in 0..<(Number.bitWidth / 8) {
      value = (value &<< 8) | Number(truncatingIfNeeded: try byte(in: frame))
    }
    return value
  }

  /// Reads a yes or no; anything but 0 and 1 is malformed.
  public mutating func flag(in frame: Span<UInt8>) throws(FrameError) -> Bool {
    switch try byte(in: frame) {
    case 0: false
    case 1: true
    default: throw .malformed
    }
  }

  /// Reads a text; one that holds a NUL is malformed.
  public mutating func text(in frame: Span<UInt8>) throws(FrameError) -> Text {
    let count = Int(try byte(in: frame))
    var text = Text()
    for _ in 0..<count {
      guard text.append(try byte(in: frame)) else { throw .malformed }
    }
    return text
  }

  /// Reads where a secret stands; its bytes stay in the frame, which its owner wipes.
  public mutating func secret(in frame: Span<UInt8>) throws(FrameError) -> SecretRange {
    let count: UInt16 = try number(in: frame)
    guard Int(count) <= Wire.maximumSecret, Int(count) <= remaining else { throw .malformed }
    let range = SecretRange(offset: offset, count: Int(count))
    offset &+= Int(count)
    return range
  }

  /// Refuses what stands behind the last field.
  public func finish() throws(FrameError) {
    guard remaining == 0 else { throw .malformed }
  }
}

/// Where a secret stands inside the frame it came in.
public struct SecretRange: Equatable, Sendable {
  /// The offset of its first byte.
  public let offset: Int
  /// Its length in bytes.
  public let count: Int

  /// Names `count` bytes from `offset` on.
  public init(offset: Int, count: Int) {
    self.offset = offset
    self.count = count
  }
}

/// The number that ties a confirmation to one match. All zero is never used.
public struct Nonce: Equatable, Sendable {
  /// The first eight bytes, most significant first.
  public let high: UInt64
  /// The last eight bytes, most significant first.
  public let low: UInt64

  /// Takes two halves of a random number.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}
