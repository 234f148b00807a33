// SPDX-License-Identifier: Apache-2.0

public import ThumbturnProtocol

/// The names under which records and markers lie.
public enum RecordName {
  /// What ends the name of a record's file.
  public static let suffix = ".print"

  /// A login name as the name of a file.
  ///
  /// Only what a file's name cannot or should not hold is written as `%2F`: the
  /// slash, the percent sign, a dot at the start, control characters. Every other
  /// name stays as it is, because the PAM module looks for the marker by the plain
  /// name. `nil` for an empty name and for one that is not UTF-8.
  public static func folder(of user: Text) -> String? {
    guard !user.isEmpty else { return nil }
    var bytes: [UInt8] = []
    for index in 0..<user.count {
      let byte = user[index]
      let escaped = byte == 0x2F || byte == 0x25 || byte < 32 || byte == 127 || (byte == 0x2E && index == 0)
      bytes.append(contentsOf: escaped ? [0x25] + hexadecimal(byte) : [byte])
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// The name of a record's file, `right-index.0a1b2c3d.print`.
  ///
  /// Where a file that must stay has that name, a higher `attempt` gives another
  /// one, `right-index.0a1b2c3d-1.print`.
  public static func file(finger: Finger, reader: ReaderIdentity, attempt: Int) -> String {
    let tag = reader.tag
    let digits = [24, 16, 8, 0].flatMap { hexadecimal(UInt8(truncatingIfNeeded: tag >> $0)) }
    let counter = attempt == 0 ? "" : "-\(attempt)"
    return "\(finger.name).\(String(decoding: digits, as: UTF8.self).lowercased())\(counter)\(suffix)"
  }

  private static func hexadecimal(_ byte: UInt8) -> [UInt8] {
    let digits = Array("0123456789ABCDEF".utf8)
    return [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
  }
}
