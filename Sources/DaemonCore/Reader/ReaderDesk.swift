// SPDX-License-Identifier: Apache-2.0

internal import CSystem
internal import Conversation
internal import ReaderProtocol
internal import Records
internal import System
internal import ThumbturnProtocol

/// The one place where reader processes start and end: one at a time has the
/// reader, for the claim whose turn it is; the next only when the former has ended.
///
/// One more process waits ahead of the next claim, with libfprint loaded (which
/// takes longer than all the rest until the reader is looked for) and no reader.
final class ReaderDesk {
  let plan: ReaderPlan
  var grant: ReaderGrant
  let problem: (String) -> Void
  let clock: () -> Int64
  private let changed: () -> Void
  var queue = ReaderQueue()
  var claims: [UInt64: any ReaderClaim] = [:]
  var turn: ReaderTurn?
  var process: ReaderProcess?
  private var spare: ReaderProcess?
  private var crashes = CrashGuard()
  let timers = TimerSet<DeskTimer>()
  lazy var sleep = SleepWatch { [weak self] in self?.wokeUnannounced() }
  /// How the lives of claims go on that wait for another turn.
  var lives: [UInt64: ReaderLife] = [:]
  var wokeAt: Int64?
  /// Called once the reader is given up for sleep.
  var readyToSleep: (() -> Void)?

  /// A desk whose reader is free. `changed` is called when it may have become idle; `clock`
  /// reads milliseconds that never go back.
  init(
    plan: ReaderPlan, problem: @escaping (String) -> Void,
    clock: @escaping () -> Int64 = csystem_milliseconds, changed: @escaping () -> Void
  ) {
    self.plan = plan
    grant = ReaderGrant(uid: plan.identity?.user, virtualReaders: plan.virtualReaders, problem: problem)
    self.problem = problem
    self.clock = clock
    self.changed = changed
  }

  /// Whether no process runs and nobody wants one.
  var isIdle: Bool { queue.isIdle }
  /// Who has the reader.
  var holder: Claimant? { queue.current }

  /// Puts a claim into the queue; it is kept until it leaves.
  func join(_ claim: any ReaderClaim) {
    claims[claim.claimant.number] = claim
    tell(queue.join(claim.claimant, at: clock()))
  }

  /// Takes a claim out of the queue, or its reader away. `granted`: it was not in vain.
  func leave(_ claim: any ReaderClaim, granted: Bool = false) {
    let number = claim.claimant.number
    claims[number] = nil
    lives[number] = nil
    if queue.leave(number, granted: granted, at: clock()) { giveReaderUp() } else { setTimers() }
  }

  /// What the daemon itself can say of a reader that a process reports; `nil` when nothing.
  func identity(of reader: ReaderDescription) -> ReaderIdentity? { grant.identity(of: reader) }

  /// Sends a command to the reader of a claim; nothing when it has none.
  func send(_ command: ReaderCommand, for claim: any ReaderClaim) {
    guard let turn, turn.number == claim.claimant.number, !turn.isAway else { return }
    if case .open(let driver, let device) = command { self.turn?.opening(driver, device) }
    process?.send(command)
  }

  /// Starts the process of the next claim ahead. Where that fails, the claim will say so.
  func prepare() {
    guard spare == nil, !crashes.isPaused(at: clock()) else { return }
    spare = try? ReaderProcess(plan: plan) { [weak self] in self?.spareEnded() }
  }
}

// MARK: - The queue

extension ReaderDesk {
  func tell(_ notices: [QueueNotice]) {
    for notice in notices {
      switch notice {
      case .turn(let number): start(number)
      case .mustWait(let number, let service, let terminal):
        claims[number]?.hear(.mustWait(service: service, terminal: terminal))
      case .refused(let number, let refusal):
        // As if it had its turn: there a claim takes a refusal.
        claims[number]?.hear(.turn)
        claims[number]?.hear(.report(.failed(refusal)))
      }
    }
    setTimers()
  }

  /// Lets go of the reader of a claim that has left the queue's head.
  func giveReaderUp() {
    turn = nil
    setTimers()
    if let process { process.close() } else { free() }
  }

  private func free() {
    grant.takeBack()
    tell(queue.free(at: clock()))
    tellReadyToSleep()
    changed()
  }
}

// MARK: - Processes

extension ReaderDesk {
  private func start(_ number: UInt64) {
    turn = ReaderTurn(number: number)
    sleep.begin()
    if lives[number] == nil { lives[number] = ReaderLife(wokeAt: wokeAt) }
    launch(number)
  }

  /// Starts a process for the claim whose turn it is, once more if its reader was lost.
  func launch(_ number: UInt64) {
    turn = ReaderTurn(number: number)
    claims[number]?.hear(.turn)
    // Hearing it may have made the claim leave.
    guard queue.current?.number == number, process == nil else { return }
    guard !crashes.isPaused(at: clock()) else { return pass(.failed(.readerFailed), to: number) }
    grant.give(enrolled: claims[number]?.enrolledOn ?? [])
    do throws(SystemError) {
      let process = if let spare = takeSpare() { spare } else { try ReaderProcess(plan: plan) {} }
      process.serve(
        reported: { [weak self] in self?.pass($0, to: number) },
        ended: { [weak self] in self?.processEnded() })
      self.process = process
      process.send(.list)
    } catch {
      problem("cannot start \(plan.path): \(error)")
      pass(.failed(.readerFailed), to: number)
    }
  }

  private func takeSpare() -> ReaderProcess? {
    defer { spare = nil }
    guard let spare, spare.isUsable else { return nil }
    return spare
  }

  private func spareEnded() {
    spare = nil
    crashes.crashed(at: clock())
  }

  private func pass(_ report: ReaderReport, to number: UInt64) {
    guard let turn, turn.number == number, !turn.isAway else { return }
    if takeNote(of: report, number) { return }
    claims[number]?.hear(.report(report))
  }

  private func processEnded() {
    let isBroken = process?.isBroken == true
    process = nil
    isBroken ? crashes.crashed(at: clock()) : crashes.endedWell()
    if turn?.isAway != true { free() } else { grant.takeBack() }
    prepare()
  }
}
