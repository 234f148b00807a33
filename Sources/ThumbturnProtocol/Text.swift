// SPDX-License-Identifier: Apache-2.0

/// At most 255 bytes without a NUL, kept in place.
///
/// Names of users, services, terminals and readers travel as these. The bytes
/// are whatever the sender wrote; ``printable`` is for prompts and logs.
public struct Text: Equatable, Sendable {
  /// The most bytes a text can have.
  public static let capacity = 255

  private var storage = [255 of UInt8](repeating: 0)
  private var length: UInt8 = 0

  /// The empty text.
  public init() {}

  /// Takes bytes; `nil` when they do not fit or hold a NUL.
  ///
  /// Looks before it copies: where copying itself decides about `nil`, Swift 6.3.1 loses
  /// the bytes when it optimises.
  public init?(_ bytes: Span<UInt8>) {
    guard Text.holds(bytes) else { return nil }
    self.init()
    var index = 0
    while index < bytes.count {
      // SAFETY: the index is below the count. Another check of that could trap, in a host.
      _ = append(unsafe bytes[unchecked: index])
      index &+= 1
    }
  }

  private static func holds(_ bytes: Span<UInt8>) -> Bool {
    guard bytes.count <= capacity else { return false }
    var index = 0
    while index < bytes.count {
      // SAFETY: as above.
      if unsafe bytes[unchecked: index] == 0 { return false }
      index &+= 1
    }
    return true
  }

  /// Takes a literal of this program; what does not fit is left out.
  public init(_ literal: StaticString) {
    literal.withUTF8Buffer { buffer in
      // SAFETY: the literal's bytes live as long as the program.
      for index in 0..<buffer.count { _ = append(unsafe buffer[index]) }
    }
  }

  /// Length in bytes.
  public var count: Int { Int(length) }

  /// Whether there are no bytes.
  public var isEmpty: Bool { length == 0 }

  /// The byte at `index`, 0 when there is none.
  public subscript(index: Int) -> UInt8 {
    index >= 0 && index < Text.capacity && index < count ? storage[index] : 0
  }

  /// Adds one byte; `false` when it is NUL or there is no room.
  public mutating func append(_ byte: UInt8) -> Bool {
    guard byte != 0, count < Text.capacity else { return false }
    storage[count] = byte
    length &+= 1
    return true
  }

  /// The same text with control characters (below 32, and 127) turned into "?".
  ///
  /// Bytes from 128 on stay, since names may be UTF-8; the C1 controls, which
  /// terminals obey too, are lost with their lead byte 0xC2.
  public var printable: Text {
    var clean = Text()
    var index = 0
    while index < count {
      let byte = self[index]
      let control = byte < 32 || byte == 127
      let lead = byte == 0xC2 && self[index &+ 1] >= 0x80 && self[index &+ 1] < 0xA0
      _ = clean.append(control || lead ? 0x3F : byte)
      index &+= lead ? 2 : 1
    }
    return clean
  }

  /// Equal when length and bytes are equal.
  public static func == (left: Text, right: Text) -> Bool {
    guard left.length == right.length else { return false }
    for index in 0..<left.count where left[index] != right[index] { return false }
    return true
  }
}
