// SPDX-License-Identifier: Apache-2.0

internal import ThumbturnProtocol
internal import Throttle

/// The files of a person's pattern, in the person's folder.
enum PatternFile: String, CaseIterable {
  /// What a pattern is compared with.
  case record = "pattern.record"
  /// The guesses at it.
  case throttle = "pattern.throttle"
}

/// How costly one test is (Argon2id, one lane). More memory and passes than in a
/// record are never used for it.
struct PatternCost: Equatable, Sendable {
  /// Passes over the memory.
  var passes: UInt32
  /// KiB of memory.
  var memory: UInt32

  /// RFC 9106, section 4, second choice, but for its four lanes: some 100 ms on one core.
  static let standard = PatternCost(passes: 3, memory: 65_536)

  /// Whether a record may ask for it.
  var isReasonable: Bool { (1...16).contains(passes) && (8...262_144).contains(memory) }
}

/// What a pattern is compared with. Numbers in the file are big-endian:
///
///     size  field
///     4     magic     "TTPV"
///     1     version   1
///     1     flags     1: the person's password could be a pattern, too
///     4     uid
///     8     created   seconds since 1970
///     4     passes
///     4     memory    KiB
///     8     key       which machine key
///     16    salt
///     32    verifier  keyed hash of Argon2id of the pattern's code
///     32    keyed hash of all before it and the login name
struct PatternRecord: Equatable {
  static let magic: [UInt8] = Array("TTPV".utf8)
  static let version: UInt8 = 1
  static let size = 114
  static let saltSize = 16

  /// Whether the person's password consists of 4 to 9 of the digits 1 to 9.
  var passwordLooksLikePattern: Bool
  var uid: UInt32
  var created: UInt64
  var cost: PatternCost
  var salt: [UInt8]
  var verifier: [UInt8]

  /// The file's bytes.
  func bytes(of owner: Account, key: MachineKey) -> [UInt8] {
    var bytes = PatternRecord.magic + [PatternRecord.version, passwordLooksLikePattern ? 1 : 0]
    bytes += bigEndian(uid) + bigEndian(created) + bigEndian(cost.passes) + bigEndian(cost.memory)
    bytes += key.identity + salt + verifier
    return bytes + key.code(.record, of: bytes + owner.nameBytes)
  }

  /// Reads a file; nothing is believed before the keyed hash is right.
  init(bytes: [UInt8], of owner: Account, key: MachineKey, file: String) throws(PatternFault) {
    guard bytes.count == PatternRecord.size, bytes.starts(with: PatternRecord.magic + [PatternRecord.version])
    else { throw .damaged(file: file) }
    guard MachineKey.isSame(Array(bytes[26..<34]), key.identity) else { throw .otherKey(file: file) }
    let code = key.code(.record, of: bytes.dropLast(MachineKey.codeSize) + owner.nameBytes)
    guard MachineKey.isSame(Array(bytes.suffix(MachineKey.codeSize)), code) else {
      throw .damaged(file: file)
    }
    passwordLooksLikePattern = bytes[5] & 1 != 0
    uid = number(bytes[6..<10])
    created = number(bytes[10..<18])
    cost = PatternCost(passes: number(bytes[18..<22]), memory: number(bytes[22..<26]))
    salt = Array(bytes[34..<50])
    verifier = Array(bytes[50..<82])
    guard uid == owner.uid else { throw .foreign(file: file) }
    guard cost.isReasonable else { throw .damaged(file: file) }
  }

  init(
    passwordLooksLikePattern: Bool, uid: UInt32, created: UInt64, cost: PatternCost, salt: [UInt8],
    verifier: [UInt8]
  ) {
    self.passwordLooksLikePattern = passwordLooksLikePattern
    self.uid = uid
    self.created = created
    self.cost = cost
    self.salt = salt
    self.verifier = verifier
  }
}

/// The guesses' file: magic "TTPT", version 1, uid (4), the throttles' 84 bytes, and
/// the keyed hash (32) of all this and the login name.
enum ThrottleFile {
  static let header: [UInt8] = Array("TTPT".utf8) + [1]
  static let size = 5 + 4 + OriginThrottles.size + MachineKey.codeSize

  static func bytes(_ throttle: OriginThrottles, of owner: Account, key: MachineKey) -> [UInt8] {
    let bytes = header + bigEndian(owner.uid) + throttle.bytes
    return bytes + key.code(.throttle, of: bytes + owner.nameBytes)
  }

  /// `nil` for anything that is not as this daemon wrote it for this person.
  static func throttle(_ bytes: [UInt8], of owner: Account, key: MachineKey) -> OriginThrottles? {
    guard bytes.count == size, bytes.starts(with: header + bigEndian(owner.uid)) else { return nil }
    let code = key.code(.throttle, of: bytes.dropLast(MachineKey.codeSize) + owner.nameBytes)
    guard MachineKey.isSame(Array(bytes.suffix(MachineKey.codeSize)), code) else { return nil }
    return OriginThrottles(bytes: Array(bytes[9..<(9 + OriginThrottles.size)]))
  }
}

extension Account {
  /// The login name's bytes.
  var nameBytes: [UInt8] { (0..<name.count).map { name[$0] } }
}

func bigEndian(_ number: some FixedWidthInteger & UnsignedInteger) -> [UInt8] {
  stride(from: number.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
}

private func number<Number: FixedWidthInteger & UnsignedInteger>(_ bytes: ArraySlice<UInt8>) -> Number {
  bytes.reduce(0) { $0 << 8 | Number($1) }
}
