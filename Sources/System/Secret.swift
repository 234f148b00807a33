// SPDX-License-Identifier: Apache-2.0

internal import CSystem

/// Bytes that are kept out of swap where the limits allow, and wiped before
/// their memory is given back. Cannot be copied, printed, compared or logged.
///
/// Each has pages of its own: the kernel locks and unlocks whole pages, so the end of
/// one secret would unlock its neighbours.
@safe public struct Secret: ~Copyable {
  private static let page = Int(getpagesize())

  private let storage: UnsafeMutableRawBufferPointer

  /// Storage for `capacity` bytes, all zero.
  public init(capacity: Int) {
    let count = max(capacity, 1)
    let room = (count + Secret.page - 1) / Secret.page * Secret.page
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: Secret.page)
    _ = unsafe buffer.initializeMemory(as: UInt8.self, repeating: 0)
    if let base = buffer.baseAddress { _ = unsafe mlock(base, room) }
    // SAFETY: no more than was allocated.
    unsafe storage = UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count)
  }

  deinit {
    // SAFETY: the storage is exclusively ours until the last line.
    if let base = unsafe storage.baseAddress {
      unsafe csystem_wipe(base, storage.count)
      _ = unsafe munlock(base, storage.count)
    }
    unsafe storage.deallocate()
  }

  /// Lends all bytes for the length of one call.
  public borrowing func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    // SAFETY: the storage lives as long as `self`, which is borrowed.
    body(unsafe Span(_unsafeElements: storage.assumingMemoryBound(to: UInt8.self)))
  }

  /// Lends the storage for filling; answers what `body` does.
  public mutating func fill<Result>(_ body: (UnsafeMutableRawBufferPointer) -> Result) -> Result {
    // SAFETY: as above, and `self` is exclusive.
    unsafe body(storage)
  }
}
