// SPDX-License-Identifier: Apache-2.0

internal import Policy
internal import Presence
internal import ThumbturnProtocol

extension PresenceDesk: PresenceJudge {
  /// Asks for the place and the lid at the same time.
  func judge(_ question: PresenceQuestion, done: @escaping (Surroundings) -> Void) {
    if sources.everybodySits {
      let place = Standing.isLocal(question.remoteHost) ? Place.seat : .remote
      return done(Surroundings(place: place, lid: .unknown))
    }
    var place: Place?
    var lid: LidState?
    func answer() {
      if let place, let lid { done(Surroundings(place: place, lid: lid)) }
    }
    judge(
      process: question.process, peer: question.peer, target: question.target, service: question.service,
      terminal: question.terminal, remoteHost: question.remoteHost, since: question.since
    ) {
      place = Place($0)
      answer()
    }
    self.lid {
      lid = LidState($0)
      answer()
    }
  }
}

extension Place {
  /// What counts of a presence: which session it is does not.
  init(_ presence: Presence) {
    switch presence {
    case .seat: self = .seat
    case .inactive: self = .inactive
    case .remote: self = .remote
    case .none: self = .none
    case .unknown: self = .unknown
    }
  }
}

extension LidState {
  init(_ lid: Lid) {
    switch lid {
    case .open: self = .open
    case .closed: self = .closed
    case .unknown: self = .unknown
    }
  }
}
