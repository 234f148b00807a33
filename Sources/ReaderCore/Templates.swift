// SPDX-License-Identifier: Apache-2.0

internal import CFprint
internal import CSystem
internal import ReaderProtocol
internal import ThumbturnProtocol

/// Writes into a fresh print whose it is, which finger, and today's date.
func label(_ print: OpaquePointer, _ finger: Finger, _ user: Text) {
  var name = (0..<user.count).map { CChar(bitPattern: user[$0]) } + [0]
  var today = GDate()
  // SAFETY: libfprint copies the name and the date; both live through the calls.
  unsafe fp_print_set_finger(print, FpFinger(rawValue: UInt32(finger.rawValue)))
  unsafe fp_print_set_username(print, &name)
  unsafe g_date_clear(&today, 1)
  unsafe g_date_set_time_t(&today, time(nil))
  unsafe fp_print_set_enroll_date(print, &today)
}

/// A print's bytes as libfprint writes them ("FP3"), `nil` for one that it cannot write or
/// that no packet can hold.
func serialised(_ print: OpaquePointer) -> [UInt8]? {
  var data: UnsafeMutablePointer<guchar>?
  var count: gsize = 0
  var problem = ErrorPlace()
  // SAFETY: the call fills both places; the bytes are the caller's (transfer full).
  let written = unsafe problem.fill { unsafe fp_print_serialize(print, &data, &count, $0) } != 0
  guard written, let data = unsafe data else { return nil }
  defer {
    // SAFETY: freed once, after the copy.
    unsafe csystem_wipe(data, Int(count))
    unsafe g_free(data)
  }
  guard count > 0, count <= ReaderWire.maximumTemplate else { return nil }
  return unsafe Array(UnsafeBufferPointer(start: data, count: Int(count)))
}

/// Overwrites the first `count` bytes of a buffer.
func wipe(_ buffer: UnsafeMutableRawBufferPointer, _ count: Int) {
  guard let base = buffer.baseAddress else { return }
  // SAFETY: never more than the buffer has.
  unsafe csystem_wipe(base, min(count, buffer.count))
}

/// Overwrites an array's bytes where they lie; the caller must be its only holder, or a copy is wiped.
func wipe(_ bytes: inout [UInt8]) {
  unsafe bytes.withUnsafeMutableBytes { unsafe wipe($0, $0.count) }
}
