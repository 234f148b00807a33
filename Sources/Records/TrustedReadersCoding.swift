// SPDX-License-Identifier: Apache-2.0

internal import ThumbturnProtocol

/// The file of the trusted readers, version 1. Numbers are big-endian; a text is one byte of
/// length and as many bytes. Whoever keeps it puts a code behind it.
///
///     size  field
///     4     magic    "TTRT"
///     1     version  1
///     2     count
///     -- for each
///     4     uid
///     8     since    seconds since 1970
///     text  user
///     text  driver, device, reader's name
///     1     on USB   0 or 1; then as in a print's record
///     2     vendor
///     2     product
///     1     removable
///     text  serial, port
extension TrustedReaders {
  private static let header: [UInt8] = Array("TTRT".utf8) + [1]
  /// The most bytes of the file.
  public static let maximumBytes = 7 + most * (12 + 1 + 5 + 6 * 256)

  /// The file's bytes.
  public var bytes: [UInt8] {
    var output = RecordOutput()
    output.append(contentsOf: TrustedReaders.header)
    output.append(number: UInt16(clamping: entries.count))
    for entry in entries {
      output.append(number: entry.uid)
      output.append(number: entry.since)
      output.append(entry.user)
      for text in [entry.reader.driver, entry.reader.device, entry.reader.name] { output.append(text) }
      output.append(contentsOf: [entry.reader.usb == nil ? 0 : 1])
      if let usb = entry.reader.usb { output.append(usb) }
    }
    return output.bytes
  }

  /// Reads the file; it must be whole, with nothing behind it.
  public init(bytes: [UInt8]) throws(RecordError) {
    guard bytes.starts(with: TrustedReaders.header) else { throw .notARecord }
    guard bytes.count <= TrustedReaders.maximumBytes else { throw .damaged }
    var input = RecordInput(Array(bytes.dropFirst(TrustedReaders.header.count)))
    let count: UInt16 = try input.number()
    guard count <= TrustedReaders.most else { throw .damaged }
    for _ in 0..<count { entries.append(try TrustedReader(&input)) }
    guard input.isAtEnd else { throw .damaged }
  }
}

extension TrustedReader {
  fileprivate init(_ input: inout RecordInput) throws(RecordError) {
    let uid: UInt32 = try input.number()
    let since: UInt64 = try input.number()
    let user = try input.text()
    var reader = ReaderIdentity(
      driver: try input.text(), device: try input.text(), name: try input.text(), usb: nil)
    if try input.flag() { reader.usb = try USBIdentity(&input) }
    self.init(user: user, uid: uid, since: since, reader: reader)
  }
}
