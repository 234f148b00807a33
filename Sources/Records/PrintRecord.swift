// SPDX-License-Identifier: Apache-2.0

public import ThumbturnProtocol

/// Why bytes are no record.
public enum RecordError: Error, Equatable, Sendable {
  /// They do not start as a record does.
  case notARecord
  /// They are of a version that this code does not know.
  case unknownVersion(UInt8)
  /// The template is sealed in a way that this code does not know, or cannot be opened.
  case sealed(UInt8)
  /// They are incomplete or changed.
  case damaged
  /// A field is empty that must not be, or too long.
  case invalid
}

/// One enrolled finger of one person on one reader.
public struct PrintRecord: Equatable, Sendable {
  /// The most bytes of a template; the reader protocol has the same limit.
  public static let maximumTemplate = 98_000

  /// The login name of the person.
  public let user: Text
  /// Their uid; a name or number given to somebody else makes the record foreign.
  public let uid: UInt32
  /// Which finger.
  public let finger: Finger
  /// The reader it was made on.
  public let reader: ReaderIdentity
  /// Counts the saves of this person's records; the store sets it.
  public internal(set) var generation: UInt64
  /// When it was made, in seconds since 1970.
  public let created: UInt64
  /// libfprint's serialised print.
  public let template: [UInt8]

  /// Describes a finger; refuses an empty name and a template that is empty or
  /// above ``maximumTemplate`` (``RecordError/invalid``).
  public init(
    user: Text, uid: UInt32, finger: Finger, reader: ReaderIdentity, generation: UInt64 = 0,
    created: UInt64, template: [UInt8]
  ) throws(RecordError) {
    guard !user.isEmpty, !template.isEmpty, template.count <= PrintRecord.maximumTemplate else {
      throw .invalid
    }
    self.user = user
    self.uid = uid
    self.finger = finger
    self.reader = reader
    self.generation = generation
    self.created = created
    self.template = template
  }

  /// The same record as the save with this number.
  public func with(generation: UInt64) -> PrintRecord {
    var copy = self
    copy.generation = generation
    return copy
  }
}
