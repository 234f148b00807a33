// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The sending end of a virtual reader's socket.
struct ReaderSocket {
  let path: String
  /// Milliseconds the reader has, in all, to start to listen and to take the bytes.
  let patience: Int64

  /// Connects, sends and closes. A reader that is not there, or is busy with another connection, is tried
  /// again until patience ends.
  ///
  /// The kernel holds what is sent until the reader scans, so success says "queued", not "scanned".
  func send(_ bytes: [UInt8]) throws(ToolError) {
    let deadline = milliseconds() + patience
    let connection = try connect(until: deadline)
    var done = 0
    while done < bytes.count {
      let count = connection.with { raw in
        unsafe bytes.withUnsafeBytes { buffer in
          // SAFETY: send reads only the bytes of the rebased slice, which lives as long as the closure.
          let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[done...])
          return unsafe Glibc.send(raw, rest.baseAddress, rest.count, CInt(MSG_NOSIGNAL))
        }
      }
      if count >= 0 {
        done += count
      } else if errno != EINTR {
        let isFull = errno == EAGAIN
        guard isFull, milliseconds() < deadline else { throw failure(errno) }
        pause()
      }
    }
  }

  private func connect(until deadline: Int64) throws(ToolError) -> Descriptor {
    var address = try address()
    while true {
      // Not blocking: connect to a listener with a full queue would otherwise wait without limit.
      let type = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
      guard let descriptor = Descriptor(adopting: socket(AF_UNIX, type, 0)) else { throw failure(errno) }
      if descriptor.with({ Self.connect($0, to: &address) }) { return descriptor }
      let code = errno
      let mayCome = [ENOENT, ECONNREFUSED, EAGAIN, EINTR].contains(code)
      guard mayCome, milliseconds() < deadline else { throw failure(code) }
      pause()
    }
  }

  private static func connect(_ raw: CInt, to address: inout sockaddr_un) -> Bool {
    unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        // SAFETY: the pointer leads to a whole sockaddr_un, the length passed, for the length of the call.
        unsafe Glibc.connect(raw, generic, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
  }

  private func address() throws(ToolError) -> sockaddr_un {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    // One byte stays zero and ends the path.
    guard !bytes.isEmpty, bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
      throw .usage("--socket needs a path of 1 to 107 bytes")
    }
    // SAFETY: the copy stays inside sun_path, whose size is checked above.
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    return address
  }

  private func failure(_ code: CInt) -> ToolError {
    .failed("cannot reach a reader at \(path): \(reason(code))")
  }

  /// Ten milliseconds: a socket's path gives no sign when its owner begins to listen.
  private func pause() {
    _ = poll(nil, 0, 10)
  }

  private func milliseconds() -> Int64 {
    var time = timespec()
    // SAFETY: clock_gettime fills the structure it is lent for the length of the call.
    _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
