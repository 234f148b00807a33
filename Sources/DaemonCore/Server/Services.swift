// SPDX-License-Identifier: Apache-2.0

internal import CSystem
internal import Conversation
internal import Policy
internal import Records
internal import System
internal import ThumbturnProtocol

/// What requests are served with.
final class Services {
  let options: Options
  let configuration: Configuration
  /// What is wrong in the configuration file, `file:line: text`.
  let problems: [String]
  let store: Store
  let desk: ReaderDesk
  let passwords: PasswordDesk
  let patterns: PatternGate
  let counter: FingerCounter
  let presence: any PresenceJudge
  let homes = HomeDesk()
  let log: Log
  let started = csystem_milliseconds()
  private var claims: UInt64 = 0

  init(
    options: Options, configuration: Configuration, problems: [String], store: Store, desk: ReaderDesk,
    passwords: PasswordDesk, presence: any PresenceJudge, log: Log
  ) {
    self.options = options
    self.configuration = configuration
    self.problems = problems
    self.store = store
    self.desk = desk
    self.passwords = passwords
    patterns = PatternGate(store)
    counter = FingerCounter(store, problem: log.problem)
    self.presence = presence
    self.log = log
  }

  /// Somebody who wants the reader, with a number of their own.
  ///
  /// What a peer other than root says of itself is shown to nobody.
  func claimant(service: Text, terminal: Text, peer: Peer) -> Claimant {
    claims += 1
    guard peer.user == 0 else {
      return Claimant(number: claims, service: Text("thumbturn"), terminal: Text(), origin: peer.user)
    }
    return Claimant(number: claims, service: service.printable, terminal: terminal.printable)
  }

  /// The same for whoever wants `account` recognised; `origin` is the uid it is for.
  func claimant(_ begin: Begin, of account: Account, origin: UInt32, peer: Peer) -> Claimant {
    let named = claimant(service: begin.service, terminal: begin.terminal, peer: peer)
    return Claimant(
      number: named.number, service: named.service, terminal: named.terminal, origin: origin,
      isOwn: origin == account.uid || origin == 0, canWait: true,
      opensScreen: configuration.policy.opensScreen(begin.service.shown))
  }

  /// The records of a person that can be used.
  func usableRecords(of account: Account) -> [PrintRecord] {
    store.records(of: account).compactMap(\.usable)
  }
}

/// Who may ask for whom.
enum Standing {
  /// The account that a request is about: anybody's for root, one's own for others.
  ///
  /// A name that is somebody else's or nobody's is refused in the same way, so
  /// that names cannot be tried out.
  static func account(_ name: Text, peer: Peer) throws(Refusal) -> Account {
    if peer.user == 0 {
      guard let account = Account(named: name) else { throw .unknownUser }
      return account
    }
    guard let own = Account(uid: peer.user), own.name == name else { throw .notPermitted }
    return own
  }

  /// Whether a request comes from this machine. Some programs name it.
  static func isLocal(_ remoteHost: Text) -> Bool {
    remoteHost.isEmpty || ["localhost", "127.0.0.1", "::1"].contains { remoteHost == Text($0) }
  }
}
