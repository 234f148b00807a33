// SPDX-License-Identifier: Apache-2.0

internal import Policy
internal import Presence
internal import ThumbturnProtocol

/// Whose place is asked about.
struct PresenceQuestion {
  /// The process that asks, or the one on whose behalf a helper of root's does.
  var process: Int32
  /// The uid at the other end of the connection.
  var peer: UInt32
  /// The uid of the account.
  var target: UInt32
  /// The PAM service; only root's word counts.
  var service: Text
  /// The terminal without "/dev/", likewise.
  var terminal: Text
  /// The host that is named, likewise.
  var remoteHost: Text
  /// When the connection was taken, on the clock of `csystem_milliseconds`.
  var since: Int64
}

/// Where a request comes from, and how the machine stands.
struct Surroundings: Equatable {
  var place: Place
  var lid: LidState
}

extension PresenceDesk {
  /// Answers once, on the main loop and within ``limit`` milliseconds.
  func judge(_ question: PresenceQuestion, done: @escaping (Surroundings) -> Void) {
    var place: Place?
    var state: LidState?
    func answer() {
      if let place, let state { done(Surroundings(place: place, lid: state)) }
    }
    judge(
      process: question.process, peer: question.peer, target: question.target, service: question.service,
      terminal: question.terminal, remoteHost: question.remoteHost, since: question.since
    ) {
      place = Place($0)
      answer()
    }
    lid {
      state = LidState($0)
      answer()
    }
  }
}

extension Place {
  /// What policy makes of it; which session it is plays no part.
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
