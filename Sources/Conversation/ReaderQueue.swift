// SPDX-License-Identifier: Apache-2.0

/// The queue for the reader: one at a time, origins in turn, each in the order it came.
///
/// A reader that was given back is not free before its process has ended, so giving it
/// back and being free are two steps. Who has used up its share of the reader's time is
/// refused, and who must wait a while is passed over (``DeviceBudget``). Times are
/// readings of one clock that never goes back, in milliseconds.
public struct ReaderQueue: Equatable, Sendable {
  /// How long a claim keeps the reader at least while another origin waits for it.
  public static let slice: Int64 = 10_000

  private var holder: Claimant?
  private var since: Int64 = 0
  private var closing = false
  private var asleep = false
  /// Whether the reader was taken for an origin's own request, so that no other may follow.
  private var isForOwn = false
  private var waiting: [Claimant] = []
  private var budget: DeviceBudget
  /// When each origin that waits had its latest turn, counted in turns.
  private var latest: [UInt32: UInt64] = [:]
  private var turns: UInt64 = 0

  /// A free reader.
  public init(limits: BudgetLimits = BudgetLimits()) { budget = DeviceBudget(limits: limits) }

  /// Who has the reader, `nil` also while the former process ends.
  public var current: Claimant? { holder }
  /// Whether nobody has it, waits for it or is about to be rid of it.
  public var isIdle: Bool { holder == nil && !closing && waiting.isEmpty }
  /// Whether the former holder's process has not ended yet.
  public var isClosing: Bool { closing }

  /// Somebody wants the reader; a second wish of the same claimant changes nothing.
  public mutating func join(_ claimant: Claimant, at now: Int64) -> [QueueNotice] {
    guard holder?.number != claimant.number, !waiting.contains(where: { $0.number == claimant.number })
    else { return [] }
    if case .refused(let refusal) = budget.admittance(of: claimant.origin, at: now) {
      return [.refused(claimant.number, refusal)]
    }
    // Behind a process that ends there may be nobody to name: it takes a moment only.
    let ahead = holder ?? waiting.first
    waiting.append(claimant)
    let notices = next(at: now)
    guard notices.isEmpty, let ahead else { return notices }
    return [.mustWait(claimant.number, service: ahead.service, terminal: ahead.terminal)]
  }

  /// Somebody wants it no more. Answers whether the reader was theirs: then its
  /// process must be closed and ``free(at:)`` called once that has ended.
  public mutating func leave(_ number: UInt64, granted: Bool = false, at now: Int64) -> Bool {
    waiting.removeAll { $0.number == number }
    guard holder?.number == number else { return false }
    giveUp(granted ? .granted : .fruitless, at: now)
    return true
  }

  /// The former holder's process has ended.
  public mutating func free(at now: Int64) -> [QueueNotice] {
    guard holder == nil else { return [] }
    closing = false
    return next(at: now)
  }

  /// Looks again whether somebody who had to wait a while may have the reader now.
  public mutating func lookAgain(at now: Int64) -> [QueueNotice] { next(at: now) }

  /// Whether nobody gets the reader until it has cooled.
  public func isHot(at now: Int64) -> Bool { budget.isHot(at: now) }
  /// The reader has called itself too hot: nobody gets it for a while.
  public mutating func becameHot(at now: Int64) { budget.becameHot(at: now) }

  // MARK: - Taking the reader

  /// The machine goes to sleep, or wakes. Answers who must be rid of the reader; its
  /// process must be closed and ``free(at:)`` called once that has ended.
  public mutating func sleeping(_ asleep: Bool, at now: Int64) -> UInt64? {
    self.asleep = asleep
    return asleep ? interrupt(front: true, at: now) : nil
  }

  /// Takes the reader from a claim that has had it for its slice, if another origin waits
  /// for it, or that a locked screen covers. Answers whose it was, as ``sleeping(_:at:)`` does.
  public mutating func takeInTurn(at now: Int64) -> UInt64? {
    guard let holder, sliceLeft(at: now) == 0 else { return nil }
    isForOwn = true
    // A covered claim's turn was not over: its origin keeps it, for the screen.
    if isCovered(holder, at: now) { latest[holder.origin] = nil }
    return interrupt(front: false, at: now)
  }

  private func isCovered(_ claimant: Claimant, at now: Int64) -> Bool {
    waiting.contains { $0.covers(claimant) && budget.admittance(of: $0.origin, at: now) == .now }
  }

  /// How long until the reader may have to be taken from its holder; `nil`: nobody waits
  /// whom that would serve.
  public func sliceLeft(at now: Int64) -> Int64? {
    guard let holder, holder.canWait else { return nil }
    if isCovered(holder, at: now) { return 0 }
    let someoneWaits = waiting.contains {
      $0.origin != holder.origin && $0.isOwn && budget.admittance(of: $0.origin, at: now) == .now
    }
    return someoneWaits ? max(since + ReaderQueue.slice - now, 0) : nil
  }

  /// How long the holder may go on before its share is used up; `nil` without one, and for
  /// one that has limits of its own.
  public func allowance(at now: Int64) -> Int64? {
    guard let holder, holder.canWait else { return nil }
    return max(budget.allowance(of: holder.origin, at: since) - (now - since), 0)
  }

  /// How long until somebody who waits may have the reader that nobody has; `nil`: no such time.
  public func nextLook(at now: Int64) -> Int64? {
    guard holder == nil, !closing, !asleep else { return nil }
    return waiting.compactMap { claimant in
      if case .wait(let time) = budget.admittance(of: claimant.origin, at: now) { time } else { nil }
    }.min()
  }

  private mutating func interrupt(front: Bool, at now: Int64) -> UInt64? {
    guard let former = holder, former.canWait else { return nil }
    giveUp(.interrupted, at: now)
    if front {
      // Its turn was not over.
      latest[former.origin] = nil
      waiting.insert(former, at: 0)
    } else {
      waiting.append(former)
    }
    return former.number
  }

  private mutating func giveUp(_ end: ClaimEnd, at now: Int64) {
    guard let former = holder else { return }
    budget.spend(former.origin, from: since, until: now, end: end)
    holder = nil
    closing = true
  }

  // MARK: - Giving it

  /// Refuses whom the reader's state refuses, and gives it to the next, if it is free.
  private mutating func next(at now: Int64) -> [QueueNotice] {
    guard holder == nil, !closing, !asleep else { return [] }
    var notices: [QueueNotice] = []
    var place: Int?
    for claimant in waiting {
      if case .refused(let refusal) = budget.admittance(of: claimant.origin, at: now) {
        notices.append(.refused(claimant.number, refusal))
        waiting.removeAll { $0.number == claimant.number }
      }
    }
    for index in waiting.indices where mayFollow(waiting[index], at: now) {
      if place.map({ turn(of: waiting[index]) < turn(of: waiting[$0]) }) ?? true { place = index }
    }
    guard let place else { return notices }
    return notices + give(to: waiting.remove(at: place), at: now)
  }

  private func mayFollow(_ claimant: Claimant, at now: Int64) -> Bool {
    guard budget.admittance(of: claimant.origin, at: now) == .now else { return false }
    if isCovered(claimant, at: now) { return false }
    return claimant.isOwn || !isForOwn || !waiting.contains(where: \.isOwn)
  }

  private func turn(of claimant: Claimant) -> UInt64 { latest[claimant.origin] ?? 0 }

  private mutating func give(to claimant: Claimant, at now: Int64) -> [QueueNotice] {
    holder = claimant
    since = now
    isForOwn = false
    turns += 1
    // Origins of which nobody waits need no place in the order.
    latest = latest.filter { origin, _ in waiting.contains { $0.origin == origin } }
    latest[claimant.origin] = turns
    return [.turn(claimant.number)]
      + waiting.map { .mustWait($0.number, service: claimant.service, terminal: claimant.terminal) }
  }
}
