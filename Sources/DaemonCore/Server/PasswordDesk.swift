// SPDX-License-Identifier: Apache-2.0

internal import CSystem
internal import System
internal import ThumbturnProtocol

/// Where passwords are checked: one at a time per uid, and none for a while after
/// one that was not right, whatever the client does meanwhile.
final class PasswordDesk {
  /// How long a uid must wait after a password that was wrong, or
  /// that PAM could not check, in milliseconds. It keeps a client from starting one
  /// process after the other.
  static let pause = 1_000

  private let program: String
  private let problem: (String) -> Void
  private var running: [UInt32: RunningCheck] = [:]
  private let pauses = TimerSet<UInt32>()
  private var paused: Set<UInt32> = []

  init(program: String, problem: @escaping (String) -> Void) {
    self.program = program
    self.problem = problem
  }

  /// Checks the password at `range` of `secret`; answers once, from the main loop.
  ///
  /// - Throws: ``Refusal/overloaded`` while another check of this uid runs or its
  ///   pause lasts, ``Refusal/malfunction`` when none can be started.
  func check(
    _ account: Account, secret: borrowing Secret, at range: SecretRange,
    answer: @escaping (PasswordCheck.Result) -> Void
  ) throws(Refusal) {
    let uid = account.uid
    guard running[uid] == nil, !paused.contains(uid) else { throw .overloaded }
    do throws(SystemError) {
      let check = try PasswordCheck(of: account.name, secret: secret, at: range, program: program)
      running[uid] = RunningCheck(check) { [weak self] result in
        self?.ended(uid, result)
        answer(result)
      }
    } catch {
      problem("cannot start \(program): \(error)")
      throw .malfunction
    }
  }

  private func ended(_ uid: UInt32, _ result: PasswordCheck.Result) {
    running[uid] = nil
    if result == .failed { problem("\(program) could not check a password of uid \(uid)") }
    if result == .right { return }
    paused.insert(uid)
    pauses.set(uid, milliseconds: PasswordDesk.pause) { [weak self] in
      self?.paused.remove(uid)
      self?.pauses.cancel(uid)
    }
  }
}

/// One check, watched until it ends or its time is over.
private final class RunningCheck {
  private var check: PasswordCheck
  private let answer: (PasswordCheck.Result) -> Void
  private var watch: ReadWatch?
  private var limit: Timer?

  init(_ check: consuming PasswordCheck, answer: @escaping (PasswordCheck.Result) -> Void) {
    let remaining = max(check.deadline - csystem_milliseconds(), 0)
    let descriptor = check.watch
    self.check = check
    self.answer = answer
    watch = ReadWatch(descriptor) { [weak self] in self?.look() }
    // A millisecond more, so that the deadline has passed on the check's own clock.
    limit = Timer(milliseconds: Int(remaining) + 1) { [weak self] in self?.look() }
  }

  private func look() {
    guard let result = check.result() else { return }
    watch = nil
    limit = nil
    answer(result)
  }
}
