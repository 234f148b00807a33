// SPDX-License-Identifier: Apache-2.0

extension Presence {
  /// Decides from facts alone; whatever is in doubt is not at the seat.
  ///
  /// `process` is `nil` for one that is gone or cannot be seen, as from another
  /// namespace of process numbers.
  public init(of asked: AskedFor, process: ProcessFacts?, manager: ManagerFacts) {
    if let early = Presence.early(of: asked, process: process) {
      self = early
    } else if let process {
      switch manager {
      case .absent: self = process.frontConsole.map { .seat(session: "tty\($0)") } ?? .unknown
      case .present(let login): self = Judgement(asked: asked, process: process, login: login).presence
      }
    } else {
      self = .none
    }
  }

  /// What holds whatever a session manager may say; `nil` when that counts.
  public static func early(of asked: AskedFor, process: ProcessFacts?) -> Presence? {
    if asked.isRemote || ProgramNames.isRemote(service: asked.service) { return .remote }
    guard let process, !process.isNested, process.group != .container else { return Presence.none }
    return process.chain.contains { ProgramNames.isRemote($0.name) } ? .remote : nil
  }
}

/// One process and what the session manager says of it.
struct Judgement {
  let asked: AskedFor
  let process: ProcessFacts
  let login: LoginFacts

  var presence: Presence {
    if let session = login.ofProcess, !session.isManager { return presence(in: session) }
    if case .userManager = process.group { return presenceBelowManager }
    return presenceWithoutSession
  }

  private func presence(in session: LoginSession) -> Presence {
    if session.isRemote { return .remote }
    guard session.isForPeople, !session.seat.isEmpty else { return .none }
    guard session.isActive, session.state != "closing" else { return .inactive }
    return isShownHere(session) ? .seat(session: session.id) : .remote
  }

  /// Whether what the process shows is shown in this session and nowhere else.
  ///
  /// A terminal whose server lives on by itself (tmux, screen, dtach) is in the session
  /// that started it and may be looked at from any other of the same person. So the
  /// parents must lead to the session's first process without such a server, or the
  /// person must have nothing open from elsewhere.
  private func isShownHere(_ session: LoginSession) -> Bool {
    let parents = process.chain.prefix { $0.process != session.leader }
    // Everything leads to init, which leads no session.
    let isDirect = session.leader > 1 && parents.count < process.chain.count
    if isDirect, !parents.contains(where: { ProgramNames.isMultiplexer($0.name) }) { return true }
    return !isOpenElsewhere(session.user)
  }

  /// Whether the person has, or may have, something open from another place. Only root
  /// ends or hides a session, but everybody starts processes below their manager.
  private func isOpenElsewhere(_ user: UInt32) -> Bool {
    user != process.owner || login.hasMore || process.ownerComesFromAfar
      || login.ofOwner.contains(where: \.isElsewhere)
  }

  /// Today's desktops start their terminals below the user's manager, and so does
  /// `systemd-run --user` in a session of ssh: the same in every respect that counts.
  private var presenceBelowManager: Presence {
    guard let session = loginSession ?? login.display else {
      return login.ofOwner.contains(where: \.isElsewhere) || process.ownerComesFromAfar ? .remote : .none
    }
    guard session.user == process.owner else { return .none }
    return presence(in: session)
  }

  /// What the audit session names, when it is a session of people.
  private var loginSession: LoginSession? {
    login.ofAudit.flatMap { $0.isForPeople ? $0 : nil }
  }

  /// Login on a console and display managers ask before there is a session.
  private var presenceWithoutSession: Presence {
    if let console = process.frontConsole { return .seat(session: "tty\(console)") }
    guard asked.peer == 0, ProgramNames.isDisplayManager(service: asked.service) else { return .none }
    guard let front = login.front else { return .none }
    if front.isRemote { return .remote }
    guard front.isActive, front.state != "closing" else { return .inactive }
    let isTheirs = front.kind == "greeter" || (front.isForPeople && front.user == asked.target)
    return isTheirs ? .seat(session: front.id) : .inactive
  }
}
