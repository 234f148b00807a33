// SPDX-License-Identifier: Apache-2.0

internal import Presence

/// The names of logind's interface (org.freedesktop.login1(5)); elogind has the same.
enum LoginManager {
  static let name = "org.freedesktop.login1"
  static let object = "/org/freedesktop/login1"
  static let manager = "org.freedesktop.login1.Manager"
  static let session = "org.freedesktop.login1.Session"
  static let user = "org.freedesktop.login1.User"
  static let seat = "org.freedesktop.login1.Seat"
  static let properties = "org.freedesktop.DBus.Properties"
  static let noSession = "org.freedesktop.login1.NoSessionForPID"
}

/// Asks the session manager about one process, in three rounds of calls; each round
/// begins when the former is answered. Nothing is kept for the next request.
final class LoginQuery {
  /// The most sessions of one person that are looked at.
  private static let mostSessions = 32

  private let bus: MessageBus
  private let process: Int32
  private let facts: ProcessFacts
  private let done: (ManagerFacts) -> Void

  private var ofProcess: String?
  private var seat: String?
  private var listed: [ListedSession] = []
  private var sessions: [String: LoginSession] = [:]
  private var users: [String: String] = [:]
  private var front: String?
  private var display: String?
  private var outstanding = 0
  private var isWorthless = false

  fileprivate struct ListedSession {
    let id: String
    let user: UInt32
    let path: String
  }

  /// `done` is called once, after at most the time limits of three calls.
  init(
    of process: Int32, facts: ProcessFacts, bus: MessageBus, done: @escaping (ManagerFacts) -> Void
  ) {
    self.process = process
    self.facts = facts
    self.bus = bus
    self.done = done
  }

  /// First round: which sessions there are.
  func start() {
    outstanding = 3
    let next = { self.askForSessions() }
    manager("GetSessionByPID", [.number(UInt32(bitPattern: process))], then: next) { reply in
      switch reply {
      case .values(let values): self.ofProcess = values[0]?.text
      case .refused(LoginManager.noSession): break
      case .refused, .failed: self.isWorthless = true
      }
    }
    manager("ListSessions", [], then: next) { reply in
      guard case .values(let values) = reply else { return self.isWorthless = true }
      self.listed = (values[0]?.parts ?? []).compactMap(ListedSession.init)
    }
    manager("GetSeat", [.text("seat0")], then: next) { reply in
      // A machine may have no such seat.
      if case .values(let values) = reply { self.seat = values[0]?.text }
    }
  }

  /// Second round: how they are, and what is in front of the seat.
  private func askForSessions() {
    var paths = Set(owned.prefix(LoginQuery.mostSessions).map(\.path))
    if let ofProcess { paths.insert(ofProcess) }
    if let audit { paths.insert(audit.path) }
    outstanding = paths.count + 1
    let next = { self.askForTheRest() }
    for path in paths { session(path, then: next) }
    guard let seat else { return answered(then: next) }
    property("ActiveSession", of: LoginManager.seat, at: seat, then: next) { self.front = $0[1]?.text }
  }

  /// Third round: the session in front, and which of the owner's is on a screen.
  private func askForTheRest() {
    outstanding = 2
    let next = { self.finish() }
    if let front, front != "/", sessions[front] == nil {
      session(front, then: next)
    } else {
      answered(then: next)
    }
    guard let user = owned.lazy.compactMap({ self.users[$0.path] }).first else { return answered(then: next) }
    property("Display", of: LoginManager.user, at: user, then: next) { self.display = $0[1]?.text }
  }

  private func finish() {
    if isWorthless { return done(.absent) }
    let owned = owned.prefix(LoginQuery.mostSessions)
    done(
      .present(
        LoginFacts(
          ofProcess: ofProcess.flatMap { sessions[$0] }, ofAudit: audit.flatMap { sessions[$0.path] },
          display: display.flatMap { sessions[$0] }, ofOwner: owned.compactMap { sessions[$0.path] },
          hasMore: self.owned.count > owned.count || owned.contains { sessions[$0.path] == nil },
          front: front.flatMap { sessions[$0] })))
  }

  private var owned: [ListedSession] { listed.filter { $0.user == facts.owner } }

  private var audit: ListedSession? {
    facts.auditSession.flatMap { number in listed.first { $0.id == "\(number)" } }
  }
}

// MARK: - Calls

extension LoginQuery {
  private func answered(then next: @escaping () -> Void) {
    outstanding -= 1
    if outstanding == 0 { isWorthless ? finish() : next() }
  }

  private func manager(
    _ method: String, _ arguments: [Argument], then next: @escaping () -> Void,
    take: @escaping (BusReply) -> Void
  ) {
    bus.call(
      method, of: LoginManager.manager, at: LoginManager.object, owner: LoginManager.name,
      arguments: arguments
    ) { reply in
      take(reply)
      self.answered(then: next)
    }
  }

  private func property(
    _ name: String, of interface: String, at object: String, then next: @escaping () -> Void,
    take: @escaping (Variant) -> Void
  ) {
    bus.call(
      "Get", of: LoginManager.properties, at: object, owner: LoginManager.name,
      arguments: [.text(interface), .text(name)]
    ) { reply in
      if case .values(let values) = reply, let value = values[0]?[0] { take(value) }
      self.answered(then: next)
    }
  }

  private func session(_ path: String, then next: @escaping () -> Void) {
    bus.call(
      "GetAll", of: LoginManager.properties, at: path, owner: LoginManager.name,
      arguments: [.text(LoginManager.session)]
    ) { reply in
      // A session may have ended since it was listed.
      if case .values(let values) = reply, let properties = values[0]?.properties {
        self.sessions[path] = LoginSession(properties)
        self.users[path] = properties["User"]?[1]?.text
      }
      self.answered(then: next)
    }
  }
}

extension LoginQuery.ListedSession {
  /// One entry of `a(susso)`: session, uid, user's name, seat, object.
  fileprivate init?(_ entry: Variant) {
    guard let id = entry[0]?.text, let user = entry[1]?.number, let path = entry[4]?.text else { return nil }
    self.init(id: id, user: user, path: path)
  }
}

extension LoginSession {
  /// A session's properties; `nil` when one is missing that counts.
  fileprivate init?(_ properties: [String: Variant]) {
    guard let id = properties["Id"]?.text, let user = properties["User"]?[0]?.number,
      let isRemote = properties["Remote"]?.flag, let isActive = properties["Active"]?.flag,
      let seat = properties["Seat"]?[0]?.text, let kind = properties["Class"]?.text,
      let state = properties["State"]?.text, let leader = properties["Leader"]?.number
    else { return nil }
    let isNamedRemote = properties["RemoteHost"]?.text.map { !$0.isEmpty } ?? false
    self.init(
      id: id, user: user, isRemote: isRemote || isNamedRemote, isActive: isActive, seat: seat, kind: kind,
      state: state, leader: Int32(clamping: leader))
  }
}
