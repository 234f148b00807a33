// SPDX-License-Identifier: Apache-2.0

public import ThumbturnProtocol

/// The limits of ``DeviceBudget``. Times are in milliseconds.
public struct BudgetLimits: Equatable, Sendable {
  /// How long the reader may be driven for all together without rest. libfprint's own
  /// model calls a reader hot after 3 minutes and cold after 9 (`fp-device.c`, 1.94.5), but
  /// begins anew with each process, so it cannot be relied on here.
  public var heat = 180_000
  /// How long it may be driven for one origin that is never granted anything.
  public var share = 120_000
  /// How many milliseconds of rest win one back.
  public var rest: Int64 = 3
  /// Once a limit is reached, how much must be won back before the reader is driven again.
  public var margin = 60_000
  /// How long nobody gets a reader that has called itself too hot.
  public var coolDown: Int64 = 60_000
  /// Claims that ended without success count while one follows the other within this time.
  public var quick: Int64 = 10_000
  /// So many of them cost nothing.
  public var free = 5
  /// The wait after the next one, doubled with each.
  public var firstPause: Int64 = 500
  /// The longest wait.
  public var longestPause: Int64 = 8_000

  /// The limits that are used.
  public init() {}
}

/// Whether a claim may have the reader.
public enum Admittance: Equatable, Sendable {
  /// It may.
  case now
  /// It may in so many milliseconds.
  case wait(milliseconds: Int64)
  /// It may not, and this is what to say.
  case refused(Refusal)
}

/// The device time of all claims, and who must wait a while before the next one.
///
/// An origin is the uid on whose behalf the reader is asked for: the real uid behind a
/// setuid program, so that nobody spends another person's share. Time counts from the
/// turn to the end of the claim. A success gives an origin its share back, and ends its
/// waiting: twenty touches in a row all work at once, twenty cancelled claims do not.
///
/// All times are readings of one clock that never goes back, in milliseconds.
public struct DeviceBudget: Equatable, Sendable {
  /// The most origins that are remembered. Beyond it the one that rests longest is
  /// forgotten, which gives its share back.
  static let mostOrigins = 256

  private let limits: BudgetLimits
  private var heat: DrainingLevel
  private var coolAt: Int64 = .min
  private var origins: [UInt32: OriginUse] = [:]

  /// A cold reader that nobody has used.
  public init(limits: BudgetLimits = BudgetLimits()) {
    self.limits = limits
    heat = DrainingLevel(limit: limits.heat, margin: limits.margin, rest: limits.rest)
  }

  /// How many origins are remembered.
  public var remembered: Int { origins.count }

  /// Whether a claim of `origin` may have the reader.
  public func admittance(of origin: UInt32, at now: Int64) -> Admittance {
    if isHot(at: now) { return .refused(.tooHot) }
    guard let use = origins[origin] else { return .now }
    if use.level.isSpent(at: now) { return .refused(.tooHot) }
    return now < use.pausedUntil ? .wait(milliseconds: use.pausedUntil - now) : .now
  }

  /// Whether nobody may have the reader until it has cooled.
  public func isHot(at now: Int64) -> Bool { now < coolAt || heat.isSpent(at: now) }

  /// How long a claim of `origin` that begins now may last.
  public func allowance(of origin: UInt32, at now: Int64) -> Int64 {
    let own = origins[origin]?.level.room(at: now) ?? Int64(limits.share)
    return min(own, heat.room(at: now))
  }

  /// The reader has called itself too hot.
  public mutating func becameHot(at now: Int64) { coolAt = now + limits.coolDown }

  /// A claim of `origin` had the reader from `start` until now, and how it ended.
  public mutating func spend(_ origin: UInt32, from start: Int64, until now: Int64, end: ClaimEnd) {
    let spent = max(now - start, 0)
    heat.add(spent, at: now)
    var use = origins[origin] ?? OriginUse(limits)
    use.level.add(spent, at: now)
    use.take(end, from: start, until: now, limits)
    origins[origin] = use.isAtRest(at: now, limits) ? nil : use
    if origins.count > DeviceBudget.mostOrigins { forget(at: now) }
  }

  private mutating func forget(at now: Int64) {
    origins = origins.filter { !$0.value.isAtRest(at: now, limits) }
    guard origins.count > DeviceBudget.mostOrigins else { return }
    let longest = origins.min { ($0.value.lastEnd, $0.key) < ($1.value.lastEnd, $1.key) }
    if let longest { origins[longest.key] = nil }
  }
}

/// How a claim that had the reader ended.
public enum ClaimEnd: Equatable, Sendable {
  /// Something was granted.
  case granted
  /// Nothing was.
  case fruitless
  /// It goes on later: the reader was taken for somebody else, or for sleep.
  case interrupted
}

/// What one origin has used.
private struct OriginUse: Equatable, Sendable {
  var level: DrainingLevel
  var lastEnd: Int64 = .min
  var pausedUntil: Int64 = .min
  private var fruitless = 0

  init(_ limits: BudgetLimits) {
    level = DrainingLevel(limit: limits.share, margin: limits.margin, rest: limits.rest)
  }

  mutating func take(_ end: ClaimEnd, from start: Int64, until now: Int64, _ limits: BudgetLimits) {
    switch end {
    case .interrupted: return
    case .granted:
      self = OriginUse(limits)
      return
    case .fruitless: break
    }
    let isQuick = lastEnd != .min && start - max(lastEnd, pausedUntil) < limits.quick
    fruitless = isQuick ? min(fruitless + 1, 64) : 1
    lastEnd = now
    let beyond = fruitless - limits.free
    if beyond > 0 { pausedUntil = now + min(limits.firstPause << min(beyond - 1, 16), limits.longestPause) }
  }

  func isAtRest(at now: Int64, _ limits: BudgetLimits) -> Bool {
    level.isEmpty(at: now) && (lastEnd == .min || now - max(lastEnd, pausedUntil) >= limits.quick)
  }
}

/// An amount of time used that drains while nothing is added.
///
/// Once it has reached its limit it counts as spent until `margin` has drained.
private struct DrainingLevel: Equatable, Sendable {
  private let limit: Int64
  private let margin: Int64
  private let rest: Int64
  private var amount: Int64 = 0
  private var since: Int64 = .min
  private var wasSpent = false

  init(limit: Int, margin: Int, rest: Int64) {
    self.limit = Int64(limit)
    self.margin = Int64(margin)
    self.rest = max(rest, 1)
  }

  private func amount(at now: Int64) -> Int64 {
    since == .min ? 0 : max(amount - max(now - since, 0) / rest, 0)
  }

  func isEmpty(at now: Int64) -> Bool { amount(at: now) == 0 }

  func isSpent(at now: Int64) -> Bool { wasSpent && amount(at: now) > limit - margin }

  func room(at now: Int64) -> Int64 { max(limit - amount(at: now), 0) }

  /// Adds what was used until now; what drained before is settled as of its start.
  mutating func add(_ spent: Int64, at now: Int64) {
    wasSpent = isSpent(at: now)
    amount = min(amount(at: now - spent) + spent, limit)
    since = now
    if amount == limit { wasSpent = true }
  }
}
