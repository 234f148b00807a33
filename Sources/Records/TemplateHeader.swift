// SPDX-License-Identifier: Apache-2.0

extension PrintRecord {
  /// Whether the reader itself keeps the print, and the template only names it (match on chip).
  ///
  /// libfprint's serialised print begins "FP3", then a little-endian GVariant of
  /// `(issby...)`: type, driver, device id, and this flag (`fp_print_serialize`, 1.94). Bytes
  /// that do not begin so are no print of a reader's own storage.
  public var isKeptByReader: Bool {
    guard template.starts(with: [0x46, 0x50, 0x33]) else { return false }
    var rest = template.dropFirst(7)
    for _ in 0..<2 {
      guard let end = rest.firstIndex(of: 0) else { return false }
      rest = rest[end...].dropFirst()
    }
    return rest.first == 1
  }
}
