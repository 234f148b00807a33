// SPDX-License-Identifier: Apache-2.0

internal import CSystem
internal import Conversation
internal import ReaderProtocol
internal import ThumbturnProtocol

/// What the desk waits for.
enum DeskTimer: Hashable {
  /// Somebody who had to wait a while may have the reader.
  case look
  /// The holder has had its slice while others wait.
  case slice
  /// The holder has used up its share.
  case allowance
  /// A reader that was lost is looked for.
  case comeback
}

/// The turn that one claim has at the reader.
struct ReaderTurn {
  let number: UInt64
  /// Whether its reader was lost and is looked for: what its process says counts no more.
  var isAway = false
  private var found: [ReaderDescription] = []
  /// The reader that it opens or has open.
  private(set) var reader: ReaderDescription?

  init(number: UInt64) { self.number = number }

  mutating func found(_ reader: ReaderDescription) {
    // A process that reports more is not believed, which others see to.
    if found.count < 16 { found.append(reader) }
  }

  mutating func opening(_ driver: Text, _ device: Text) {
    reader = found.first { $0.driver == driver && $0.device == device }
  }
}

// MARK: - Readers that come and go

extension ReaderDesk {
  /// Notes what a process reports; `true`: the claim need not hear it.
  func takeNote(of report: ReaderReport, _ number: UInt64) -> Bool {
    switch report {
    case .found(let reader): turn?.found(reader)
    case .opened: lives[number]?.opened()
    case .failed(.tooHot): queue.becameHot(at: clock())
    case .failed(let refusal) where hasLostReader(refusal): return comesBack(number) { $0.lost(at: $1) }
    default: break
    }
    return false
  }

  /// None of the listed readers is the claim's. Answers whether it is to wait: a reader
  /// that was there a moment ago is looked for again.
  func looksAgain(for claim: any ReaderClaim) -> Bool {
    comesBack(claim.claimant.number) { $0.absent(at: $1) }
  }

  private func hasLostReader(_ refusal: Refusal) -> Bool {
    guard let reader = turn?.reader else { return false }
    switch refusal {
    case .noReader: return true
    // A driver may fail of its own accord, or because the ground went away below it.
    case .readerFailed: return reader.bus != 0 && grant.identity(of: reader) == nil
    default: return false
    }
  }

  private func comesBack(_ number: UInt64, _ ask: (inout ReaderLife, Int64) -> ReaderLife.Step) -> Bool {
    guard let claim = claims[number], claim.claimant.canWait, turn?.number == number else { return false }
    var life = lives[number] ?? ReaderLife()
    defer { lives[number] = life }
    guard case .lookAgain(let milliseconds) = ask(&life, clock()) else { return false }
    turn?.isAway = true
    process?.close()
    timers.set(.comeback, milliseconds: milliseconds) { [weak self] in self?.lookForReader(number) }
    claim.hear(.lost)
    return true
  }

  private func lookForReader(_ number: UInt64) {
    guard turn?.number == number, queue.current?.number == number else { return }
    if process == nil { return launch(number) }
    // Its former process takes its time to end.
    timers.set(.comeback, milliseconds: ReaderLife.nextLook) { [weak self] in self?.lookForReader(number) }
  }
}

// MARK: - Sleep

extension ReaderDesk {
  /// Gives the reader up before the machine sleeps, and lets the same conversations have it
  /// again after. `ready` is called once no process has a reader.
  func sleeping(_ asleep: Bool, ready: @escaping () -> Void = {}) {
    let now = clock()
    if !asleep { wokeAt = now }
    let former = queue.sleeping(asleep, at: now)
    if let former { take(from: former) { $0.slept(at: now) } }
    // An enrolment cannot be laid aside.
    if asleep, former == nil, let turn { claims[turn.number]?.hear(.report(.failed(.readerFailed))) }
    readyToSleep = ready
    tellReadyToSleep()
    if !asleep { tell(queue.lookAgain(at: now)) }
  }

  /// The machine has slept, and nobody had said so before: what a driver believes of its
  /// reader may be wrong by now.
  func wokeUnannounced() {
    guard turn != nil else { return }
    sleeping(true)
    sleeping(false)
  }

  func tellReadyToSleep() {
    guard process == nil, !queue.isClosing, let ready = readyToSleep else { return }
    readyToSleep = nil
    ready()
  }

  private func take(from number: UInt64, _ note: (inout ReaderLife) -> Void = { _ in }) {
    if var life = lives[number] {
      note(&life)
      lives[number] = life
    }
    turn = nil
    claims[number]?.hear(.lost)
    giveReaderUp()
  }
}

// MARK: - Time

extension ReaderDesk {
  /// What to say of a reader that nobody has.
  var restingState: String { queue.isHot(at: clock()) ? "too hot, resting" : "free" }

  /// Sets the times at which something is due without anybody's doing.
  func setTimers() {
    let now = clock()
    set(.look, in: queue.nextLook(at: now)) { $0.tell($0.queue.lookAgain(at: $0.clock())) }
    set(.slice, in: queue.sliceLeft(at: now)) { $0.takeInTurn() }
    set(.allowance, in: queue.allowance(at: now)) { $0.endAllowance() }
    if turn == nil { sleep.end() }
  }

  private func set(_ timer: DeskTimer, in milliseconds: Int64?, due: @escaping (ReaderDesk) -> Void) {
    guard let milliseconds else { return timers.cancel(timer) }
    timers.set(timer, milliseconds: Int(clamping: milliseconds) + 1) { [weak self] in
      if let self { due(self) }
    }
  }

  private func takeInTurn() {
    guard let number = queue.takeInTurn(at: clock()) else { return setTimers() }
    take(from: number)
  }

  private func endAllowance() {
    guard let turn, queue.allowance(at: clock()) == 0 else { return setTimers() }
    problem("the reader was driven for as long as one user may without a success")
    claims[turn.number]?.hear(.report(.failed(.tooHot)))
  }
}
