// SPDX-License-Identifier: Apache-2.0

internal import Conversation
internal import System
internal import ThumbturnProtocol

/// The connections: admitted, counted, and let go.
final class Server {
  private let reception: Reception
  private let log: Log
  private let changed: () -> Void
  private var admission = Admission()
  private var connections: [ObjectIdentifier: Connection] = [:]

  /// `changed` is called when a connection has ended.
  init(reception: Reception, log: Log, changed: @escaping () -> Void) {
    self.reception = reception
    self.log = log
    self.changed = changed
  }

  /// How many connections stand.
  var count: Int { admission.count }

  /// Serves a new connection, or refuses it where there are too many.
  func take(_ descriptor: consuming OwnedDescriptor) {
    let socket = PacketSocket(descriptor)
    guard let peer = try? socket.peer() else { return }
    // Another process may have the number by now, which changes whose connection it counts as.
    let real = peer.user == 0 ? realUser(of: peer.process) ?? 0 : peer.user
    guard admission.admit(peer.user, real: real) else {
      log.note("refused a connection of uid \(peer.user) for uid \(real): too many at once")
      let frame = ServerEvent.refused(.overloaded).frame
      frame.withBytes { bytes in try? socket.send(bytes) }
      return
    }
    serve(socket, peer, real: real)
  }

  private func serve(_ socket: consuming PacketSocket, _ peer: Peer, real: UInt32) {
    var key: ObjectIdentifier?
    let connection = Connection(
      socket, peer: peer, begin: { [reception] in reception.take($1, from: $0) },
      closed: { [weak self] in self?.close(key, of: peer.user, real: real) })
    key = ObjectIdentifier(connection)
    connections[ObjectIdentifier(connection)] = connection
  }

  private func close(_ key: ObjectIdentifier?, of user: UInt32, real: UInt32) {
    guard let key, connections.removeValue(forKey: key) != nil else { return }
    admission.leave(user, real: real)
    changed()
  }

  /// Hangs up on everybody.
  func closeAll() {
    for connection in connections.values { connection.drop() }
  }
}
