// SPDX-License-Identifier: Apache-2.0

internal import CSystem
internal import Conversation
internal import Policy
internal import System
internal import ThumbturnProtocol

/// Serves one `begin`: finds out where it comes from, decides, and hands it to a
/// ``Recognition`` or refuses it.
final class Arrival: Session {
  private let begin: Begin
  private let account: Account
  private var request: LoggedRequest
  private let services: Services
  private weak var connection: Connection?
  private var recognition: Recognition?
  private var inFront = true
  private var ended = false

  init(
    _ begin: Begin, account: Account, request: LoggedRequest, connection: Connection, services: Services
  ) {
    self.begin = begin
    self.account = account
    self.request = request
    self.services = services
    self.connection = connection
  }

  func start() {
    guard let peer = connection?.peer else { return }
    services.judge(begin, of: account, peer: peer) { [weak self] in
      self?.judged($0, peer: peer)
    }
  }

  func receive(_ message: ClientMessage, secret: borrowing Secret) {
    if let recognition { return recognition.receive(message, secret: secret) }
    switch message {
    case .foreground(let flag): inFront = flag
    case .cancel: refuse(.cancelled)
    // Nothing was offered yet that could be answered.
    default: refuse(.malformed)
    }
  }

  func hungUp() {
    if let recognition { return recognition.hungUp() }
    end(.hungUp)
  }

  private func judged(_ judged: Judged, peer: Peer) {
    guard !ended, let connection else { return }
    let signIn = SignIn(judged, of: account, services: services)
    request.origin = signIn.origin
    let records = services.usableRecords(of: account)
    let beginning = beginning(signIn, hasPrints: !records.isEmpty)
    if case .began(false, let refusal?) = beginning { return refuse(refusal) }
    let recognition = Recognition(
      begin, signIn: signIn, records: records, beginning: beginning, request: request,
      connection: connection, services: services)
    self.recognition = recognition
    recognition.start()
    if !inFront { recognition.receive(.foreground(false), secret: Secret(capacity: 1)) }
  }

  /// What is offered. Whoever has nothing enrolled hears just that, and whoever has hears
  /// once why only the password counts.
  private func beginning(_ signIn: SignIn, hasPrints: Bool) -> ConversationEvent {
    let decision = signIn.decision
    let pattern = services.patterns.state(of: account, from: signIn.origin)
    let hasPattern = pattern.hasPattern || pattern.lockedFor == nil
    let wantsPassword = hasPattern ? decision.pattern.flatMap { $0.wantsPassword ? $0.refusal : nil } : nil
    let noPrint: Refusal? = hasPrints ? nil : wantsPassword ?? .nothingEnrolled
    let isAfar = decision.finger == .remote
    let noFinger = isAfar ? .remote : noPrint ?? decision.finger?.refusal
    return .began(pattern: decision.pattern == nil && pattern.hasPattern, noFinger: noFinger)
  }

  private func refuse(_ refusal: Refusal) {
    connection?.send(.refused(refusal))
    end(.refused(refusal))
  }

  private func end(_ outcome: Outcome) {
    if ended { return }
    ended = true
    services.log.outcome(outcome, of: request)
    connection?.close()
  }
}
