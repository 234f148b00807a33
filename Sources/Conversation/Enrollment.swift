// SPDX-License-Identifier: Apache-2.0

internal import ThumbturnProtocol

/// One request to enrol a finger, as a value: events in, actions out.
public struct Enrollment: Equatable, Sendable {
  private enum Phase: Equatable {
    case fresh, proving(Proving), queued, opening, enrolling, storing, ended
  }

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
    case (_, .message(.cancel)): return refuse(.cancelled)
    case (_, .message): return refuse(.malformed)
    case (_, .failed(let refusal)): return refuse(refusal)
    default: return handleReader(event)
    }
  }

  private mutating func handleReader(_ event: ErrandEvent) -> [ErrandAction] {
    switch (phase, event) {
    case (.queued, .mustWait(let service, let terminal)):
      return [.send(.waiting(service: service, terminal: terminal))]
    case (.queued, .timer(.turn)): return refuse(.busy)
    case (.queued, .turn):
      phase = .opening
      return [.cancelTimer(.turn)]
    case (.opening, .opened(let reader, let scan, let stages)):
      phase = .enrolling
      return [.send(.enrolling(reader: reader, scan: scan, stages: stages)), .enroll, scanTimer]
    case (.enrolling, .stage(let done, let retry)):
      return [.send(.stage(done: done, retry: retry)), scanTimer]
    case (.enrolling, .timer(.scan)): return refuse(.timedOut)
    case (.enrolling, .enrolled):
      phase = .storing
      return [.cancelTimer(.scan), .store]
    case (.storing, .stored): return end(.done)
    // It was due at the same moment as what made it pointless.
    case (_, .timer): return []
    default: return refuse(phase == .opening || phase == .enrolling ? .readerFailed : .malfunction)
    }
  }

  private var scanTimer: ErrandAction { .setTimer(.scan, milliseconds: limits.scan) }

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
    case .refused(let refusal): return refuse(refusal)
    }
  }

  private mutating func claim() -> [ErrandAction] {
    phase = .queued
    return [.setTimer(.turn, milliseconds: limits.queueWait), .claim]
  }

  private mutating func refuse(_ refusal: Refusal) -> [ErrandAction] { end(.refused(refusal)) }

  private mutating func end(_ outcome: Outcome) -> [ErrandAction] {
    var holds = true
    switch phase {
    case .fresh, .proving, .ended: holds = false
    case .queued, .opening, .enrolling, .storing: break
    }
    phase = .ended
    return outcome.lastWords + (holds ? [.release] : []) + [.log(outcome), .finish]
  }
}

extension Outcome {
  /// What the client is told at the end of an errand.
  var lastWords: [ErrandAction] {
    switch self {
    case .done: [.send(.done)]
    case .refused(let refusal): [.send(.refused(refusal))]
    case .granted, .hungUp: []
    }
  }
}
