// SPDX-License-Identifier: Apache-2.0

import ThumbturnProtocol

/// A record's file, version 1. Numbers are big-endian; a text is one byte of
/// length and as many bytes.
///
///     size  field
///     4     magic       "TTPR"
///     1     version     1
///     1     seal        0: plain
///     1     finger      1 to 10
///     1     on USB      0 or 1
///     4     uid
///     8     generation
///     8     created     seconds since 1970
///     text  user, driver, device, reader's name
///     -- only on USB
///     2     vendor
///     2     product
///     1     removable   0 unknown, 1 fixed, 2 removable
///     text  serial, port
///     --
///     4     length      of the sealed template, at most 98,064
///     n     the sealed template
///     4     CRC-32 of everything before it
enum RecordFormat {
  static let magic: [UInt8] = [0x54, 0x54, 0x50, 0x52]
  static let version: UInt8 = 1
  /// What a seal may add to a template.
  static let sealOverhead = 64
  static let maximumSealed = PrintRecord.maximumTemplate + sealOverhead
}

extension PrintRecord {
  /// The most bytes of a record's file: fixed fields, six texts, the template.
  public static let maximumBytes = 28 + 6 * 256 + 5 + 4 + RecordFormat.maximumSealed + 4

  /// The record's file, with the template as it is.
  public var bytes: [UInt8] { bytes(sealedBy: PlainSeal()) }

  /// The record's file, with the template sealed.
  public func bytes(sealedBy seal: some Sealing) -> [UInt8] {
    var output = RecordOutput()
    output.append(contentsOf: RecordFormat.magic)
    output.append(contentsOf: [RecordFormat.version, seal.code, finger.rawValue, reader.usb == nil ? 0 : 1])
    output.append(number: uid)
    output.append(number: generation)
    output.append(number: created)
    for text in [user, reader.driver, reader.device, reader.name] { output.append(text) }
    if let usb = reader.usb { output.append(usb) }
    let sealed = seal.seal(template, header: output.bytes)
    output.append(number: UInt32(truncatingIfNeeded: sealed.count))
    output.append(contentsOf: sealed)
    output.append(number: PrintRecord.checksum(output.bytes[...]))
    return output.bytes
  }

  /// Reads a record's file whose template is kept as it is.
  public init(bytes: [UInt8]) throws(RecordError) {
    try self.init(bytes: bytes, sealedBy: PlainSeal())
  }

  /// Reads a record's file. Nothing behind magic and version is looked at before
  /// the checksum is right.
  public init(bytes: [UInt8], sealedBy seal: some Sealing) throws(RecordError) {
    let magic = RecordFormat.magic
    guard bytes.count > magic.count, Array(bytes.prefix(magic.count)) == magic else { throw .notARecord }
    let version = bytes[magic.count]
    guard version == RecordFormat.version else { throw .unknownVersion(version) }
    guard bytes.count >= magic.count + 5, bytes.count <= PrintRecord.maximumBytes else { throw .damaged }
    let sum = bytes.suffix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard sum == PrintRecord.checksum(bytes.dropLast(4)) else { throw .damaged }
    let body = Array(bytes[5..<(bytes.count - 4)])
    guard let code = body.first else { throw .damaged }
    guard code == seal.code else { throw .sealed(code) }
    var input = RecordInput(body)
    try self.init(&input, sealedBy: seal, prefix: Array(bytes.prefix(5)))
  }

  private init(_ input: inout RecordInput, sealedBy seal: some Sealing, prefix: [UInt8]) throws(RecordError) {
    _ = try input.byte()
    guard let finger = Finger(rawValue: try input.byte()) else { throw .damaged }
    let onUSB = try input.flag()
    let uid: UInt32 = try input.number()
    let generation: UInt64 = try input.number()
    let created: UInt64 = try input.number()
    let user = try input.text()
    var reader = ReaderIdentity(
      driver: try input.text(), device: try input.text(), name: try input.text(), usb: nil)
    if onUSB { reader.usb = try USBIdentity(&input) }
    let header = prefix + input.consumed
    let sealed = try input.rest(limit: RecordFormat.maximumSealed)
    guard let template = seal.open(sealed, header: header) else { throw .sealed(seal.code) }
    try self.init(
      user: user, uid: uid, finger: finger, reader: reader, generation: generation, created: created,
      template: template)
  }

  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    var sum = Checksum()
    sum.add(bytes)
    return sum.value
  }
}

extension USBIdentity {
  init(_ input: inout RecordInput) throws(RecordError) {
    let vendor: UInt16 = try input.number()
    let product: UInt16 = try input.number()
    guard let removable = Removable(rawValue: try input.byte()) else { throw .damaged }
    let serial = try input.text()
    let port = try input.text()
    self.init(vendor: vendor, product: product, serial: serial, port: port, removable: removable)
  }
}

/// A file being written.
struct RecordOutput {
  private(set) var bytes: [UInt8] = []

  mutating func append(contentsOf more: [UInt8]) { bytes.append(contentsOf: more) }

  mutating func append(number: some FixedWidthInteger & UnsignedInteger) {
    for shift in stride(from: number.bitWidth - 8, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }

  mutating func append(_ text: Text) {
    bytes.append(UInt8(text.count))
    for index in 0..<text.count { bytes.append(text[index]) }
  }

  mutating func append(_ usb: USBIdentity) {
    append(number: usb.vendor)
    append(number: usb.product)
    append(contentsOf: [usb.removable.rawValue])
    append(usb.serial)
    append(usb.port)
  }
}

/// A file being read: the protocol's cursor, with this file's errors.
struct RecordInput {
  private let bytes: [UInt8]
  private var cursor: Cursor

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    cursor = Cursor(bytes: bytes.span)
  }

  /// Whether everything was read.
  var isAtEnd: Bool { cursor.remaining == 0 }
  /// What was read so far.
  var consumed: ArraySlice<UInt8> { bytes.prefix(cursor.offset) }

  private mutating func read<Value>(
    _ body: (inout Cursor, Span<UInt8>) throws(FrameError) -> Value
  ) throws(RecordError) -> Value {
    var place = cursor
    do throws(FrameError) {
      let value = try body(&place, bytes.span)
      cursor = place
      return value
    } catch {
      throw .damaged
    }
  }

  mutating func byte() throws(RecordError) -> UInt8 {
    try read { (cursor, span) throws(FrameError) in try cursor.byte(in: span) }
  }

  mutating func flag() throws(RecordError) -> Bool {
    try read { (cursor, span) throws(FrameError) in try cursor.flag(in: span) }
  }

  mutating func text() throws(RecordError) -> Text {
    try read { (cursor, span) throws(FrameError) in try cursor.text(in: span) }
  }

  mutating func number<Number: FixedWidthInteger & UnsignedInteger>() throws(RecordError) -> Number {
    try read { (cursor, span) throws(FrameError) in try cursor.number(in: span) }
  }

  /// The counted bytes that must end the file.
  mutating func rest(limit: Int) throws(RecordError) -> [UInt8] {
    let count: UInt32 = try number()
    guard Int(count) <= limit, Int(count) == cursor.remaining else { throw .damaged }
    return Array(bytes.suffix(Int(count)))
  }
}
