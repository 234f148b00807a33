// SPDX-License-Identifier: Apache-2.0

import Policy
import Testing
import ThumbturnProtocol
import Throttle

/// What a request may use: every branch of the decision.
@Suite struct DecideTests {
  /// One request of ada (uid 1000) from the seat, with her password given, but for what differs.
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var finger: Objection?
    var pattern: Objection?
    var origin = Origin.own
    var given: @Sendable (inout Given) -> Void = { _ in }
  }

  struct Given {
    var settings = PolicySettings()
    var request = PolicyRequest(service: "sudo", peerIsRoot: true, target: 1000, realUser: 1000)
    var facts = Facts()

    init() {
      settings.patternOffFor = ["sshd"]
      request.place = .seat
      let now = PasswordMemory(seconds: 5_000_000, milliseconds: 60_000, boot: [1])
      facts.password.last = now
      facts.password.now = now
    }

    mutating func rule(_ service: String, _ change: (inout Rule) -> Void) {
      change(&settings.services[service, default: Rule()])
    }

    mutating func rule(_ known: ServiceClass, _ change: (inout Rule) -> Void) {
      change(&settings.classes[known, default: Rule()])
    }
  }

  static func counts(_ origin: Origin, _ count: Int) -> FingerCounts {
    var counts = FingerCounts()
    for _ in 0..<count { counts.add(origin) }
    return counts
  }

  static let places: [Row] = [
    Row(testDescription: "one's own from the seat"),
    Row(testDescription: "a mistake in the settings", finger: .mistakenSettings, pattern: .mistakenSettings) {
      $0.settings.isMistaken = true
    },
    Row(testDescription: "a remote host", finger: .remote, pattern: .remote, origin: .remote) {
      $0.request.hasRemoteHost = true
    },
    Row(testDescription: "a remote session", finger: .remote, pattern: .remote, origin: .remote) {
      $0.request.place = .remote
    },
    Row(testDescription: "a remote session, where patterns may", finger: .remote, origin: .remote) {
      $0.request.place = .remote
      $0.settings.patternRemote = true
    },
    Row(
      testDescription: "the class of far requests has none", finger: .remote,
      pattern: .factorOff(by: .serviceClass(.remote)), origin: .remote
    ) {
      $0.request.place = .remote
      $0.settings.patternRemote = true
      $0.rule(.remote) { $0.factors = [] }
    },
    Row(testDescription: "sshd by itself", finger: .remote, pattern: .patternsOff, origin: .remote) {
      $0.request.service = "sshd"
    },
    Row(
      testDescription: "a mistake tells nobody afar", finger: .remote, pattern: .mistakenSettings,
      origin: .remote
    ) {
      $0.request.place = .remote
      $0.settings.isMistaken = true
    },
    Row(testDescription: "behind another session", finger: .notAtSeat(.inactive)) {
      $0.request.place = .inactive
    },
    Row(testDescription: "cron", finger: .notAtSeat(.none), pattern: .notAtSeat(.none), origin: .other) {
      $0.request.place = .none
    },
    Row(
      testDescription: "who knows", finger: .notAtSeat(.unknown), pattern: .notAtSeat(.unknown),
      origin: .other
    ) {
      $0.request.place = .unknown
    },
    Row(testDescription: "who knows, allowed") {
      $0.request.place = .unknown
      $0.settings.trustsUnknownPlaces = true
    },
    Row(
      testDescription: "cron, where who knows is allowed", finger: .notAtSeat(.none),
      pattern: .notAtSeat(.none), origin: .other
    ) {
      $0.request.place = .none
      $0.settings.trustsUnknownPlaces = true
    },
    Row(
      testDescription: "cron, where patterns may come from anywhere", finger: .notAtSeat(.none),
      origin: .other
    ) {
      $0.request.place = .none
      $0.settings.patternRemote = true
    },
  ]

  @Test(arguments: [places, people, factors, counted].flatMap { $0 }) func ofRoots(_ row: Row) {
    var given = Given()
    row.given(&given)
    let decision = given.settings.decide(given.request, given.facts)
    #expect(decision.finger == row.finger)
    #expect(decision.pattern == row.pattern)
    #expect(decision.origin == row.origin)
  }

  @Test(arguments: oneself + counted.filter { $0.origin == .own }) func ofOnesOwn(_ row: Row) {
    var given = Given()
    given.request.peerIsRoot = false
    row.given(&given)
    let decision = given.settings.decide(given.request, given.facts)
    #expect(decision.serviceClass == .oneself)
    #expect(decision.finger == row.finger)
    #expect(decision.pattern == row.pattern)
    #expect(decision.origin == row.origin)
  }
}
