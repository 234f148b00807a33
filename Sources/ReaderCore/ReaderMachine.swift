// SPDX-License-Identifier: Apache-2.0

internal import ReaderProtocol
internal import ThumbturnProtocol

/// One claim of a reader, as a value: events in, actions out.
///
/// It opens nothing, reads no clock and sends nothing, which is why every path can
/// be a row of a test. A command out of order ends the claim, and so does a match
/// that was not asked for: it is never reported.
///
/// **Fingers that rest.** A touch must begin after the reader was armed. Where the
/// driver tells of the finger, one that is there when the sensor becomes active, or
/// comes within the settle time after it, is reported as resting; what is read of it
/// does not count, and the reader is armed again once it was lifted.
///
/// **Readers that cannot identify** compare one touch with one template. Each touch is
/// compared with the next template; only when all have been tried in vain is a
/// mismatch reported, and until then each asks for another touch. The template that
/// matched last is tried first the next time.
package struct ReaderMachine: Equatable, Sendable {
  /// Milliseconds between the end of a resting finger's scan and arming again, so that
  /// a reader that answers at once is not driven in a tight loop.
  package static let restPause = 150

  /// Milliseconds between an open that failed and the one other attempt: a reader that
  /// has just woken or was just let go often needs it.
  package static let openPause = 300

  enum State: Equatable, Sendable {
    case unopened
    case opening
    /// Waits before it opens the reader once more.
    case openPausing
    case idle
    /// Asked to wait for a touch, the sensor not known to be active yet.
    case arming
    /// The sensor is active; while settling, a finger that appears counts as resting.
    case armed(settling: Bool)
    /// A finger rests on the sensor; nothing read of it counts.
    case resting
    /// The operation was answered or cancelled and is about to end.
    case finishing(Next)
    /// Waits before arming again.
    case pausing
    case enrolling
    /// An operation on the reader's own storage runs; it is never cut short.
    case storing(StorageTask)
    case closing
    case ended
  }

  /// What is done to the reader's own storage.
  enum StorageTask: Equatable, Sendable {
    case erase(index: UInt8)
    case list
    case clear
    /// A print that nobody wants is deleted; what follows.
    case drop(Next)
  }

  /// What follows the end of the running operation.
  enum Next: Equatable, Sendable {
    case idle
    case idleReport
    case arm
    case pause
    case close
  }

  var state = State.unopened
  let settle: Int
  /// The reader that is to be opened, and whether that has failed once.
  var chosen: ChosenReader?
  var hasFailedToOpen = false
  var traits = ReaderTraits(identifies: false, announcesArming: false)
  /// Templates that were given, and those of them that this reader can use, in order.
  var given: [UInt8] = []
  var usable: [UInt8] = []
  /// Where in `usable` the template of the next touch stands, and how many were tried in vain.
  var position = 0
  var misses = 0

  /// A claim that has not begun; `settle` in milliseconds, 0: only a finger that the driver
  /// sees before the sensor is active counts as resting.
  package init(settle: Int) { self.settle = settle }

  /// Whether the process has nothing left to do.
  package var hasEnded: Bool { state == .ended }

  /// Takes what happened; answers what to do, in order.
  package mutating func handle(_ event: ReaderEvent) -> [ReaderAction] {
    if state == .ended { return [] }
    switch event {
    case .command(let command): return obey(command)
    case .nonsense: return fail(.malformed)
    case .hungUp: return leave()
    case .opened(let traits): return opened(traits)
    case .openFailed(let failure, let open): return openFailed(failure, open: open)
    case .kept(let index, let usable):
      if usable { self.usable.append(index) }
      return []
    case .started: return traits.announcesArming || state != .arming ? [] : becomeArmed()
    case .finger(let status): return fingerChanged(status)
    case .elapsed: return elapsed()
    case .answered(let result): return answered(result)
    case .finished(let failure): return finished(failure)
    case .stage(let done, let retry):
      return state == .enrolling ? [.report(.stage(done: done, retry: retry))] : []
    case .enrolled(let template): return enrolled(template)
    case .storage(let result): return ended(result)
    case .closed:
      state = .ended
      return [.end]
    }
  }
}

/// Commands of the daemon.
extension ReaderMachine {
  private mutating func obey(_ command: ReaderCommand) -> [ReaderAction] {
    switch (command, state) {
    case (.close, _): return leave()
    case (_, .closing), (_, .finishing(.close)), (_, .storing(.drop(.close))): return []
    case (.list, .unopened): return [.list]
    case (.open(let driver, let device), .unopened):
      state = .opening
      chosen = ChosenReader(driver: driver, device: device)
      return [.open(driver: driver, device: device)]
    case (.template(let index, let bytes), .idle) where !given.contains(index):
      given.append(index)
      return [.keep(index: index, bytes: bytes)]
    case (.verify, .idle) where !given.isEmpty: return arm()
    case (.verify, .finishing(.idle)) where !given.isEmpty:
      state = .finishing(.arm)
      return []
    case (.enroll(let finger, let user), .idle):
      state = .enrolling
      return [.enroll(finger: finger, user: user)]
    case (.erase(let index), .idle) where given.contains(index): return erase(index)
    case (.listStored, .idle):
      state = .storing(.list)
      return [.listStored]
    case (.clearStored, .idle):
      state = .storing(.clear)
      return [.clearStored]
    case (.pause, _): return pause()
    case (.list, _), (.open, _), (.template, _), (.verify, _), (.enroll, _), (.erase, _), (.listStored, _),
      (.clearStored, _):
      return fail(.malformed)
    }
  }

  /// Asks the reader only for what it can have: a print of another kind of reader is not there.
  private mutating func erase(_ index: UInt8) -> [ReaderAction] {
    guard traits.stores, usable.contains(index) else { return [.report(.missing(index: index))] }
    state = .storing(.erase(index: index))
    return [.erase(index: index)]
  }

  private mutating func pause() -> [ReaderAction] {
    switch state {
    case .unopened, .opening, .openPausing, .storing(.erase), .storing(.list), .storing(.clear):
      return fail(.malformed)
    case .idle: return [.report(.idle)]
    case .pausing:
      state = .idle
      return [.stopWaiting, .report(.idle)]
    case .storing(.drop), .finishing(.close), .closing, .ended: return []
    // An operation that was answered may still wait until the finger is lifted.
    case .arming, .armed, .resting, .enrolling, .finishing: return cancel(then: .idleReport)
    }
  }

  mutating func cancel(then next: Next) -> [ReaderAction] {
    state = .finishing(next)
    return [.stopWaiting, .cancel]
  }

  /// Whether the end of the claim is under way.
  var isLeaving: Bool {
    switch state {
    case .closing, .ended, .finishing(.close), .storing(.drop(.close)): true
    default: false
    }
  }

  /// Ends the claim after telling why.
  mutating func fail(_ refusal: Refusal) -> [ReaderAction] {
    if isLeaving { return [] }
    return [.report(.failed(refusal))] + leave()
  }

  /// Ends the claim: stops what runs, closes what is open.
  mutating func leave() -> [ReaderAction] {
    switch state {
    case .unopened, .openPausing:
      state = .ended
      return [.end]
    case .idle, .pausing:
      state = .closing
      return [.hurry, .stopWaiting, .close]
    case .storing(.drop(.close)): return []
    case .storing:
      state = .storing(.drop(.close))
      return [.hurry, .stopWaiting]
    case .finishing(.close), .closing, .ended: return []
    case .opening, .arming, .armed, .resting, .enrolling, .finishing:
      return [.hurry] + cancel(then: .close)
    }
  }
}
