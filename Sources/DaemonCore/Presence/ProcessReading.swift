// SPDX-License-Identifier: Apache-2.0

internal import CSystem
internal import Glibc
internal import Presence
internal import System

/// Reads what `/proc` tells of one process and its parents, on a thread of its own:
/// with thousands of processes it takes a while.
final class ProcessReading: BackgroundWork {
  /// The most parents that are followed.
  private static let mostParents = 64
  /// The most processes that are looked at; with more it is taken for granted that the
  /// owner comes from elsewhere.
  private static let mostProcesses = 8_192

  private let sources: PresenceSources
  private let process: Int32
  private let done: (ProcessFacts?) -> Void
  private var facts: ProcessFacts?

  /// `done` is called on the main loop; with `nil` for a process that is not there.
  init(of process: Int32, sources: PresenceSources, done: @escaping (ProcessFacts?) -> Void) {
    self.process = process
    self.sources = sources
    self.done = done
  }

  override func work() { facts = read() }

  override func finished() { done(facts) }

  /// How a process stands now; `nil` for one that is gone or has ended.
  static func status(of process: Int32, sources: PresenceSources) -> ProcessStatus? {
    // 0 is what the kernel says of a process in another namespace.
    guard process > 0, let text = PresenceSources.text("\(process)/stat", below: sources.processes),
      let status = ProcessStatus(text), status.process == process, !status.isDead
    else { return nil }
    return status
  }

  private func read() -> ProcessFacts? {
    guard let first = ProcessReading.status(of: process, sources: sources),
      let group = text("cgroup"), let status = text("status")
    else { return nil }
    var facts = ProcessFacts(
      chain: chain(from: first), group: ControlGroup(group), auditSession: audit("sessionid"),
      loginUser: audit("loginuid"), realUser: ProcessStatus.realUser(status: status),
      isNested: ProcessStatus.isNested(status: status))
    facts.activeConsole = PresenceSources.text("class/tty/tty0/active", below: sources.devices)
      .flatMap(ProcessStatus.console(named:))
    if let owner = facts.owner, first.process > 0 { facts.ownerComesFromAfar = comesFromAfar(owner) }
    return facts
  }

  private func text(_ name: String) -> String? {
    PresenceSources.text("\(process)/\(name)", below: sources.processes)
  }

  private func audit(_ name: String) -> UInt32? { text(name).flatMap(ProcessStatus.audit) }

  /// The process and its parents. A "parent" that is younger than its child got the
  /// number of one that is gone; the chain ends there.
  private func chain(from first: ProcessStatus) -> [ProcessStatus] {
    var chain = [first]
    while let last = chain.last, chain.count <= ProcessReading.mostParents,
      let parent = ProcessReading.status(of: last.parent, sources: sources), parent.start <= last.start
    {
      chain.append(parent)
    }
    return chain
  }

  /// Whether a program that lets people in runs as this person or has a child that does:
  /// also one that the session manager knows nothing of.
  private func comesFromAfar(_ owner: UInt32) -> Bool {
    let names = (try? FolderNames.list(path: sources.processes)) ?? []
    let numbers = names.compactMap { Int32($0) }
    guard !numbers.isEmpty, numbers.count <= ProcessReading.mostProcesses else { return true }
    var parents: Set<Int32> = []
    for number in numbers where user(of: number) == owner {
      guard let status = ProcessReading.status(of: number, sources: sources) else { continue }
      if ProgramNames.isLogin(status.name) { return true }
      parents.insert(status.parent)
    }
    return parents.contains { parent in
      ProcessReading.status(of: parent, sources: sources).map { ProgramNames.isLogin($0.name) } ?? false
    }
  }

  /// A process's effective uid: the kernel gives its folder to it.
  private func user(of process: Int32) -> UInt32? {
    var status = stat()
    // SAFETY: the path is passed as a NUL-terminated copy, the structure is ours.
    return unsafe stat("\(sources.processes)/\(process)", &status) == 0 ? status.st_uid : nil
  }
}
