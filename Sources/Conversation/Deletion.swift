// SPDX-License-Identifier: Apache-2.0

internal import ThumbturnProtocol

/// One request to delete prints, as a value: events in, actions out.
///
/// The records go first. What a reader keeps itself is then of no use to anybody; if the
/// reader cannot be had to delete it, the person is told, and the deletion stands.
public struct Deletion: Equatable, Sendable {
  private enum Phase: Equatable { case fresh, proving(Proving), storing, queued, erasing, ended }

  private var phase = Phase.fresh
  private let limits: ErrandLimits

  /// An errand that nothing was said in.
  public init(limits: ErrandLimits) { self.limits = limits }

  /// Takes what happened and answers what must be done, in this order.
  public mutating func handle(_ event: ErrandEvent) -> [ErrandAction] {
    switch (phase, event) {
    case (.ended, _): return []
    case (.queued, .hungUp), (.erasing, .hungUp): return [.tellLeft(.cancelled)] + end(.hungUp)
    case (_, .hungUp): return end(.hungUp)
    case (.fresh, .began(proofNeeded: false)): return delete()
    case (.fresh, .began(proofNeeded: true)):
      let proving = Proving(limits: limits)
      phase = .proving(proving)
      return proving.opening
    case (.proving(let proving), _): return handle(event, in: proving)
    case (.storing, .stored): return end(.done)
    case (.storing, .storedElsewhereToo): return claim()
    case (.queued, _), (.erasing, _): return handleReader(event)
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

  private mutating func handleReader(_ event: ErrandEvent) -> [ErrandAction] {
    switch (phase, event) {
    case (.queued, .mustWait(let service, let terminal)):
      return [.send(.waiting(service: service, terminal: terminal))]
    case (.queued, .turn):
      phase = .erasing
      return [.cancelTimer(.turn)]
    case (.erasing, .erased(more: true)): return [.release] + claim()
    case (.erasing, .erased(more: false)): return leave(.noReader)
    case (.queued, .timer(.turn)): return leave(.busy)
    case (_, .timer): return []
    case (_, .failed(let refusal)): return leave(refusal)
    case (_, .message(.cancel)): return leave(.cancelled)
    case (_, .message): return leave(.malformed)
    default: return leave(.readerFailed)
    }
  }

  private mutating func claim() -> [ErrandAction] {
    phase = .queued
    return [.setTimer(.turn, milliseconds: limits.queueWait), .claim]
  }

  /// Ends it; what a reader still keeps stays there.
  private mutating func leave(_ refusal: Refusal) -> [ErrandAction] { [.tellLeft(refusal)] + end(.done) }

  private mutating func delete() -> [ErrandAction] {
    phase = .storing
    return [.store]
  }

  private mutating func end(_ outcome: Outcome) -> [ErrandAction] {
    let holds = phase == .queued || phase == .erasing
    phase = .ended
    return outcome.lastWords + (holds ? [.release] : []) + [.log(outcome), .finish]
  }
}
