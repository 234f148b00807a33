// SPDX-License-Identifier: Apache-2.0

internal import CSystem
internal import Glibc
internal import Presence
internal import ThumbturnProtocol

/// The one place that asks who sits in front of the machine, whether its lid is closed,
/// and when it sleeps.
///
/// Answers come on the main loop, never before the call returns. Nothing is remembered
/// from one question to the next but the connection to the bus.
final class PresenceDesk {
  /// How long anybody waits for an answer, in milliseconds.
  static let limit = 250
  /// The most threads that read about processes.
  private static let mostReadings = 4

  let sources: PresenceSources
  private let bus: MessageBus
  private var inquiries: [UInt64: Inquiry] = [:]
  private var latest: UInt64 = 0
  private var readings = 0
  private var waiting: [() -> Void] = []

  init(_ sources: PresenceSources = PresenceSources()) {
    self.sources = sources
    bus = MessageBus(path: sources.bus)
  }

  /// Judges whoever asks.
  ///
  /// - Parameters:
  ///   - process: the process that asks; the one that a polkit helper acts for instead of
  ///     the helper.
  ///   - peer: the uid at the other end of the connection.
  ///   - target: the uid of the account that is to be recognised.
  ///   - since: when the connection was taken, on the clock of `csystem_milliseconds`. A
  ///     process that started later got the number of the one that connected.
  ///   - done: called once, after at most ``limit`` milliseconds.
  func judge(
    process: Int32, peer: UInt32, target: UInt32, service: Text, terminal: Text, remoteHost: Text,
    since: Int64, done: @escaping (Presence) -> Void
  ) {
    // sshd names "ssh" where others name a terminal.
    let isRemote = !Standing.isLocal(remoteHost) || terminal == Text("ssh")
    let asked = AskedFor(peer: peer, target: target, service: service.string ?? "", isRemote: isRemote)
    latest += 1
    let number = latest
    let inquiry = Inquiry(asked: asked, process: process, since: since, sources: sources) { [weak self] in
      self?.inquiries[number] = nil
      done($0)
    }
    inquiries[number] = inquiry
    read(for: inquiry)
  }

  /// Tells how the lid is; called once, within ``limit`` milliseconds.
  func lid(done: @escaping (Lid) -> Void) {
    let sources = sources
    let answer = Deadline(PresenceDesk.limit, otherwise: { Lid(kernelBelow: sources.processes) }, done: done)
    bus.call(
      "Get", of: LoginManager.properties, at: LoginManager.object, owner: LoginManager.name,
      arguments: [.text(LoginManager.manager), .text("LidClosed")]
    ) { reply in
      if case .values(let values) = reply, let isClosed = values[0]?[0]?.flag {
        return answer.give(isClosed ? .closed : .open)
      }
      answer.give(Lid(kernelBelow: sources.processes))
    }
  }

  /// Calls back with `true` right before the machine sleeps and with `false` when it is
  /// awake again, as far as a session manager tells.
  func watchSleep(_ sleeping: @escaping (Bool) -> Void) {
    bus.subscribe(
      "PrepareForSleep", of: LoginManager.manager, at: LoginManager.object, owner: LoginManager.name
    ) { values in
      if let isSleeping = values[0]?.flag { sleeping(isSleeping) }
    }
  }

  // MARK: - Reading

  private func read(for inquiry: Inquiry) {
    guard readings < PresenceDesk.mostReadings else {
      waiting.append { [weak self, weak inquiry] in if let inquiry { self?.read(for: inquiry) } }
      return
    }
    let reading = ProcessReading(of: inquiry.process, sources: sources) { [weak self, weak inquiry] facts in
      self?.readingEnded()
      guard let self, let inquiry else { return }
      inquiry.take(facts, bus: self.bus)
    }
    if reading.start() { readings += 1 }
  }

  private func readingEnded() {
    readings -= 1
    // Whoever gave up meanwhile starts none.
    while readings < PresenceDesk.mostReadings, !waiting.isEmpty { waiting.removeFirst()() }
  }
}

extension Lid {
  /// What the kernel itself says, `/proc/acpi/button/lid/*/state`; unknown on a machine
  /// without a lid.
  init(kernelBelow processes: String) {
    let folder = "\(processes)/acpi/button/lid"
    let names = (try? FolderNames.list(path: folder)) ?? []
    self.init(all: names.map { Lid(acpi: PresenceSources.text("\($0)/state", below: folder) ?? "") })
  }
}
