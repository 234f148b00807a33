// SPDX-License-Identifier: Apache-2.0

internal import CSystem
internal import Glibc
internal import Presence

/// One question about presence, from the call to its answer.
final class Inquiry {
  private let asked: AskedFor
  private let process: Int32
  private let since: Int64
  private let table: ProcessTable
  private let readings: ReadingQueue
  private let bus: MessageBus
  private var facts: ProcessFacts?
  private var manager = ManagerFacts.absent
  private var answer: Deadline<Presence>?

  /// `done` is called once, after ``PresenceDesk/limit`` at the latest.
  init(
    asked: AskedFor, process: Int32, since: Int64, table: ProcessTable, readings: ReadingQueue,
    bus: MessageBus, done: @escaping (Presence) -> Void
  ) {
    self.asked = asked
    self.process = process
    self.since = since
    self.table = table
    self.readings = readings
    self.bus = bus
    answer = Deadline(
      PresenceDesk.limit, otherwise: { [weak self] in self?.conclusion ?? .unknown }, done: done)
  }

  /// First the kernel is asked about the process.
  func start() {
    let (table, process) = (table, process)
    readings.read({ table.facts(of: process) }, wanted: wanted) { [weak self] in self?.take($0) }
  }

  /// Then the session manager about its session.
  private func take(_ found: ProcessFacts?) {
    let isOld = found?.chain.first.map { $0.startMilliseconds <= since } ?? false
    let facts = isOld ? found : nil
    if let early = Presence.early(of: asked, process: facts) {
      answer?.give(early)
      return
    }
    guard let facts else { return }
    self.facts = facts
    LoginQuery(of: process, facts: facts, for: asked, bus: bus) { [weak self] in self?.take($0) }.start()
  }

  /// At last, where that decides, the kernel once more: whether the owner comes from elsewhere.
  private func take(_ manager: ManagerFacts) {
    self.manager = manager
    var near = facts
    near?.ownerComesFromAfar = false
    let isDecided =
      Presence(of: asked, process: near, manager: manager)
      == Presence(of: asked, process: facts, manager: manager)
    guard !isDecided, let owner = facts?.owner else {
      answer?.giveUp()
      return
    }
    let table = table
    readings.read({ table.comesFromAfar(owner) }, wanted: wanted) { [weak self] in
      self?.facts?.ownerComesFromAfar = $0
      self?.answer?.giveUp()
    }
  }

  private var wanted: () -> Bool { { [weak self] in self != nil } }

  /// What is known by now decides; a session manager that was not heard is none.
  private var conclusion: Presence {
    guard let facts else { return .unknown }
    // While others were asked, the number must not have gone to another process.
    let now = table.status(of: process)
    let isSame = now != nil && now?.start == facts.chain.first?.start
    return Presence(of: asked, process: isSame ? facts : nil, manager: manager)
  }
}

extension ProcessStatus {
  /// When it started, in milliseconds since boot.
  fileprivate var startMilliseconds: Int64 {
    let ticks = Int64(sysconf(CInt(_SC_CLK_TCK)))
    return ticks > 0
      ? Int64(clamping: start / UInt64(ticks)) * 1000 + Int64(clamping: start % UInt64(ticks)) * 1000 / ticks
      : 0
  }
}
