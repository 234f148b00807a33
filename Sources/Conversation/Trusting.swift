// SPDX-License-Identifier: Apache-2.0

internal import ThumbturnProtocol

/// One request to trust the attached readers, as a value: events in, actions out.
public struct Trusting: Equatable, Sendable {
  private enum Phase: Equatable { case fresh, proving(Proving), queued, listing, storing, ended }

  private var phase = Phase.fresh
  private let limits: ErrandLimits

  /// An errand that nothing was said in.
  public init(limits: ErrandLimits) { self.limits = limits }

  /// Takes what happened and answers what must be done, in this order.
  public mutating func handle(_ event: ErrandEvent) -> [ErrandAction] {
    switch (phase, event) {
    case (.ended, _): return []
    case (_, .hungUp): return end(.hungUp)
    case (.fresh, .began(let proofNeeded)): return proofNeeded ? prove() : claim()
    case (.proving(let proving), _): return handle(event, in: proving)
    case (_, .message(.cancel)): return end(.refused(.cancelled))
    case (_, .message): return end(.refused(.malformed))
    case (_, .failed(let refusal)): return end(.refused(refusal))
    case (.queued, .mustWait(let service, let terminal)):
      return [.send(.waiting(service: service, terminal: terminal))]
    case (.queued, .timer(.turn)): return end(.refused(.busy))
    case (.queued, .turn):
      phase = .listing
      return [.cancelTimer(.turn)]
    case (.listing, .listed):
      phase = .storing
      return [.store]
    case (.storing, .stored): return end(.done)
    // It was due at the same moment as what made it pointless.
    case (_, .timer): return []
    default: return end(.refused(phase == .listing ? .readerFailed : .malfunction))
    }
  }

  private mutating func prove() -> [ErrandAction] {
    let proving = Proving(limits: limits)
    phase = .proving(proving)
    return proving.opening
  }

  private mutating func handle(_ event: ErrandEvent, in proving: Proving) -> [ErrandAction] {
    var proving = proving
    switch proving.handle(event) {
    case .stay(let actions):
      phase = .proving(proving)
      return actions
    case .proven: return claim()
    case .refused(let refusal): return end(.refused(refusal))
    }
  }

  private mutating func claim() -> [ErrandAction] {
    phase = .queued
    return [.setTimer(.turn, milliseconds: limits.queueWait), .claim]
  }

  private mutating func end(_ outcome: Outcome) -> [ErrandAction] {
    let holds = phase == .queued || phase == .listing || phase == .storing
    phase = .ended
    return outcome.lastWords + (holds ? [.release] : []) + [.log(outcome), .finish]
  }
}
