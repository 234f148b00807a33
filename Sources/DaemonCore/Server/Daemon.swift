// SPDX-License-Identifier: Apache-2.0

internal import CSystem
internal import Conversation
internal import Glibc
internal import System
internal import ThumbturnProtocol

/// Why the daemon cannot start; the text is for whoever starts it.
struct StartError: Error {
  let text: String
}

/// The running daemon: puts the parts together and decides when to end.
final class Daemon {
  /// A report is sent in one go and must fit into a socket's buffer.
  private static let mostRecordsShown = 50

  private let loop = MainLoop()
  private let presence: PresenceDesk
  private let services: Services
  private var server: Server?
  private var listener: Listener?
  private var signals: [SignalWatch] = []
  private var idleness: Timer?
  private var stopping = false

  init(_ options: Options) throws(StartError) {
    let log = Log(mirror: options.logToStandardError)
    let (configuration, problems) = Configuration.load(options.configuration)
    for problem in problems { log.problem(problem) }
    let setup = try DaemonSetup(options, configuration: configuration)
    var changed: () -> Void = {}
    let desk = ReaderDesk(plan: setup.plan, problem: log.problem) { changed() }
    // First, so that libfprint is being loaded while the rest is set up.
    desk.prepare()
    let store = try DaemonSetup.store(options)
    presence = PresenceDesk(options.presence)
    services = Services(
      options: options, configuration: configuration, problems: problems, store: store, desk: desk,
      passwords: PasswordDesk(program: setup.passwordProgram, problem: log.problem),
      presence: presence, log: log)
    changed = { [weak self] in self?.settle() }
    let reception = Reception(services: services) { [weak self] in self?.status(for: $0) ?? [] }
    server = Server(reception: reception, log: log) { [weak self] in self?.settle() }
    do throws(SystemError) {
      listener = try Listener(path: options.socket) { [weak self] in self?.take($0) }
    } catch {
      throw StartError(text: "cannot listen on \(options.socket): \(error)")
    }
  }

  /// Serves until it is idle for too long or told to end.
  func run() {
    signals = [SIGTERM, SIGINT].map { signal in SignalWatch(signal) { [weak self] in self?.stop() } }
    settle()
    // SAFETY: here and below, the text is passed as a NUL-terminated copy.
    unsafe csystem_notify("READY=1")
    if services.options.logToStandardError { writeToStandardError("thumbturnd: ready\n") }
    presence.watchSleep { [weak self] in self?.services.desk.sleeping($0) }
    loop.run()
    unsafe csystem_notify("STOPPING=1")
  }

  private func take(_ descriptor: consuming OwnedDescriptor) {
    idleness = nil
    server?.take(descriptor)
    settle()
  }

  // MARK: - Ending

  /// Starts to count idle time, or ends once everything is closed.
  private func settle() {
    guard server?.count == 0, services.desk.isIdle else {
      idleness = nil
      return
    }
    if stopping { return loop.quit() }
    let seconds = services.options.idleExit ?? services.configuration.idleExit
    guard seconds > 0, idleness == nil else { return }
    idleness = Timer(milliseconds: seconds * 1000) { [weak self] in self?.idle() }
  }

  private func idle() {
    idleness = nil
    // Somebody may have come at this very moment.
    if listener?.accept() == true || !services.passwords.isIdle || !services.counter.isSettled {
      return settle()
    }
    loop.quit()
  }

  private func stop() {
    if stopping { return }
    stopping = true
    listener = nil
    server?.closeAll()
    settle()
  }

  // MARK: - Status

  private func status(for peer: Peer) -> [StatusLine] {
    let uptime = (csystem_milliseconds() - services.started) / 1000
    let holder = services.desk.holder.map { "in use by \($0.shown)" }
    var lines: [StatusLine] = [
      ("version", Version.current), ("uptime", "\(uptime) s"),
      ("configuration", services.options.configuration), ("data", services.options.data),
      ("connections", "\(server?.count ?? 0)"), ("reader", holder ?? services.desk.restingState),
    ]
    lines += services.patternLines(for: peer) + services.lockLines(for: peer)
    for problem in services.problems { lines.append(("configuration problem", problem)) }
    // The files' names tell who has something enrolled.
    if peer.user != geteuid() { return lines }
    let records = services.store.report()
    for problem in records.prefix(Daemon.mostRecordsShown) {
      lines.append((problem.isForeign ? "foreign record" : "damaged record", problem.file))
    }
    let more = records.count - Daemon.mostRecordsShown
    if more > 0 { lines.append(("more records", "\(more) that are damaged or foreign")) }
    return lines
  }
}

extension Claimant {
  /// `sudo on pts/3`
  fileprivate var shown: String { terminal.isEmpty ? service.shown : "\(service.shown) on \(terminal.shown)" }
}

/// Writes a line where the starter looks.
func writeToStandardError(_ text: String) {
  let bytes = Array(text.utf8)
  // SAFETY: as many bytes as the array has.
  _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
}
