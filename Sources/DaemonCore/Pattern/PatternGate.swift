// SPDX-License-Identifier: Apache-2.0

internal import CSystem
internal import Pattern
internal import System
public import Throttle

/// The one way to patterns: tests, sets and deletes them, one after another.
///
/// What waits for its turn is neither counted nor tested, and is given up once `isWanted`
/// says so; `done` is not called then.
///
/// A guess is first counted on the disk and then tested, so neither a crash nor
/// guesses from many processes at once give one away. Nothing given here is logged.
/// Belongs to the main loop, which it needs for its answers.
public final class PatternGate {
  private let store: PatternStore
  private let cost: PatternCost
  private let clock: () -> Moment?
  private var recent = RecentGuesses()
  private let turns = Turns()

  /// Opens the patterns of a data folder.
  public convenience init(_ store: Store) { self.init(store, cost: .standard, clock: Moment.now) }

  init(_ store: Store, cost: PatternCost, clock: @escaping () -> Moment?) {
    self.store = PatternStore(store)
    self.cost = cost
    self.clock = clock
  }

  /// Tests what somebody typed, digits in ASCII. `done` may come before this returns.
  public func check(
    _ typed: Span<UInt8>, of account: Account, from origin: Origin,
    isWanted: @escaping () -> Bool = { true }, done: @escaping (PatternVerdict) -> Void
  ) {
    let pattern = (try? Pattern(typed: typed)).map(HeldPattern.init)
    turns.add(account.uid, isWanted: isWanted) { [self] next in
      check(pattern, of: account, from: origin) { verdict in
        done(verdict)
        next()
      }
    }
  }

  /// Sets what somebody typed as the person's pattern and forgets the guesses so far.
  /// The caller has made sure who asks.
  public func set(
    _ typed: Span<UInt8>, of account: Account, passwordLooksLikePattern: Bool,
    isWanted: @escaping () -> Bool = { true }, done: @escaping (PatternSetting) -> Void
  ) {
    let held: HeldPattern
    do throws(PatternProblem) {
      let pattern = try Pattern(typed: typed)
      guard !pattern.isCommon else { return done(.common) }
      held = HeldPattern(pattern)
    } catch {
      return done(.invalid(error))
    }
    turns.add(account.uid, isWanted: isWanted) { [self] next in
      set(held, of: account, flag: passwordLooksLikePattern) { setting in
        done(setting)
        next()
      }
    }
  }

  /// Deletes a person's pattern; answers whether there was one.
  public func delete(of account: Account, done: @escaping (Result<Bool, PatternFault>) -> Void) {
    turns.add(account.uid, isWanted: { true }) { [self] next in
      recent.forget(account)
      done(Result { () throws(PatternFault) in try store.delete(of: account) })
      next()
    }
  }

  /// Forgets the guesses at a person's pattern, also where their count is damaged; answers
  /// what went wrong. A pattern that cannot be used stays so.
  public func unlock(_ account: Account, done: @escaping (PatternFault?) -> Void) {
    turns.add(account.uid, isWanted: { true }) { [self] next in
      recent.forget(account)
      done(fault { () throws(PatternFault) in try unlock(account) })
      next()
    }
  }

  private func unlock(_ account: Account) throws(PatternFault) {
    guard store.hasRecord(of: account) else { return }
    let key: MachineKey
    do throws(PatternFault) {
      key = try store.key()
    } catch {
      // Without the key it is of no use anyway.
      if error == .noKey { return }
      throw error
    }
    try store.save(OriginThrottles(), of: account, key: key)
  }

  private func fault(_ body: () throws(PatternFault) -> Void) -> PatternFault? {
    do throws(PatternFault) {
      try body()
      return nil
    } catch {
      return error
    }
  }

  /// How a person's pattern stands now for who gives it from there.
  public func state(of account: Account, from origin: Origin = .own) -> PatternState {
    var state = PatternState()
    guard store.hasRecord(of: account) else { return state }
    do throws(PatternFault) {
      let key = try store.key()
      state.passwordLooksLikePattern = try store.record(of: account, key: key).passwordLooksLikePattern
      guard let moment = clock() else { throw .noBoot }
      state.lockedFor = nil
      let throttle = try store.throttle(of: account, key: key)[origin]
      state.failures = throttle.failures
      switch throttle.decide(now: moment.milliseconds, boot: moment.boot) {
      case .test: state.lockedFor = 0
      case .wait(let milliseconds): state.lockedFor = milliseconds
      case .disabled: return state
      }
      state.hasPattern = true
    } catch {
      state.problem = error
    }
    return state
  }
}

extension PatternGate {
  private func check(
    _ pattern: HeldPattern?, of account: Account, from origin: Origin,
    done: @escaping (PatternVerdict) -> Void
  ) {
    guard store.hasRecord(of: account) else { return done(.none) }
    do throws(PatternFault) {
      let key = try store.key()
      let record = try store.record(of: account, key: key)
      guard let pattern else { return done(.notAPattern(handOn: record.passwordLooksLikePattern)) }
      try check(pattern, of: account, from: origin, record: record, key: key, done: done)
    } catch {
      if case .store = error { done(.unavailable(error)) } else { done(.none) }
    }
  }

  private func check(
    _ pattern: HeldPattern, of account: Account, from origin: Origin, record: PatternRecord,
    key: MachineKey, done: @escaping (PatternVerdict) -> Void
  ) throws(PatternFault) {
    guard let moment = clock() else { return done(.unavailable(.noBoot)) }
    guard var throttle = try? store.throttle(of: account, key: key) else { return done(.disabled) }
    switch throttle[origin].decide(now: moment.milliseconds, boot: moment.boot) {
    case .disabled: return done(.disabled)
    case .wait(let milliseconds): return done(.throttled(seconds: (milliseconds + 999) / 1000))
    case .test: break
    }
    if recent.has(pattern, of: account, from: origin, now: moment.milliseconds) {
      return done(.wrong(handOn: record.passwordLooksLikePattern))
    }
    throttle[origin].count(now: moment.milliseconds, boot: moment.boot)
    try store.save(throttle, of: account, key: key)
    PatternDerivation.start(pattern, salt: record.salt, cost: record.cost) { [self] derivation in
      guard let verifier = derivation.verifier(key: key) else { return done(.unavailable(.noMemory)) }
      guard MachineKey.isSame(verifier, record.verifier) else {
        recent.add(pattern, of: account, from: origin, now: moment.milliseconds)
        return done(.wrong(handOn: record.passwordLooksLikePattern))
      }
      recent.forget(account)
      throttle[origin].clear()
      // A count that stays too high gives nothing away.
      try? store.save(throttle, of: account, key: key)
      done(.right)
    }
  }

  private func set(
    _ pattern: HeldPattern, of account: Account, flag: Bool, done: @escaping (PatternSetting) -> Void
  ) {
    do throws(PatternFault) {
      let key = try store.keyForSetting()
      guard let salt = PatternGate.newSalt() else { throw .noMemory }
      PatternDerivation.start(pattern, salt: salt, cost: cost) { [self] derivation in
        do throws(PatternFault) {
          guard let verifier = derivation.verifier(key: key) else { throw .noMemory }
          let record = PatternRecord(
            passwordLooksLikePattern: flag, uid: account.uid, created: UInt64(clamping: time(nil)),
            cost: cost, salt: salt, verifier: verifier)
          try store.save(record, of: account, key: key)
          recent.forget(account)
          done(.done)
        } catch {
          done(.failed(error))
        }
      }
    } catch {
      done(.failed(error))
    }
  }

  private static func newSalt() -> [UInt8]? {
    var salt = [UInt8](repeating: 0, count: PatternRecord.saltSize)
    // SAFETY: the array has as many bytes as are filled.
    return unsafe csystem_random(&salt, salt.count) == 0 ? salt : nil
  }
}
