// SPDX-License-Identifier: Apache-2.0

internal import Conversation
internal import Policy
internal import System
internal import ThumbturnProtocol
internal import Throttle

/// Serves one `policy`: what a request of a service for an account would be allowed now,
/// if it came from where the question comes from.
final class PolicyInquiry: Session {
  private let service: Text
  private let account: Account
  private let services: Services
  private let request: LoggedRequest
  private weak var connection: Connection?
  private var ended = false

  init(
    _ service: Text, account: Account, request: LoggedRequest, connection: Connection, services: Services
  ) {
    self.service = service
    self.account = account
    self.services = services
    self.request = request
    self.connection = connection
  }

  func start() {
    guard let peer = connection?.peer else { return }
    var begin = Begin()
    begin.service = service
    services.judge(begin, of: account, peer: peer) { [weak self] in
      self?.answer($0)
    }
  }

  func receive(_ message: ClientMessage, secret: borrowing Secret) {
    end(.refused(message == .cancel ? .cancelled : .malformed))
  }

  func hungUp() { end(.hungUp) }

  private func answer(_ judged: Judged) {
    if ended { return }
    var judged = judged
    // Screen lockers ask as the user that locked; all others are root's.
    judged.request.service = service.shown
    let known = ServiceClass(service: judged.request.service)
    judged.request.peerIsRoot = known != .screenUnlock || account.uid == 0
    judged.request.realUser = account.uid
    judged.request.loginUser = .max
    for (key, value) in services.policyLines(judged, of: account) {
      connection?.send(.status(key: Text(key), value: Text(cut: value.withoutControls)))
    }
    end(.done)
  }

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
  /// What is decided of a request, and why.
  fileprivate func policyLines(_ judged: Judged, of account: Account) -> [StatusLine] {
    let decision = decide(judged, of: account)
    let lid = decision.sparesBuiltInReaders ? ", built-in readers stay dark under it" : ""
    return [
      ("service", "\(judged.request.service), class \(decision.serviceClass.rawValue)"),
      ("account", account.name.shown),
      ("place", judged.request.place.words),
      ("lid", "\(judged.lid)\(lid)"),
      ("fingerprint", decision.finger?.sentence ?? fingerWords(account, decision)),
      ("pattern", decision.pattern?.sentence ?? patternWords(account, decision.origin)),
      ("password", "always, if the service's stack asks for it"),
      ("tries", "\(decision.tries)"),
      ("timeout", "\(decision.timeout) s"),
      ("failures count for", decision.origin.words),
    ]
  }

  private func fingerWords(_ account: Account, _ decision: Decision) -> String {
    let prints = usableRecords(of: account).count
    if prints == 0 { return "allowed, none enrolled" }
    let left = configuration.policy.lockAfter - Int(counter.counts(of: account)?[decision.origin] ?? 0)
    return "allowed, \(prints) enrolled, \(left) mismatches until it is locked"
  }

  private func patternWords(_ account: Account, _ origin: Origin) -> String {
    let state = patterns.state(of: account, from: origin)
    return state == PatternState() ? "allowed, none set" : "allowed, \(state.words)"
  }
}

extension Objection {
  fileprivate var sentence: String { "no: \(words)" }
}

extension Origin {
  /// Whose failures they are, in a few words.
  var words: String {
    switch self {
    case .own: "the person at the machine"
    case .other: "other accounts and places"
    case .remote: "other machines"
    }
  }
}
