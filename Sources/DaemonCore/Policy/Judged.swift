// SPDX-License-Identifier: Apache-2.0

internal import Policy
internal import System
internal import ThumbturnProtocol
internal import Throttle

/// A request of which is known where it comes from.
struct Judged {
  var request: PolicyRequest
  var lid: LidState
  var hasHome: Bool
}

extension Services {
  /// Finds out where a request comes from. `done` is called once, on the main loop; maybe
  /// before this returns.
  func judge(
    _ begin: Begin, of account: Account, peer: Peer, done: @escaping (Judged) -> Void
  ) {
    let isRoot = peer.user == 0
    let onBehalf = isRoot && begin.requester != 0 ? Int32(exactly: begin.requester) : nil
    var request = PolicyRequest(
      service: begin.service.shown, peerIsRoot: isRoot, target: account.uid,
      realUser: isRoot ? begin.realUser : peer.user, loginUser: isRoot ? begin.loginUser : .max)
    // Whose helper it is tells whose guess it is.
    if let onBehalf { request.realUser = realUser(of: onBehalf) ?? .max }
    request.hasRemoteHost = !Standing.isLocal(begin.remoteHost)
    let question = PresenceQuestion(
      process: onBehalf ?? peer.process, peer: peer.user, target: account.uid, service: begin.service,
      terminal: begin.terminal, remoteHost: begin.remoteHost, since: peer.since)
    judge(question, request, home: account, done: done)
  }

  /// Asks for the place and looks for the home at the same time.
  private func judge(
    _ question: PresenceQuestion, _ request: PolicyRequest, home account: Account,
    done: @escaping (Judged) -> Void
  ) {
    var surroundings: Surroundings?
    var hasHome: Bool?
    func answer() {
      guard let surroundings, let hasHome else { return }
      var request = request
      request.place = surroundings.place
      done(Judged(request: request, lid: surroundings.lid, hasHome: hasHome))
    }
    presence.judge(question) {
      surroundings = $0
      answer()
    }
    homes.look(for: account) {
      hasHome = $0
      answer()
    }
  }

  /// What a request may use at this moment.
  func decide(_ judged: Judged, of account: Account) -> Decision {
    var facts = Facts()
    facts.counts = counter.counts(of: account)
    facts.countsAreKept = counter.isKept(account)
    facts.lid = judged.lid
    facts.password.last = store.passwordMemory(of: account)
    facts.password.now = PasswordMemory.now()
    facts.password.isLockedDown = store.isLockedDown(account)
    facts.password.hasHome = judged.hasHome
    return configuration.policy.decide(judged.request, facts)
  }
}
