// SPDX-License-Identifier: Apache-2.0

import Policy
import Testing
import ThumbturnProtocol
import Throttle

/// Classes, limits, the lid, and what is said.
@Suite struct LimitTests {
  @Test(
    arguments: [
      ("sudo", .privilege), ("sudo-rs", .privilege), ("sudo-i", .privilege), ("su", .privilege),
      ("polkit-1", .privilege), ("a-new-one", .privilege), ("", .privilege), ("thumbturn", .privilege),
      ("login", .login), ("gdm-password", .login), ("gdm-smartcard", .login), ("sddm", .login),
      ("gdm-fingerprint", .fingerprintOnly), ("kde-fingerprint", .fingerprintOnly),
      ("kde", .screenUnlock), ("kde-smartcard", .screenUnlock), ("swaylock", .screenUnlock),
      ("i3lock", .screenUnlock), ("xsecurelock", .screenUnlock), ("thumbturn-lock", .screenUnlock),
      ("sshd", .remote),
    ] as [(String, ServiceClass)]) func classes(_ service: String, _ expected: ServiceClass)
  {
    #expect(ServiceClass(service: service) == expected)
  }

  private func decide(
    _ settings: PolicySettings, _ service: String = "sudo", root: Bool = true, lid: LidState = .open
  ) -> Decision {
    var facts = Facts()
    facts.lid = lid
    return settings.decide(
      PolicyRequest(service: service, peerIsRoot: root, target: 1000, realUser: 1000), facts)
  }

  @Test func theNarrowestSectionSaysHowOften() {
    var settings = PolicySettings()
    #expect(decide(settings).tries == 3 && decide(settings).timeout == 60)
    settings.classes[.privilege, default: Rule()].tries = 5
    settings.classes[.oneself, default: Rule()].timeout = 20
    #expect(decide(settings).tries == 5 && decide(settings, "login").tries == 3)
    #expect(decide(settings, root: false).timeout == 20 && decide(settings).timeout == 60)
    settings.services["sudo", default: Rule()].tries = 9
    settings.services["sudo", default: Rule()].timeout = 90
    #expect(decide(settings).tries == 9 && decide(settings).timeout == 90)
    // A name that anybody can take only makes less of it.
    #expect(decide(settings, root: false).tries == 3 && decide(settings, root: false).timeout == 20)
    settings.services["sudo", default: Rule()].tries = 1
    #expect(decide(settings, root: false).tries == 1)
  }

  @Test(
    arguments: [
      (.open, true, false), (.unknown, true, false), (.closed, true, true), (.closed, false, false),
    ] as [(LidState, Bool, Bool)])
  func aClosedLidSparesBuiltInReaders(_ lid: LidState, _ respected: Bool, _ spared: Bool) {
    var settings = PolicySettings()
    settings.respectsLid = respected
    #expect(decide(settings, lid: lid).sparesBuiltInReaders == spared)
  }

  static let objections: [Objection] = [
    .mistakenSettings, .factorOff(by: .service), .factorOff(by: .serviceClass(.login)), .patternsOff,
    .rootTarget, .otherUser, .remote, .notAtSeat(.none), .passwordAfterStart, .passwordDue, .lockdown,
    .homeClosed, .locked(5), .damagedCount, .unkeptCount,
  ]

  @Test func everyObjectionHasWordsAndARefusalThatLeavesThePassword() {
    #expect(Set(Self.objections.map(\.words)).count == Self.objections.count)
    for objection in Self.objections { #expect(objection.refusal.pamFailure == .authInfoUnavailable) }
  }

  @Test func whatThePasswordHelps() {
    #expect(
      Self.objections.filter(\.wantsPassword) == [.passwordAfterStart, .passwordDue, .lockdown, .homeClosed])
  }
}
