// SPDX-License-Identifier: Apache-2.0

internal import Conversation
internal import System
internal import ThumbturnProtocol

/// Serves one `unlock`: forgets an account's failed tries, also where their record is damaged.
final class UnlockRequest: Session {
  private let account: Account
  private let services: Services
  private let request: LoggedRequest
  private weak var connection: Connection?
  private var ended = false

  init(account: Account, request: LoggedRequest, connection: Connection, services: Services) {
    self.account = account
    self.services = services
    self.request = request
    self.connection = connection
  }

  func start() {
    let isReset = services.counter.reset(account)
    services.patterns.unlock(account) { [weak self] fault in
      if let fault { self?.services.log.problem("\(fault)") }
      self?.end(fault.map { .refused($0.refusal) } ?? (isReset ? .done : .refused(.storageFailed)))
    }
  }

  func receive(_ message: ClientMessage, secret: borrowing Secret) {
    end(.refused(message == .cancel ? .cancelled : .malformed))
  }

  func hungUp() { end(.hungUp) }

  private func end(_ outcome: Outcome) {
    if ended { return }
    ended = true
    switch outcome {
    case .done: connection?.send(.done)
    case .refused(let refusal): connection?.send(.refused(refusal))
    case .granted, .hungUp: break
    }
    services.log.outcome(outcome, of: request)
    connection?.close()
  }
}

extension Services {
  /// Lets only the password count, for one account or, with an empty name and for root
  /// alone, for all.
  func lockDown(_ user: Text, peer: Peer) throws(Refusal) {
    let isEverybody = user.isEmpty && peer.user == 0
    let account = isEverybody ? nil : try Standing.account(user, peer: peer)
    do throws(StoreError) {
      if let account { try store.lockDown(account) } else { try store.lockEverybodyDown() }
    } catch {
      log.problem("\(error)")
      throw .storageFailed
    }
  }
}
