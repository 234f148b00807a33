// SPDX-License-Identifier: Apache-2.0

internal import CSystem

/// What a receive found.
public enum Received: Equatable, Sendable {
  /// A packet of so many bytes, at the start of the buffer.
  case packet(count: Int)
  /// Nothing yet.
  case nothing
  /// The peer is gone. A reset connection may still hold a packet; it is read first.
  case ended
}

/// The other end of a connection, as the kernel knows it.
public struct Peer: Equatable, Sendable {
  /// Its process when it connected.
  public let process: Int32
  /// Its effective uid when it connected.
  public let user: UInt32
  /// Its effective gid when it connected.
  public let group: UInt32
  /// When this was asked, on the clock of `csystem_milliseconds`. A process of that number
  /// that was started later is another one.
  public let since: Int64

  init(process: Int32, user: UInt32, group: UInt32, since: Int64 = csystem_milliseconds()) {
    self.process = process
    self.user = user
    self.group = group
    self.since = since
  }
}

/// One connection of a `SOCK_SEQPACKET` socket. No call waits.
public struct PacketSocket: ~Copyable {
  private let descriptor: OwnedDescriptor

  /// Takes over a connected socket.
  public init(_ descriptor: consuming OwnedDescriptor) { self.descriptor = descriptor }

  /// Connects to the socket at `path`, waiting at most `limit` milliseconds.
  public init(connecting path: String, limit: Int) throws(SystemError) {
    let raw = unsafe path.withCString { unsafe csystem_connect($0, CInt(clamping: limit)) }
    descriptor = try OwnedDescriptor(adopting: raw, from: "connect")
  }

  /// The number, for watching.
  public var number: CInt { descriptor.number }

  /// Who is at the other end.
  public func peer() throws(SystemError) -> Peer {
    var process: pid_t = 0
    var user: uid_t = 0
    var group: gid_t = 0
    // SAFETY: three places for the call to fill.
    try check("SO_PEERCRED") { unsafe csystem_peer(descriptor.number, &process, &user, &group) }
    return Peer(process: process, user: user, group: group)
  }

  /// Sends one packet; an empty one is never sent.
  public borrowing func send(_ bytes: Span<UInt8>) throws(SystemError) {
    guard bytes.count > 0 else { throw SystemError("send", code: EINVAL) }
    let number = descriptor.number
    try check("send") {
      unsafe bytes.withUnsafeBytes { buffer in
        guard let base = buffer.baseAddress else { return -1 }
        // SAFETY: the span's memory lives through the call, which only reads it.
        return unsafe csystem_send(number, base, buffer.count)
      }
    }
  }

  /// Takes the next packet into `buffer`; one that does not fit is an error.
  public borrowing func receive(into buffer: inout [UInt8]) throws(SystemError) -> Received {
    let number = descriptor.number
    return try Received { unsafe buffer.withUnsafeMutableBytes { unsafe receiveRaw(number, $0) } }
  }

  /// Takes the next packet into a secret's storage.
  public borrowing func receive(into secret: inout Secret) throws(SystemError) -> Received {
    let number = descriptor.number
    return try Received { unsafe secret.fill { unsafe receiveRaw(number, $0) } }
  }
}

private func receiveRaw(_ number: CInt, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
  guard let base = buffer.baseAddress else { return 0 }
  // SAFETY: the buffer has as many bytes as are named.
  return unsafe csystem_receive(number, base, buffer.count)
}

extension Received {
  init(_ receive: () -> Int) throws(SystemError) {
    var count = receive()
    // The peer closed with something unread; what it sent before is still there.
    if count < 0, csystem_errno() == ECONNRESET { count = receive() }
    switch count {
    case 1...: self = .packet(count: count)
    case 0: self = .ended
    default:
      switch csystem_errno() {
      case EAGAIN, EINTR: self = .nothing
      case ECONNRESET, EPIPE: self = .ended
      default: throw SystemError("recv")
      }
    }
  }
}
