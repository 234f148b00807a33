// SPDX-License-Identifier: Apache-2.0

internal import ThumbturnProtocol

/// One request to set, delete or try a pattern, as a value: events in, actions out.
///
/// What is done to the pattern is `store`, once at most, and behind the proof where one
/// is needed.
public struct PatternWork: Equatable, Sendable {
  private enum Phase: Equatable { case fresh, proving(Proving), asking, working, ended }

  private var phase = Phase.fresh
  private let limits: ErrandLimits
  private let takesPattern: Bool

  /// An errand that nothing was said in; `takesPattern`: the person gives one.
  public init(limits: ErrandLimits, takesPattern: Bool) {
    self.limits = limits
    self.takesPattern = takesPattern
  }

  /// Takes what happened and answers what must be done, in this order.
  public mutating func handle(_ event: ErrandEvent) -> [ErrandAction] {
    switch (phase, event) {
    case (.ended, _): return []
    case (_, .hungUp): return end(.hungUp)
    case (.fresh, .began(proofNeeded: false)): return goOn()
    case (.fresh, .began(proofNeeded: true)):
      let proving = Proving(limits: limits)
      phase = .proving(proving)
      return proving.opening
    case (.proving(let proving), _): return handle(event, in: proving)
    case (.asking, .message(.answer)):
      phase = .working
      return [.cancelTimer(.proof), .store]
    case (.asking, .timer(.proof)): return end(.refused(.timedOut))
    case (.working, .stored): return end(.done)
    // It is under way and cannot be taken back; what came of it is told.
    case (.working, .message(.cancel)): return []
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
    case .proven: return goOn()
    case .refused(let refusal): return end(.refused(refusal))
    }
  }

  private mutating func goOn() -> [ErrandAction] {
    phase = takesPattern ? .asking : .working
    return takesPattern ? [.setTimer(.proof, milliseconds: limits.proof), .wantPattern] : [.store]
  }

  private mutating func end(_ outcome: Outcome) -> [ErrandAction] {
    phase = .ended
    return outcome.lastWords + [.log(outcome), .finish]
  }
}
