// SPDX-License-Identifier: Apache-2.0

internal import Conversation
internal import Records
internal import System
internal import ThumbturnProtocol

/// What an errand (enrolling, deleting, patterns) is done with: who asks, for whom, and
/// the parts that all have in common.
final class ErrandServices {
  let services: Services
  let account: Account
  /// The peer's own account, whose password proves that its owner is there.
  let owner: Account
  let peer: Peer
  private let request: LoggedRequest
  private(set) weak var connection: Connection?
  private let timers = TimerSet<ErrandTimer>()
  /// Whether a finger or a pattern had let the person in when it began; the proof for it
  /// counts as a password given later.
  private let wasLetInWithoutPassword: Bool
  /// Whether the password was given for it.
  private var isProven = false

  init(account: Account, request: LoggedRequest, connection: Connection, services: Services) {
    self.account = account
    // Who is not root asks for their own account only.
    owner = account
    self.request = request
    self.connection = connection
    self.services = services
    peer = connection.peer
    wasLetInWithoutPassword = services.store.wasLetInWithoutPassword(account)
  }

  /// Root has proved enough by being root.
  var beginning: ErrandEvent { .began(proofNeeded: peer.user != 0) }

  /// Finds out where the request comes from, as if it were a sign-in.
  func judge(_ done: @escaping (SignIn) -> Void) {
    var begin = Begin()
    begin.service = Text("thumbturn")
    begin.realUser = peer.user
    services.judge(begin, of: account, peer: peer) { [services, account] in
      done(SignIn($0, of: account, services: services))
    }
  }

  /// Checks the password in a message while it is there.
  func check(_ secret: borrowing Secret, _ message: ClientMessage, post: @escaping (ErrandEvent) -> Void) {
    guard case .proof(let range) = message else { return }
    do throws(Refusal) {
      try services.passwords.check(owner, secret: secret, at: range) { [self] result in
        switch result {
        case .right:
          services.passwordGiven(of: owner)
          isProven = true
          post(.checked(right: true))
        case .wrong: post(.checked(right: false))
        case .failed: post(.failed(.malfunction))
        }
      }
    } catch {
      post(.failed(error))
    }
  }

  /// Does what needs neither reader nor data; `false` when it is something else.
  func perform(_ action: ErrandAction, post: @escaping (ErrandEvent) -> Void) -> Bool {
    switch action {
    case .send(let event): connection?.send(event)
    case .wantProof: connection?.send(.proofWanted(user: owner.name))
    case .wantPattern: connection?.send(.patternWanted(user: account.name))
    case .setTimer(let timer, let milliseconds):
      timers.set(timer, milliseconds: milliseconds) { post(.timer(timer)) }
    case .cancelTimer(let timer): timers.cancel(timer)
    case .log(let outcome): services.log.outcome(outcome, of: request)
    case .finish:
      timers.cancelAll()
      connection?.close()
    case .check, .claim, .release, .enroll, .store, .tellLeft: return false
    }
    return true
  }

  /// Keeps that the password was given, which needs a place: the first print or pattern
  /// makes it.
  func remember() {
    if isProven { services.passwordGiven(of: owner) }
  }

  /// Keeps what was enrolled, with `nil` a pattern, for whoever gives the password next, unless
  /// the person was let in by it.
  func announce(_ finger: Finger?) {
    guard wasLetInWithoutPassword else { return }
    do throws(StoreError) {
      try services.store.addNews(of: finger, to: account)
    } catch {
      services.log.problem("\(error)")
    }
  }

  /// Runs a change of the data and tells how it went.
  func change(_ body: () throws(StoreError) -> Refusal?) -> ErrandEvent {
    do throws(StoreError) {
      if let refusal = try body() { return .failed(refusal) }
      remember()
      return .stored
    } catch {
      services.log.problem("\(error)")
      return .failed(.storageFailed)
    }
  }
}

extension ErrandLimits {
  /// The limits as configured.
  init(_ configuration: Configuration) {
    self.init()
    queueWait = configuration.queueWait * 1000
  }
}
