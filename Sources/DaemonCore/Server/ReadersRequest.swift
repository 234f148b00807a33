// SPDX-License-Identifier: Apache-2.0

internal import Conversation
internal import ReaderProtocol
internal import Records
internal import System
internal import ThumbturnProtocol

/// Serves one `readers`: has a reader process list what is attached.
final class ReadersRequest: Session, ReaderClaim {
  let claimant: Claimant
  private let services: Services
  private let request: LoggedRequest
  private weak var connection: Connection?
  private var limit: Timer?
  private var count = 0
  private var ended = false
  private lazy var trust = services.trust(for: peer)
  private let peer: Peer

  init(request: LoggedRequest, connection: Connection, services: Services) {
    self.services = services
    self.request = request
    self.connection = connection
    peer = connection.peer
    claimant = services.claimant(service: Text("thumbturn"), terminal: Text(), peer: connection.peer)
  }

  func start() {
    let wait = services.configuration.queueWait * 1000
    limit = Timer(milliseconds: wait) { [weak self] in self?.end(.refused(.busy)) }
    services.desk.join(self)
  }

  func receive(_ message: ClientMessage, secret: borrowing Secret) {
    end(.refused(message == .cancel ? .cancelled : .malformed))
  }

  func hungUp() { end(.hungUp) }

  var enrolledOn: [USBIdentity] { [] }

  func hear(_ news: ClaimNews) {
    switch news {
    case .mustWait(let service, let terminal):
      connection?.send(.waiting(service: service, terminal: terminal))
    case .turn: limit = nil
    case .lost: break
    case .report(.found(let reader)):
      count += 1
      // A client's buffer holds some dozens; nobody has as many readers.
      guard count <= 16 else { return end(.refused(.readerFailed)) }
      connection?.send(event(for: reader))
    case .report(.listed): end(.done)
    case .report(.failed(let refusal)): end(.refused(refusal))
    case .report: end(.refused(.readerFailed))
    }
  }

  private func event(for reader: ReaderDescription) -> ServerEvent {
    let (name, driver) = (reader.name.printable, reader.driver.printable)
    guard let identity = services.desk.identity(of: reader) else {
      return .untrustedReader(name: name, driver: driver, scan: reader.scan, doubt: .new, place: Text())
    }
    let attached = AttachedReader(description: reader, identity: identity)
    guard let doubt = trust.doubt(about: attached) else {
      return .reader(name: name, driver: driver, scan: reader.scan)
    }
    return .untrustedReader(
      name: name, driver: driver, scan: reader.scan, doubt: doubt, place: Text(cut: attached.place))
  }

  private func end(_ outcome: Outcome) {
    if ended { return }
    ended = true
    limit = nil
    switch outcome {
    case .done: connection?.send(.done)
    case .refused(let refusal): connection?.send(.refused(refusal))
    case .granted, .hungUp: break
    }
    services.desk.leave(self)
    services.log.outcome(outcome, of: request)
    connection?.close()
  }
}
