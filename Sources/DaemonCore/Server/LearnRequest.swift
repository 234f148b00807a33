// SPDX-License-Identifier: Apache-2.0

internal import Conversation
internal import System
internal import ThumbturnProtocol

/// Serves one `learn`: has what somebody typed checked as their password.
///
/// The client hears the same at once, whatever comes of it: it must learn nothing here.
final class LearnRequest: Session {
  private let account: Account
  private let services: Services
  private let request: LoggedRequest
  private weak var connection: Connection?

  init(account: Account, request: LoggedRequest, connection: Connection, services: Services) {
    self.account = account
    self.request = request
    self.connection = connection
    self.services = services
  }

  func start() {}

  /// Takes the first message, which has the password.
  func receive(_ message: ClientMessage, secret: borrowing Secret) {
    if case .learn(_, _, let range) = message { check(secret, at: range) }
    connection?.send(.done)
    connection?.close()
  }

  func hungUp() {}

  private func check(_ secret: borrowing Secret, at range: SecretRange) {
    do throws(Refusal) {
      try services.passwords.check(account, secret: secret, at: range) {
        [services, account, request] result in
        if result == .right { services.passwordGiven(of: account) }
        services.log.outcome(.done, of: request)
      }
    } catch {
      services.log.outcome(.refused(error), of: request)
    }
  }
}
