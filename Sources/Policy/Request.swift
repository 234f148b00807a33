// SPDX-License-Identifier: Apache-2.0

public import Throttle

/// Where a request comes from, as far as the machine can tell.
public enum Place: Equatable, CaseIterable, Sendable {
  /// A session, or a sign-in screen, in front of somebody.
  case seat
  /// A session of this machine that is not in front.
  case inactive
  /// A session of another machine.
  case remote
  /// No session at all: cron, a service, a container.
  case none
  /// Nothing can be told: no session manager, or no answer in time.
  case unknown
}

/// What is known of the machine's lid. One that has none is `unknown` and counts as open.
public enum LidState: Equatable, CaseIterable, Sendable {
  case open, closed, unknown
}

/// Who asks for whom.
public struct PolicyRequest: Equatable, Sendable {
  /// The PAM service, as the peer calls it.
  public var service: String
  /// Whether the peer is root; whoever is not asks for itself, and what it says of
  /// itself can only take away.
  public var peerIsRoot: Bool
  /// The uid of the account.
  public var target: UInt32
  /// The real uid of the process that asks.
  public var realUser: UInt32
  /// Its login uid, 4294967295 when it has none.
  public var loginUser: UInt32
  /// Whether a remote host was named.
  public var hasRemoteHost = false
  /// Where it comes from.
  public var place = Place.unknown

  /// Describes a request of an unknown place.
  public init(
    service: String, peerIsRoot: Bool, target: UInt32, realUser: UInt32, loginUser: UInt32 = .max
  ) {
    self.service = service
    self.peerIsRoot = peerIsRoot
    self.target = target
    self.realUser = realUser
    self.loginUser = loginUser
  }
}

/// How an account stands.
public struct Facts: Equatable, Sendable {
  /// How often its finger was not recognised; `nil` when the record is damaged.
  public var counts: FingerCounts? = FingerCounts()
  /// Whether a further one could be written down.
  public var countsAreKept = true
  /// What is known of its password.
  public var password = PasswordState()
  /// The machine's lid.
  public var lid = LidState.unknown

  /// An account that nothing is known of.
  public init() {}
}

/// What a request may use, and under which limits.
public struct Decision: Equatable, Sendable {
  /// The class it was judged by.
  public var serviceClass: ServiceClass
  /// Whose count its failures go to.
  public var origin: Origin
  /// Why no finger counts, `nil`: one does.
  public var finger: Objection?
  /// Why no pattern counts, `nil`: one does.
  public var pattern: Objection?
  /// Mismatches that end it.
  public var tries: Int
  /// Seconds that the reader waits for a touch.
  public var timeout: Int
  /// Whether readers that are built in stay dark.
  public var sparesBuiltInReaders: Bool
}
