// SPDX-License-Identifier: Apache-2.0

internal import CSystem
internal import Records
internal import System

/// The USB readers that libfprint drives, from the hwdb file that it installs.
///
/// Its lines are `usb:v08FFp1600*`. The part behind "Known unsupported devices"
/// is left out: nothing would open those.
struct ReaderList {
  /// The most bytes of a file; libfprint 1.94.5's has 7 KB.
  static let maximumBytes = 1 << 20

  private var devices: Set<UInt32> = []

  init(_ text: String) {
    for line in text.utf8.split(separator: 0x0A) {
      if String(Substring(line)).hasPrefix("# Known unsupported devices") { break }
      if let device = ReaderList.device(Array(line)) { devices.insert(device) }
    }
  }

  /// Reads a list; `nil` when there is no file that can be read.
  init?(path: String) {
    // SAFETY: the path is passed as a NUL-terminated copy.
    let raw = unsafe csystem_open(path, O_RDONLY, 0)
    guard let file = try? OwnedDescriptor(adopting: raw, from: "open"),
      let bytes = FileBytes.read(file.number, limit: ReaderList.maximumBytes)
    else { return nil }
    self.init(String(decoding: bytes, as: UTF8.self))
  }

  func contains(_ identity: USBIdentity) -> Bool {
    devices.contains(UInt32(identity.vendor) << 16 | UInt32(identity.product))
  }

  private static func device(_ line: [UInt8]) -> UInt32? {
    guard line.count == 15, line.starts(with: "usb:v".utf8), line[9] == 0x70, line[14] == 0x2A else {
      return nil
    }
    return UInt32(String(decoding: line[5..<9] + line[10..<14], as: UTF8.self), radix: 16)
  }
}
