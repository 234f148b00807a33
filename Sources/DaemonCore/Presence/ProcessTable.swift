// SPDX-License-Identifier: Apache-2.0

internal import CSystem
internal import Glibc
internal import Presence
internal import System

/// The processes as the kernel shows them in `/proc`. Reading takes a while where there
/// are thousands, so it is for a thread of its own.
struct ProcessTable {
  /// The most parents that are followed.
  private static let mostParents = 64
  /// The most processes that are looked at to see whether somebody comes from elsewhere,
  /// of all and of one person; with more it is taken for granted.
  private static let mostProcesses = 8_192
  private static let mostOfOne = 1_024

  let sources: PresenceSources

  /// How a process stands now; `nil` for one that is gone or has ended.
  func status(of process: Int32) -> ProcessStatus? {
    // 0 is what the kernel says of a process in another namespace.
    guard process > 0, let text = text("stat", of: process), let status = ProcessStatus(text),
      status.process == process, !status.isDead
    else { return nil }
    return status
  }

  /// What is known of a process at once; `nil` for one that is not there. Whether its
  /// owner comes from elsewhere is not looked for here, so it counts as a yes.
  func facts(of process: Int32) -> ProcessFacts? {
    guard let first = status(of: process), let group = text("cgroup", of: process),
      let status = text("status", of: process)
    else { return nil }
    let console = PresenceSources.text("class/tty/tty0/active", below: sources.devices)
    return ProcessFacts(
      chain: chain(from: first), group: ControlGroup(group), auditSession: audit("sessionid", of: process),
      loginUser: audit("loginuid", of: process), realUser: ProcessStatus.realUser(status: status),
      isNested: ProcessStatus.isNested(status: status), ownerComesFromAfar: true,
      activeConsole: console.flatMap(ProcessStatus.console(named:)))
  }

  private func text(_ name: String, of process: Int32) -> String? {
    PresenceSources.text("\(process)/\(name)", below: sources.processes)
  }

  private func audit(_ name: String, of process: Int32) -> UInt32? {
    text(name, of: process).flatMap(ProcessStatus.audit)
  }

  /// The process and its parents. A "parent" that is younger than its child got the
  /// number of one that is gone; the chain ends there.
  private func chain(from first: ProcessStatus) -> [ProcessStatus] {
    var chain = [first]
    while let last = chain.last, chain.count <= ProcessTable.mostParents,
      let parent = status(of: last.parent), parent.start <= last.start
    {
      chain.append(parent)
    }
    return chain
  }

  /// Whether a program that lets people in runs as this person or has a child that does:
  /// also one that the session manager knows nothing of.
  func comesFromAfar(_ owner: UInt32) -> Bool {
    let names = (try? FolderNames.list(path: sources.processes)) ?? []
    let numbers = names.compactMap { Int32($0) }
    guard !numbers.isEmpty, numbers.count <= ProcessTable.mostProcesses else { return true }
    let owned = numbers.filter { user(of: $0) == owner }
    guard owned.count <= ProcessTable.mostOfOne else { return true }
    var parents: Set<Int32> = []
    for number in owned {
      guard let status = status(of: number) else { continue }
      if ProgramNames.isLogin(status.name) { return true }
      parents.insert(status.parent)
    }
    return parents.contains { parent in
      status(of: parent).map { ProgramNames.isLogin($0.name) } ?? false
    }
  }

  /// A process's effective uid: the kernel gives its folder to it.
  private func user(of process: Int32) -> UInt32? {
    var status = stat()
    // SAFETY: the path is passed as a NUL-terminated copy, the structure is ours.
    return unsafe stat("\(sources.processes)/\(process)", &status) == 0 ? status.st_uid : nil
  }
}
