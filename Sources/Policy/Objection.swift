// SPDX-License-Identifier: Apache-2.0

public import ThumbturnProtocol

/// Why a factor does not count now.
public enum Objection: Equatable, Sendable {
  /// The file of settings has a mistake.
  case mistakenSettings
  /// A section leaves this factor out.
  case factorOff(by: Source)
  /// Patterns are switched off, altogether or for this service.
  case patternsOff
  /// Root is not among who may sign in this way.
  case rootTarget
  /// Somebody else asks than the account's owner.
  case otherUser
  /// The request comes from another machine.
  case remote
  /// The request does not come from where the reader is.
  case notAtSeat(Place)
  /// The machine was started since the password was given.
  case passwordAfterStart
  /// The password was given too long ago.
  case passwordDue
  /// Somebody said that only the password counts.
  case lockdown
  /// The home folder is not there yet.
  case homeClosed
  /// So many mismatches in a row.
  case locked(UInt32)
  /// The record of mismatches is damaged.
  case damagedCount
  /// The record of mismatches cannot be written.
  case unkeptCount

  /// Where a factor was left out.
  public enum Source: Equatable, Sendable {
    /// `[service NAME]`
    case service
    /// `[class NAME]`, or what is usual for it
    case serviceClass(ServiceClass)
  }

  /// What the client is told.
  public var refusal: Refusal {
    switch self {
    case .mistakenSettings, .factorOff, .patternsOff, .rootTarget, .otherUser: .factorOff
    case .remote: .remote
    case .notAtSeat: .notAtSeat
    case .passwordAfterStart: .passwordAfterStart
    case .passwordDue: .passwordDue
    case .lockdown: .lockdown
    case .homeClosed: .homeClosed
    case .locked, .damagedCount: .lockedOut
    case .unkeptCount: .storageFailed
    }
  }

  /// Whether nothing but the password helps, whatever the factor.
  public var wantsPassword: Bool {
    switch self {
    case .passwordAfterStart, .passwordDue, .lockdown, .homeClosed: true
    case .mistakenSettings, .factorOff, .patternsOff, .rootTarget, .otherUser, .remote, .notAtSeat, .locked,
      .damagedCount, .unkeptCount:
      false
    }
  }

  /// One line for whoever asks why.
  public var words: String {
    switch self {
    case .mistakenSettings: "the configuration has a mistake (see \"thumbturn status\")"
    case .factorOff(.service): "not among the factors of its section in the configuration"
    case .factorOff(.serviceClass(let name)): "not among the factors of class \(name.rawValue)"
    case .patternsOff: "patterns are off, or off for this service"
    case .rootTarget: "root signs in with the password (root-target)"
    case .otherUser: "somebody else asks than the account's owner (other-users)"
    case .remote: "the request comes from another machine"
    case .notAtSeat(let place): "the request does not come from the session in front (\(place.words))"
    case .passwordAfterStart: "the password is needed once after a start of the machine (password-first)"
    case .passwordDue: "the password was last given too long ago (password-every)"
    case .lockdown: "locked down until the password is given"
    case .homeClosed: "the home folder is not there; the password may open it"
    case .locked(let count): "not recognised \(count) times in a row; the password unlocks it"
    case .damagedCount: "the count of mismatches is damaged; root mends it with \"thumbturn unlock\""
    case .unkeptCount: "mismatches cannot be counted: the disk takes nothing"
    }
  }
}

extension Place {
  /// The place in a few words.
  public var words: String {
    switch self {
    case .seat: "in front of the machine"
    case .inactive: "a session that is not in front"
    case .remote: "another machine"
    case .none: "no session"
    case .unknown: "not known"
    }
  }
}
