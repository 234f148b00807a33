// SPDX-License-Identifier: Apache-2.0

internal import Conversation
internal import ReaderProtocol
internal import Records
internal import System
internal import ThumbturnProtocol

/// What a claim hears of the reader.
enum ClaimNews {
  /// Somebody else holds it.
  case mustWait(service: Text, terminal: Text)
  /// It is this claim's; the attached readers are being listed.
  case turn
  /// What the process says.
  case report(ReaderReport)
}

/// Whoever wants the reader.
protocol ReaderClaim: AnyObject {
  /// Who it is.
  var claimant: Claimant { get }
  /// The USB readers its prints were made on; the process is let at these, too.
  var enrolledOn: [USBIdentity] { get }
  /// Takes news; may call the desk.
  func hear(_ news: ClaimNews)
}

/// The one place where reader processes start and end: one at a time has the
/// reader, for the claim whose turn it is; the next only when the former has ended.
///
/// One more process waits ahead of the next claim, with libfprint loaded (which
/// takes longer than all the rest until the reader is looked for) and no reader.
final class ReaderDesk {
  private let plan: ReaderPlan
  private var grant: ReaderGrant
  private let problem: (String) -> Void
  private let changed: () -> Void
  private var queue = ReaderQueue()
  private var claims: [UInt64: any ReaderClaim] = [:]
  private var process: ReaderProcess?
  private var spare: ReaderProcess?

  /// A desk whose reader is free. `changed` is called when it may have become idle.
  init(
    plan: ReaderPlan, problem: @escaping (String) -> Void, changed: @escaping () -> Void
  ) {
    self.plan = plan
    grant = ReaderGrant(uid: plan.identity?.user, virtualReaders: plan.virtualReaders, problem: problem)
    self.problem = problem
    self.changed = changed
  }

  /// Whether no process runs and nobody wants one.
  var isIdle: Bool { queue.isIdle }
  /// Who has the reader.
  var holder: Claimant? { queue.current }

  /// Puts a claim into the queue; it is kept until it leaves.
  func join(_ claim: any ReaderClaim) {
    claims[claim.claimant.number] = claim
    tell(queue.join(claim.claimant))
  }

  /// Takes a claim out of the queue, or its reader away.
  func leave(_ claim: any ReaderClaim) {
    claims[claim.claimant.number] = nil
    guard queue.leave(claim.claimant.number) else { return }
    if let process { process.close() } else { free() }
  }

  /// What the daemon itself can say of a reader that a process reports; `nil` when nothing.
  func identity(of reader: ReaderDescription) -> ReaderIdentity? { grant.identity(of: reader) }

  /// Sends a command to the reader of a claim; nothing when it has none.
  func send(_ command: ReaderCommand, for claim: any ReaderClaim) {
    guard queue.current?.number == claim.claimant.number else { return }
    process?.send(command)
  }

  private func tell(_ notices: [QueueNotice]) {
    for notice in notices {
      switch notice {
      case .turn(let number): start(number)
      case .mustWait(let number, let service, let terminal):
        claims[number]?.hear(.mustWait(service: service, terminal: terminal))
      }
    }
  }

  private func start(_ number: UInt64) {
    claims[number]?.hear(.turn)
    // Hearing it may have made the claim leave.
    guard queue.current?.number == number else { return }
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

  /// Starts the process of the next claim ahead. Where that fails, the claim will say so.
  func prepare() {
    guard spare == nil else { return }
    spare = try? ReaderProcess(plan: plan) { [weak self] in self?.spare = nil }
  }

  private func takeSpare() -> ReaderProcess? {
    defer { spare = nil }
    guard let spare, spare.isUsable else { return nil }
    return spare
  }

  private func pass(_ report: ReaderReport, to number: UInt64) {
    guard queue.current?.number == number else { return }
    claims[number]?.hear(.report(report))
  }

  private func processEnded() {
    process = nil
    free()
    prepare()
  }

  private func free() {
    grant.takeBack()
    tell(queue.free())
    changed()
  }
}
