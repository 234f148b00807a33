// SPDX-License-Identifier: Apache-2.0

/// What is asked about, as far as presence goes.
public struct AskedFor: Equatable, Sendable {
  /// The uid at the other end of the connection, as the kernel knows it.
  public var peer: UInt32
  /// The uid of the account that is to be recognised.
  public var target: UInt32
  /// The PAM service. Only root's word opens anything.
  public var service: String
  /// Whether another machine was named as the one that asks.
  public var isRemote: Bool

  /// Describes a request.
  public init(peer: UInt32, target: UInt32, service: String, isRemote: Bool) {
    self.peer = peer
    self.target = target
    self.service = service
    self.isRemote = isRemote
  }
}

/// What the kernel says of a process.
public struct ProcessFacts: Equatable, Sendable {
  /// The process, then its parent, and so on.
  public var chain: [ProcessStatus]
  /// Its place among the units.
  public var group: ControlGroup
  /// Its audit session, which its children inherit and nobody but root sets.
  public var auditSession: UInt32?
  /// Its login uid, likewise.
  public var loginUser: UInt32?
  /// Its real uid.
  public var realUser: UInt32?
  /// Whether it has a namespace of process numbers of its own.
  public var isNested: Bool
  /// Whether a program that lets people in from other machines runs as its owner, or has
  /// a child that does.
  public var ownerComesFromAfar: Bool
  /// The console in front.
  public var activeConsole: UInt32?

  /// Describes a process.
  public init(
    chain: [ProcessStatus], group: ControlGroup, auditSession: UInt32? = nil, loginUser: UInt32? = nil,
    realUser: UInt32? = nil, isNested: Bool = false, ownerComesFromAfar: Bool = false,
    activeConsole: UInt32? = nil
  ) {
    self.chain = chain
    self.group = group
    self.auditSession = auditSession
    self.loginUser = loginUser
    self.realUser = realUser
    self.isNested = isNested
    self.ownerComesFromAfar = ownerComesFromAfar
    self.activeConsole = activeConsole
  }

  /// Whose process it is: the owner of its group, else whoever logged in, else its real uid.
  public var owner: UInt32? {
    switch group {
    case .session(_, let user), .userManager(let user): user
    case .container, .other: loginUser ?? realUser
    }
  }

  /// The console it stands on, when that is the one in front.
  public var frontConsole: UInt32? {
    guard let console = chain.first?.console, console == activeConsole else { return nil }
    return console
  }
}

/// A session as logind shows it (org.freedesktop.login1(5), the Session object).
public struct LoginSession: Equatable, Sendable {
  /// Its name, `2` or `c1`.
  public var id: String
  /// Whose it is.
  public var user: UInt32
  /// Whether it was begun from another machine.
  public var isRemote: Bool
  /// Whether it is in front of its seat. One without a seat is always active.
  public var isActive: Bool
  /// Its seat, `seat0`; empty when it has none.
  public var seat: String
  /// What it is for: `user`, `greeter`, `background`, `manager`, ….
  public var kind: String
  /// How it is: `online`, `active`, `closing`.
  public var state: String
  /// Its first process.
  public var leader: Int32

  /// Describes a session.
  public init(
    id: String, user: UInt32, isRemote: Bool, isActive: Bool, seat: String, kind: String, state: String,
    leader: Int32
  ) {
    self.id = id
    self.user = user
    self.isRemote = isRemote
    self.isActive = isActive
    self.seat = seat
    self.kind = kind
    self.state = state
    self.leader = leader
  }

  /// Whether people use it: somebody who logged in, not a service of theirs.
  public var isForPeople: Bool {
    ["user", "user-early", "user-light", "user-incomplete", "greeter", "lock-screen"].contains(kind)
  }

  /// Whether it belongs to a user's own service manager and says nothing of where they are.
  public var isManager: Bool { kind.hasPrefix("manager") }

  /// Whether it is used from another machine, or cannot be seen here at all.
  public var isElsewhere: Bool { isForPeople && (isRemote || seat.isEmpty) }
}

/// What the session manager says.
public enum ManagerFacts: Equatable, Sendable {
  /// There is none, or it did not answer in time.
  case absent
  /// Its answers.
  case present(LoginFacts)
}

/// A session manager's answers about one process and its owner.
public struct LoginFacts: Equatable, Sendable {
  /// The session in whose scope the process is.
  public var ofProcess: LoginSession?
  /// The session that the process's audit session names.
  public var ofAudit: LoginSession?
  /// The owner's graphical session, or what comes nearest.
  public var display: LoginSession?
  /// All sessions of the owner.
  public var ofOwner: [LoginSession]
  /// Whether the owner has more sessions than were looked at.
  public var hasMore: Bool
  /// The session in front of `seat0`.
  public var front: LoginSession?

  /// Gathers answers.
  public init(
    ofProcess: LoginSession? = nil, ofAudit: LoginSession? = nil, display: LoginSession? = nil,
    ofOwner: [LoginSession] = [], hasMore: Bool = false, front: LoginSession? = nil
  ) {
    self.ofProcess = ofProcess
    self.ofAudit = ofAudit
    self.display = display
    self.ofOwner = ofOwner
    self.hasMore = hasMore
    self.front = front
  }
}
