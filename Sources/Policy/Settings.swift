// SPDX-License-Identifier: Apache-2.0

/// What a `[service NAME]` or `[class NAME]` section says; `nil` for what it leaves open.
public struct Rule: Equatable, Sendable {
  /// What may stand for the password.
  public var factors: Factors?
  /// Mismatches that end a request.
  public var tries: Int?
  /// Seconds that the reader waits for a touch.
  public var timeout: Int?
  /// Whether root may be who signs in.
  public var root: Bool?
  /// The class of the service; a class itself has none.
  public var serviceClass: ServiceClass?

  /// A section that says nothing.
  public init() {}
}

/// The settings that decide who may, when and how often.
public struct PolicySettings: Equatable, Sendable {
  /// Whether the password is needed once after each start of the machine.
  public var passwordFirst = true
  /// Hours after which the password is needed again, 0: never.
  public var passwordEvery = 72
  /// Mismatches in a row that lock the finger.
  public var lockAfter = 5
  /// Whether a place that nothing is known of counts as the seat, for machines without logind.
  public var trustsUnknownPlaces = false
  /// Whether built-in readers rest under a closed lid.
  public var respectsLid = true
  /// Whether root may be who signs in.
  public var rootTarget = false
  /// Mismatches that end a request, where no section says otherwise.
  public var tries = 3
  /// Seconds that the reader waits for a touch, likewise.
  public var timeout = 60
  /// Whether patterns count at all.
  public var patternEnabled = true
  /// Services that take none.
  public var patternOffFor: [String] = []
  /// Whether one may come from another machine, or from who knows where.
  public var patternRemote = false
  /// Whether somebody else than root and the account's owner may give it.
  public var patternOtherUsers = false
  /// Sections by service.
  public var services: [String: Rule] = [:]
  /// Sections by class.
  public var classes: [ServiceClass: Rule] = [:]
  /// Whether the settings' file has a mistake: what it forbids is not known, so
  /// nothing but the password counts.
  public var isMistaken = false

  /// The settings where nothing is configured.
  public init() {}

  /// Whether a service asks over a locked screen, as it says of itself.
  public func opensScreen(_ service: String) -> Bool {
    let name = services[service]?.serviceClass ?? ServiceClass(service: service)
    return name == .screenUnlock || name == .fingerprintOnly
  }
}
