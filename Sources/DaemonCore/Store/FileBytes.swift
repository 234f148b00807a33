// SPDX-License-Identifier: Apache-2.0

internal import CSystem
internal import Glibc
internal import System

/// Whole reads and writes.
enum FileBytes {
  /// Everything from here to the end; `nil` on an error and above `limit` bytes.
  static func read(_ number: CInt, limit: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: limit + 1)
    var count = 0
    while count < bytes.count {
      let start = count
      let got = try? check("read") {
        unsafe bytes.withUnsafeMutableBytes { buffer in
          // SAFETY: the buffer's rest from `start` on is as long as is said.
          unsafe Glibc.read(number, buffer.baseAddress?.advanced(by: start), buffer.count - start)
        }
      }
      guard let got else { return nil }
      if got == 0 { return Array(bytes.prefix(count)) }
      count += got
    }
    return nil
  }

  /// Writes all bytes.
  static func write(_ bytes: [UInt8], to number: CInt) throws(SystemError) {
    var start = 0
    while start < bytes.count {
      let from = start
      start += try check("write") {
        unsafe bytes.withUnsafeBytes { buffer in
          // SAFETY: as above.
          unsafe Glibc.write(number, buffer.baseAddress?.advanced(by: from), buffer.count - from)
        }
      }
    }
  }
}
