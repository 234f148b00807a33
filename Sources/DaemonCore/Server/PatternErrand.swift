// SPDX-License-Identifier: Apache-2.0

internal import Conversation
internal import Policy
internal import System
internal import ThumbturnProtocol
internal import Throttle

/// Serves one `setPattern`, `deletePattern` or `checkPattern`: drives a ``PatternWork`` with
/// a connection and the patterns.
final class PatternErrand: Session {
  /// What is done.
  enum Kind { case set, delete, check }

  private let kind: Kind
  private let common: ErrandServices
  private var work: PatternWork
  private let mailbox = Mailbox<ErrandEvent>()
  /// Whether the message that is being received is to be checked as a password.
  private var checking = false
  /// Whether its pattern is to be set or tried.
  private var working = false
  private var passwordLooksLikePattern = false
  /// Whose count a wrong one goes to.
  private var origin = Origin.other

  init(_ kind: Kind, common: ErrandServices) {
    self.kind = kind
    self.common = common
    work = PatternWork(
      limits: ErrandLimits(common.services.configuration), takesPattern: kind != .delete)
  }

  func start() {
    guard kind == .check else { return post(common.beginning) }
    // Nobody is to type a pattern for nothing.
    if patterns.state(of: common.account) == PatternState() { return post(.failed(.noPattern)) }
    // A guess is no change; what bounds guesses is the throttle. Whose guess it is must be known.
    common.judge { [weak self] in self?.judged($0) }
  }

  private func judged(_ signIn: SignIn) {
    origin = signIn.origin
    if case .remote? = signIn.decision.pattern { return post(.failed(.remote)) }
    post(.began(proofNeeded: false))
  }

  func receive(_ message: ClientMessage, secret: borrowing Secret) {
    (checking, working) = (false, false)
    post(.message(message))
    switch message {
    case .proof(let range) where checking:
      passwordLooksLikePattern = secret.withPart(range, looksLikePattern)
      common.check(secret, message) { [weak self] in self?.post($0) }
    case .answer(let range) where working: take(secret, at: range)
    default: break
    }
  }

  func hungUp() { post(.hungUp) }

  private var patterns: PatternGate { common.services.patterns }

  private func post(_ event: ErrandEvent) {
    mailbox.post(event) { for action in work.handle($0) { perform(action) } }
  }

  private func perform(_ action: ErrandAction) {
    if common.perform(action, post: { [weak self] in self?.post($0) }) { return }
    switch action {
    case .check: checking = true
    case .store where kind == .delete: delete()
    case .store: working = true
    default: break
    }
  }

  private func take(_ secret: borrowing Secret, at range: SecretRange) {
    if kind == .check {
      return common.services.test(
        secret, at: range, of: common.account, from: origin, for: common.connection
      ) { [weak self] in self?.hear($0) }
    }
    let flag = passwordLooksLikePattern
    let isWanted = common.services.wanted(by: common.connection)
    secret.withPart(range) { typed in
      patterns.set(typed, of: common.account, passwordLooksLikePattern: flag, isWanted: isWanted) {
        [weak self] in self?.hear($0)
      }
    }
  }

  private func hear(_ setting: PatternSetting) {
    switch setting {
    case .done:
      common.remember()
      common.announce(nil)
      post(.stored)
    case .invalid: post(.failed(.patternInvalid))
    case .common: post(.failed(.patternCommon))
    case .failed(let fault): fail(fault)
    }
  }

  private func hear(_ verdict: PatternVerdict) {
    switch verdict {
    case .right: post(.stored)
    case .wrong: post(.failed(.wrongPattern))
    case .throttled(let seconds): lock(seconds: max(seconds, 1))
    case .disabled: lock(seconds: 0)
    case .none: post(.failed(.noPattern))
    case .notAPattern: post(.failed(.patternInvalid))
    case .unavailable(let fault): post(.failed(fault.refusal))
    }
  }

  private func lock(seconds: UInt64) {
    _ = common.perform(.send(.lockedFor(seconds: seconds))) { _ in }
    post(.failed(.patternLocked))
  }

  private func delete() {
    patterns.delete(of: common.account) { [weak self] result in
      switch result {
      case .success(true): self?.post(.stored)
      case .success(false): self?.post(.failed(.noPattern))
      case .failure(let fault): self?.fail(fault)
      }
    }
  }

  private func fail(_ fault: PatternFault) {
    common.services.log.problem("\(fault)")
    post(.failed(fault.refusal))
  }
}

/// Whether a password could be taken for a pattern: 4 to 9 of the digits 1 to 9.
private func looksLikePattern(_ password: Span<UInt8>) -> Bool {
  guard (4...9).contains(password.count) else { return false }
  for index in password.indices where !(0x31...0x39).contains(password[index]) { return false }
  return true
}
