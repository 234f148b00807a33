// SPDX-License-Identifier: Apache-2.0

internal import Conversation
internal import System
internal import ThumbturnProtocol

/// Serves one `learn`: has what somebody typed checked as their password.
///
/// The client hears the same at once, whatever comes of it: it must learn nothing here. Only
/// where root asks and there is news does the answer wait for the check, as what was
/// enrolled is told to nobody but whoever knows the password.
final class LearnRequest: Session {
  private let account: Account
  private let services: Services
  private let request: LoggedRequest
  private weak var connection: Connection?
  private var isChecking = false

  init(account: Account, request: LoggedRequest, connection: Connection, services: Services) {
    self.account = account
    self.request = request
    self.connection = connection
    self.services = services
  }

  func start() {}

  /// Takes the first message, which has the password; there is no other.
  func receive(_ message: ClientMessage, secret: borrowing Secret) {
    guard case .learn(_, _, let range) = message, !isChecking else {
      connection?.send(.refused(.malformed))
      connection?.drop()
      return
    }
    isChecking = true
    let hasNews = connection?.peer.user == 0 && services.store.news(of: account) != News()
    let isRunning = check(secret, at: range, hasNews: hasNews)
    if !hasNews || !isRunning { end() }
  }

  func hungUp() {}

  private func end() {
    connection?.send(.done)
    connection?.close()
  }

  /// Starts the check, which goes on though the client is gone; whether it runs.
  private func check(_ secret: borrowing Secret, at range: SecretRange, hasNews: Bool) -> Bool {
    do throws(Refusal) {
      try services.passwords.check(account, secret: secret, at: range) {
        [weak self, services, account, request] result in
        if result == .right { services.passwordGiven(of: account) }
        services.log.outcome(.done, of: request)
        guard hasNews, let self else { return }
        if result == .right { announce() }
        end()
      }
      return true
    } catch {
      services.log.outcome(.refused(error), of: request)
      return false
    }
  }

  /// Tells what was enrolled, and forgets it once it was said.
  private func announce() {
    for item in services.store.news(of: account).items {
      connection?.send(.announced(finger: item.finger, when: item.seconds))
    }
    // What nobody was left to hear is told another time.
    guard connection?.isOpen == true else { return }
    do throws(StoreError) {
      try services.store.forgetNews(of: account)
    } catch {
      services.log.problem("\(error)")
    }
  }
}
