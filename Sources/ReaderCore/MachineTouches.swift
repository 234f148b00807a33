// SPDX-License-Identifier: Apache-2.0

internal import ReaderProtocol
internal import ThumbturnProtocol

/// What the reader does.
extension ReaderMachine {
  mutating func opened(_ traits: ReaderTraits) -> [ReaderAction] {
    switch state {
    case .opening:
      self.traits = traits
      state = .idle
      return [.report(.opened)]
    case .finishing:
      // Told to leave while it opened, and the cancel came too late.
      state = .closing
      return [.close]
    default: return fail(.malfunction)
    }
  }

  mutating func openFailed(_ failure: DeviceFailure, open: Bool) -> [ReaderAction] {
    if state == .opening, !open, !hasFailedToOpen, failure.mayPass {
      hasFailedToOpen = true
      state = .openPausing
      return [.wait(milliseconds: ReaderMachine.openPause)]
    }
    var actions: [ReaderAction] = []
    if state == .opening { actions = [.report(.failed(failure.refusal)), .hurry] }
    state = open ? .closing : .ended
    return actions + [open ? .close : .end]
  }

  /// Waits for the next touch.
  mutating func arm() -> [ReaderAction] {
    if usable.isEmpty { return fail(.unknownReader) }
    state = .arming
    // Identifying may search all that a match-on-chip reader holds; for one print verifying will do.
    let searches = traits.identifies && !(traits.stores && usable.count == 1)
    return [.arm(only: searches ? nil : usable[position % usable.count])]
  }

  mutating func becomeArmed() -> [ReaderAction] {
    state = .armed(settling: settle > 0)
    return [.report(.armed)] + (settle > 0 ? [.wait(milliseconds: settle)] : [])
  }

  mutating func fingerChanged(_ status: FingerStatus) -> [ReaderAction] {
    switch state {
    case .arming:
      if status.present { return rest() }
      return status.needed ? becomeArmed() : []
    case .armed(settling: true):
      if status.present { return rest() }
      // A sensor that becomes active after the call returned settles from here on.
      return status.needed ? [.wait(milliseconds: settle)] : []
    case .resting: return status.present ? [] : cancel(then: .pause)
    case .unopened, .opening, .openPausing, .idle, .armed, .finishing, .pausing, .enrolling, .storing,
      .closing, .ended:
      return []
    }
  }

  private mutating func rest() -> [ReaderAction] {
    state = .resting
    return [.stopWaiting, .report(.resting)]
  }

  mutating func elapsed() -> [ReaderAction] {
    switch state {
    case .armed:
      state = .armed(settling: false)
      return []
    case .pausing: return arm()
    case .openPausing:
      guard let chosen else { return fail(.malfunction) }
      state = .opening
      return [.open(driver: chosen.driver, device: chosen.device)]
    case .unopened, .opening, .idle, .arming, .resting, .finishing, .enrolling, .storing, .closing, .ended:
      return []
    }
  }

  /// Takes a touch's result, which comes while the operation still runs.
  mutating func answered(_ result: TouchResult) -> [ReaderAction] {
    switch state {
    case .armed: return tell(result)
    case .arming: return [.report(.armed)] + tell(result)
    // Read of a resting finger, or too late: it counts for nothing.
    case .resting, .finishing, .closing, .ended: return []
    case .unopened, .opening, .openPausing, .idle, .pausing, .enrolling, .storing: return fail(.readerFailed)
    }
  }

  private mutating func tell(_ result: TouchResult) -> [ReaderAction] {
    state = .finishing(.arm)
    switch result {
    case .match(let index):
      guard let place = usable.firstIndex(of: index), traits.identifies || place == position else {
        return fail(.readerFailed)
      }
      state = .finishing(.idle)
      position = place
      misses = 0
      return [.report(.matched(index: index)), .stopWaiting]
    case .mismatch: return missed()
    case .retry(let reason): return [.report(.retry(reason)), .stopWaiting]
    }
  }

  private mutating func missed() -> [ReaderAction] {
    misses += 1
    position = (position + 1) % usable.count
    if !traits.identifies, misses < usable.count { return [.report(.retry(.liftFinger)), .stopWaiting] }
    misses = 0
    return [.report(.mismatched), .stopWaiting]
  }

  /// Takes the end of an operation.
  mutating func finished(_ failure: DeviceFailure?) -> [ReaderAction] {
    if case .fatal(let refusal) = failure, !isExpected(refusal) { return failedAtEnd(refusal) }
    switch state {
    case .finishing(let next): return go(on: next)
    case .resting: return go(on: .pause)
    case .arming, .armed:
      guard case .retry(let reason) = failure else { return failedAtEnd(.readerFailed) }
      return [.report(.retry(reason)), .stopWaiting] + arm()
    case .unopened, .opening, .openPausing, .idle, .pausing, .enrolling, .storing, .closing, .ended:
      return failedAtEnd(.readerFailed)
    }
  }

  /// Some match-on-chip drivers end the scan of a strange finger with "no such print".
  private func isExpected(_ refusal: Refusal) -> Bool {
    refusal == .notFound && (state == .finishing(.arm) || state == .finishing(.pause) || state == .resting)
  }

  /// Ends the claim when no operation runs any more.
  mutating func failedAtEnd(_ refusal: Refusal) -> [ReaderAction] {
    let leaving = isLeaving
    if state == .closing || state == .ended { return [] }
    state = .closing
    return leaving ? [.close] : [.report(.failed(refusal)), .hurry, .stopWaiting, .close]
  }

  mutating func go(on next: Next) -> [ReaderAction] {
    switch next {
    case .idle, .idleReport:
      state = .idle
      return next == .idle ? [] : [.report(.idle)]
    case .arm: return arm()
    case .pause:
      state = .pausing
      return [.wait(milliseconds: ReaderMachine.restPause)]
    case .close:
      state = .closing
      return [.close]
    }
  }

  mutating func enrolled(_ template: [UInt8]) -> [ReaderAction] {
    switch state {
    case .enrolling:
      state = .idle
      return [.report(.enrolled(template: template))]
    // The stop came too late; nobody wants the template any more.
    case .finishing(let next):
      guard traits.stores else { return go(on: next) }
      state = .storing(.drop(next))
      return [.drop(template: template)]
    case .unopened, .opening, .openPausing, .idle, .arming, .armed, .resting, .pausing, .storing, .closing,
      .ended:
      return failedAtEnd(.readerFailed)
    }
  }
}

extension DeviceFailure {
  /// Whether another attempt to open the reader may go well.
  fileprivate var mayPass: Bool { self == .fatal(.readerFailed) || self == .fatal(.busy) }

  /// What to tell the daemon when there is no way on.
  var refusal: Refusal {
    switch self {
    case .cancelled, .retry: .readerFailed
    case .fatal(let refusal): refusal
    }
  }
}
