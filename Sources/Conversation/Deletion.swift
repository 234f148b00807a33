// SPDX-License-Identifier: Apache-2.0

internal import ThumbturnProtocol

/// One request to delete prints, as a value: events in, actions out.
public struct Deletion: Equatable, Sendable {
  private enum Phase: Equatable { case fresh, proving(Proving), storing, ended }

  private var phase = Phase.fresh
  private let limits: ErrandLimits

  /// An errand that nothing was said in.
  public init(limits: ErrandLimits) { self.limits = limits }

  /// Takes what happened and answers what must be done, in this order.
  public mutating func handle(_ event: ErrandEvent) -> [ErrandAction] {
    switch (phase, event) {
    case (.ended, _): return []
    case (_, .hungUp): return end(.hungUp)
    case (.fresh, .began(proofNeeded: false)): return delete()
    case (.fresh, .began(proofNeeded: true)):
      let proving = Proving(limits: limits)
      phase = .proving(proving)
      return proving.opening
    case (.proving(let proving), _): return handle(event, in: proving)
    case (.storing, .stored): return end(.done)
    case (_, .failed(let refusal)): return end(.refused(refusal))
    case (_, .message(.cancel)): return end(.refused(.cancelled))
    case (_, .message): return end(.refused(.malformed))
    case (_, .timer): return []
    default: return end(.refused(.malfunction))
    }
  }

  private mutating func handle(_ event: ErrandEvent, in proving: Proving) -> [ErrandAction] {
    var proving = proving
    switch proving.handle(event) {
    case .stay(let actions):
      phase = .proving(proving)
      return actions
    case .proven: return delete()
    case .refused(let refusal): return end(.refused(refusal))
    }
  }

  private mutating func delete() -> [ErrandAction] {
    phase = .storing
    return [.store]
  }

  private mutating func end(_ outcome: Outcome) -> [ErrandAction] {
    phase = .ended
    return outcome.lastWords + [.log(outcome), .finish]
  }
}
