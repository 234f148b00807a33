// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Sole owner of one open file descriptor.
struct Descriptor: ~Copyable {
  private let raw: CInt

  /// Takes ownership of the result of a call that returns a new descriptor or -1.
  init?(adopting raw: CInt) {
    guard raw >= 0 else { return nil }
    self.raw = raw
  }

  deinit { _ = close(raw) }

  /// Creates or empties a file and returns it open for writing.
  static func create(_ path: String) throws(ToolError) -> Descriptor {
    let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC
    // SAFETY: open reads the path, a C string that lives as long as the call.
    let raw = unsafe open(path, flags, 0o644)
    guard let file = Descriptor(adopting: raw) else {
      throw .failed("cannot write \(path): \(reason(errno))")
    }
    return file
  }

  /// Writes every byte of `bytes`.
  func write(_ bytes: [UInt8], to name: String) throws(ToolError) {
    try writeAll(bytes, to: raw, name: name)
  }

  /// Lends the number to one call.
  func with<R>(_ body: (CInt) -> R) -> R { body(raw) }
}

/// Writes every byte to a blocking descriptor.
func writeAll(_ bytes: [UInt8], to raw: CInt, name: String) throws(ToolError) {
  var done = 0
  while done < bytes.count {
    let count = unsafe bytes.withUnsafeBytes { buffer in
      // SAFETY: write reads only the bytes of the rebased slice, which lives as long as the closure.
      let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[done...])
      return unsafe write(raw, rest.baseAddress, rest.count)
    }
    if count < 0 && errno != EINTR { throw .failed("cannot write \(name): \(reason(errno))") }
    done += max(0, count)
  }
}

/// The system's words for an error number.
func reason(_ code: CInt) -> String {
  // SAFETY: strerror returns a valid C string; this process has one thread, so nothing overwrites it here.
  unsafe String(cString: strerror(code))
}
