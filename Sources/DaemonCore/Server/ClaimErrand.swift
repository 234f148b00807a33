// SPDX-License-Identifier: Apache-2.0

internal import Conversation
internal import System
internal import ThumbturnProtocol

/// What an errand decides: a value that takes events and answers actions.
protocol ErrandMachine {
  /// Takes what happened and answers what must be done, in this order.
  mutating func handle(_ event: ErrandEvent) -> [ErrandAction]
}

extension Enrollment: ErrandMachine {}
extension Deletion: ErrandMachine {}
extension Trusting: ErrandMachine {}

/// An errand that wants the reader: drives a machine with a connection, a claim and the store.
protocol ClaimErrand: Session, ReaderClaim {
  associatedtype Machine: ErrandMachine

  var common: ErrandServices { get }
  var errand: Machine { get set }
  var mailbox: Mailbox<ErrandEvent> { get }
  /// Whether the message that is being received is to be checked as a password.
  var checking: Bool { get set }

  /// Does what no other errand does.
  func performOwn(_ action: ErrandAction)
}

extension ClaimErrand {
  var desk: ReaderDesk { common.services.desk }

  func start() { post(common.beginning) }

  func receive(_ message: ClientMessage, secret: borrowing Secret) {
    checking = false
    post(.message(message))
    if checking { common.check(secret, message) { [weak self] in self?.post($0) } }
  }

  func hungUp() { post(.hungUp) }

  func post(_ event: ErrandEvent) {
    mailbox.post(event) { for action in errand.handle($0) { perform(action) } }
  }

  private func perform(_ action: ErrandAction) {
    if common.perform(action, post: { [weak self] in self?.post($0) }) { return }
    switch action {
    case .check: checking = true
    case .claim: desk.join(self)
    case .release: desk.leave(self)
    default: performOwn(action)
    }
  }
}
