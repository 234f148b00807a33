// SPDX-License-Identifier: Apache-2.0

internal import Conversation
internal import ReaderProtocol
internal import Records
internal import System
internal import ThumbturnProtocol

/// Serves one `storage`: tells what the first attached reader that keeps prints itself has, or
/// empties it. Records that referred to it stay; they match nothing any more.
final class StorageRequest: Session, ReaderClaim {
  let claimant: Claimant
  private let clear: Bool
  private let services: Services
  private let request: LoggedRequest
  private weak var connection: Connection?
  private var limit: Timer?
  private var attached = AttachedReaders()
  private var chosen: AttachedReader?
  private var known = 0
  private var unknown = 0
  private var ended = false

  init(clear: Bool, request: LoggedRequest, connection: Connection, services: Services) {
    self.clear = clear
    self.services = services
    self.request = request
    self.connection = connection
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
    case .report(let report): hear(report)
    }
  }

  private func hear(_ report: ReaderReport) {
    switch report {
    case .found(let reader):
      if !attached.add(reader, known: services.desk.identity(of: reader)) { end(.refused(.readerFailed)) }
    case .listed where chosen == nil: choose()
    case .opened: clear ? send(.clearStored) : ask()
    case .stored(let index):
      if index == nil { unknown += 1 } else { known += 1 }
    case .storedListed: tell("\(known + unknown) prints, \(known) of them enrolled here")
    case .cleared: tell("empty")
    case .failed(let refusal): end(.refused(refusal))
    default: end(.refused(.readerFailed))
    }
  }

  private func choose() {
    guard attached.refusal != .noReader else { return end(.refused(.noReader)) }
    guard let reader = attached.known.first(where: \.description.stores) else { return end(.done) }
    chosen = reader
    send(.open(driver: reader.description.driver, device: reader.description.device))
  }

  private func ask() {
    let records = services.store.everybodysRecords().filter { record in
      record.isKeptByReader && chosen.map { record.reader.isSameReader(as: $0.identity) } == true
    }
    for (index, record) in records.prefix(256).enumerated() {
      send(.template(index: UInt8(clamping: index), bytes: record.template))
    }
    send(.listStored)
  }

  private func send(_ command: ReaderCommand) { services.desk.send(command, for: self) }

  private func tell(_ state: String) {
    let name = chosen?.description.name.printable ?? Text()
    connection?.send(.status(key: name, value: Text(cut: state)))
    end(.done)
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
