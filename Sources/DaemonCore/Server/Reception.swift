// SPDX-License-Identifier: Apache-2.0

internal import Conversation
internal import Records
internal import System
internal import ThumbturnProtocol

/// Takes first messages: checks who may ask what, and answers or hands over.
final class Reception {
  private let services: Services
  private let status: (Peer) -> [StatusLine]

  /// `status` tells a peer how the service is.
  init(services: Services, status: @escaping (Peer) -> [StatusLine]) {
    self.services = services
    self.status = status
  }

  /// Answers what serves the connection from now on, `nil` when everything was said.
  func take(_ message: ClientMessage, from connection: Connection) -> (any Session)? {
    let request = LoggedRequest(message, requester: connection.peer.user)
    do throws(Refusal) {
      return try serve(message, request: request, connection: connection)
    } catch {
      connection.send(.refused(error))
      services.log.outcome(.refused(error), of: request)
      return nil
    }
  }

  private func serve(
    _ message: ClientMessage, request: LoggedRequest, connection: Connection
  ) throws(Refusal) -> (any Session)? {
    switch message {
    case .begin(let begin): return try recognise(begin, request: request, connection: connection)
    case .enroll(let wish):
      guard let finger = wish.finger else { throw .malformed }
      let common = try errand(wish.user, request: request, connection: connection)
      return EnrollmentErrand(finger: finger, common: common)
    case .delete(let wish):
      let common = try errand(wish.user, request: request, connection: connection)
      return DeletionErrand(finger: wish.finger, common: common)
    case .readers: return ReadersRequest(request: request, connection: connection, services: services)
    case .list(let user):
      list(try Standing.account(user, peer: connection.peer), to: connection)
    case .status: report(to: connection)
    case .storage(let clear):
      // It tells of, and takes away, what belongs to every account.
      guard connection.peer.user == 0 else { throw .notPermitted }
      return StorageRequest(clear: clear, request: request, connection: connection, services: services)
    case .learn(let user, _, _):
      let account = try Standing.account(user, peer: connection.peer)
      return LearnRequest(account: account, request: request, connection: connection, services: services)
    case .setPattern(let user):
      return PatternErrand(.set, common: try errand(user, request: request, connection: connection))
    case .deletePattern(let user):
      return PatternErrand(.delete, common: try errand(user, request: request, connection: connection))
    case .checkPattern(let user):
      return PatternErrand(.check, common: try errand(user, request: request, connection: connection))
    case .unlock(let user):
      guard connection.peer.user == 0 else { throw .notPermitted }
      let account = try Standing.account(user, peer: connection.peer)
      return UnlockRequest(account: account, request: request, connection: connection, services: services)
    case .lockdown(let user):
      try services.lockDown(user, peer: connection.peer)
      connection.send(.done)
    case .policy(let service, let user):
      let account = try Standing.account(user, peer: connection.peer)
      return PolicyInquiry(
        service, account: account, request: request, connection: connection, services: services)
    case .foreground, .confirm, .hold, .cancel, .answer, .proof: throw .malformed
    }
    services.log.outcome(.done, of: request)
    return nil
  }

  private func recognise(
    _ begin: Begin, request: LoggedRequest, connection: Connection
  ) throws(Refusal) -> any Session {
    let account = try Standing.account(begin.user, peer: connection.peer)
    let hasNothing =
      services.usableRecords(of: account).isEmpty && services.patterns.state(of: account) == PatternState()
    // Where nothing could come of it, nothing is found out first.
    if hasNothing { throw Standing.isLocal(begin.remoteHost) ? .nothingEnrolled : .remote }
    return Arrival(begin, account: account, request: request, connection: connection, services: services)
  }

  private func errand(
    _ user: Text, request: LoggedRequest, connection: Connection
  ) throws(Refusal) -> ErrandServices {
    let account = try Standing.account(user, peer: connection.peer)
    return ErrandServices(account: account, request: request, connection: connection, services: services)
  }

  private func list(_ account: Account, to connection: Connection) {
    // All that can be used, and what fits of the rest: it is sent in one go.
    let records = services.store.records(of: account)
    let shown = records.filter { $0.usable != nil } + records.filter { $0.usable == nil }.prefix(50)
    for record in shown { connection.send(.listed(ListedPrint(record))) }
    connection.send(.done)
  }

  private func report(to connection: Connection) {
    for (key, value) in status(connection.peer) {
      connection.send(.status(key: Text(key), value: Text(cut: value.withoutControls)))
    }
    connection.send(.done)
  }
}

/// One line of a status report.
typealias StatusLine = (key: StaticString, value: String)

extension ListedPrint {
  /// A stored record as a list shows it.
  init(_ record: StoredRecord) {
    switch record {
    case .good(let print): self.init(print, state: .good)
    case .foreign(_, let print): self.init(print, state: .foreign)
    case .damaged(let file):
      self.init(finger: nil, reader: Text(cut: file.withoutControls), created: 0, state: .damaged)
    }
  }

  private init(_ print: PrintRecord, state: State) {
    self.init(finger: print.finger, reader: print.reader.name.printable, created: print.created, state: state)
  }
}

extension LoggedRequest {
  /// What the log says of a first message.
  init(_ message: ClientMessage, requester: UInt32) {
    switch message {
    case .begin(let begin):
      self.init(
        request: "verify", user: begin.user, requester: requester, service: begin.service,
        terminal: begin.terminal)
    case .enroll(let wish): self.init(request: "enroll", user: wish.user, requester: requester)
    case .delete(let wish): self.init(request: "delete", user: wish.user, requester: requester)
    case .list(let user): self.init(request: "list", user: user, requester: requester)
    case .status: self.init(request: "status", requester: requester)
    case .readers: self.init(request: "readers", requester: requester)
    case .storage(let clear):
      self.init(request: clear ? "clear storage" : "storage", requester: requester)
    case .learn(let user, let service, _):
      self.init(request: "learn", user: user, requester: requester, service: service)
    case .setPattern(let user): self.init(request: "set pattern", user: user, requester: requester)
    case .deletePattern(let user): self.init(request: "delete pattern", user: user, requester: requester)
    case .checkPattern(let user): self.init(request: "check pattern", user: user, requester: requester)
    case .unlock(let user): self.init(request: "unlock", user: user, requester: requester)
    case .lockdown(let user): self.init(request: "lockdown", user: user, requester: requester)
    case .policy(let service, let user):
      self.init(request: "policy", user: user, requester: requester, service: service)
    case .foreground, .confirm, .hold, .cancel, .answer, .proof:
      self.init(request: "message out of order", requester: requester)
    }
  }
}

extension Text {
  /// As much of a string as fits.
  init(cut string: String) {
    self.init()
    for byte in string.utf8 where !append(byte) { break }
  }
}
