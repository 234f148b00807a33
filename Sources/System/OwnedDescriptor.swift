// SPDX-License-Identifier: Apache-2.0

internal import CSystem

/// Sole owner of one open file descriptor.
///
/// The value cannot be copied, so "who closes this?" has one answer and a double
/// close does not compile.
public struct OwnedDescriptor: ~Copyable, Sendable {
  private let raw: CInt

  /// Takes over `raw`, the result of a call that returns a new descriptor or -1.
  public init(adopting raw: CInt, from call: StaticString) throws(SystemError) {
    guard raw >= 0 else { throw SystemError(call) }
    self.raw = raw
  }

  deinit { _ = close(raw) }

  /// The number, for the length of a call or a watch that ends before the owner does.
  public var number: CInt { raw }

  /// Gives the number up; the caller must now close it.
  public consuming func release() -> CInt {
    let number = raw
    discard self
    return number
  }
}

/// Two connected ends.
public struct DescriptorPair: ~Copyable {
  private var near: OwnedDescriptor?
  private var far: OwnedDescriptor?

  /// A pair of packet sockets with buffers of `buffer` bytes.
  public static func packets(buffer: Int) throws(SystemError) -> DescriptorPair {
    var numbers: [CInt] = [-1, -1]
    // SAFETY: the array has the two places that the call fills.
    try check("socketpair") { unsafe csystem_socketpair(&numbers, CInt(clamping: buffer)) }
    return try DescriptorPair(numbers, from: "socketpair")
  }

  /// A pipe: read at `near`, write at `far`.
  public static func pipe() throws(SystemError) -> DescriptorPair {
    var numbers: [CInt] = [-1, -1]
    // SAFETY: as above.
    try check("pipe") { unsafe csystem_pipe(&numbers) }
    return try DescriptorPair(numbers, from: "pipe")
  }

  private init(_ numbers: [CInt], from call: StaticString) throws(SystemError) {
    near = try OwnedDescriptor(adopting: numbers[0], from: call)
    far = try OwnedDescriptor(adopting: numbers[1], from: call)
  }

  /// Takes the near end out; once.
  public mutating func takeNear() -> OwnedDescriptor? { near.take() }

  /// Takes the far end out; once.
  public mutating func takeFar() -> OwnedDescriptor? { far.take() }
}
