// SPDX-License-Identifier: Apache-2.0

internal import CSystem
internal import Glibc
internal import Presence

/// One question about presence, from the call to its answer.
final class Inquiry {
  let process: Int32
  private let asked: AskedFor
  private let since: Int64
  private let sources: PresenceSources
  private var facts: ProcessFacts?
  private var manager = ManagerFacts.absent
  private var answer: Deadline<Presence>?

  init(
    asked: AskedFor, process: Int32, since: Int64, sources: PresenceSources,
    done: @escaping (Presence) -> Void
  ) {
    self.asked = asked
    self.process = process
    self.since = since
    self.sources = sources
    answer = Deadline(
      PresenceDesk.limit, otherwise: { [weak self] in self?.conclusion ?? .unknown }, done: done)
  }

  /// Goes on with what the kernel says of the process.
  func take(_ facts: ProcessFacts?, bus: MessageBus) {
    let isOld = facts?.chain.first.map { $0.startMilliseconds <= since } ?? false
    let facts = isOld ? facts : nil
    if let early = Presence.early(of: asked, process: facts) {
      answer?.give(early)
      return
    }
    guard let facts else { return }
    self.facts = facts
    LoginQuery(of: process, facts: facts, bus: bus) { [weak self] manager in
      self?.manager = manager
      self?.answer?.giveUp()
    }.start()
  }

  /// What is known by now decides; a session manager that was not heard is none.
  private var conclusion: Presence {
    guard let facts else { return .unknown }
    // While others were asked, the number must not have gone to another process.
    let now = ProcessReading.status(of: process, sources: sources)
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
