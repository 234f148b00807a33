// SPDX-License-Identifier: Apache-2.0

import Policy
import Throttle

/// Who asks, with what sections, and how often they failed.
extension DecideTests {
  static let people: [Row] = [
    Row(testDescription: "su by somebody else", pattern: .otherUser, origin: .other) {
      $0.request.realUser = 1001
    },
    Row(testDescription: "su by somebody else, allowed", origin: .other) {
      $0.request.realUser = 1001
      $0.settings.patternOtherUsers = true
    },
    Row(testDescription: "login, which is root's") { $0.request.realUser = 0 },
    Row(testDescription: "a root shell of somebody else's", origin: .other) {
      $0.request.realUser = 0
      $0.request.loginUser = 1001
    },
    Row(testDescription: "a root shell of one's own") {
      $0.request.realUser = 0
      $0.request.loginUser = 1000
    },
    Row(testDescription: "a root shell of root's") {
      $0.request.realUser = 0
      $0.request.loginUser = 0
    },
    Row(testDescription: "root as a target", finger: .rootTarget, pattern: .rootTarget) {
      $0.request.target = 0
      $0.request.realUser = 0
    },
    Row(
      testDescription: "root as a target of ada's", finger: .rootTarget, pattern: .rootTarget, origin: .other
    ) {
      $0.request.target = 0
    },
    Row(testDescription: "root as a target, allowed") {
      $0.request.target = 0
      $0.request.realUser = 0
      $0.settings.rootTarget = true
    },
    Row(testDescription: "root as a target of a service") {
      $0.request.target = 0
      $0.request.realUser = 0
      $0.rule("sudo") { $0.root = true }
    },
    Row(testDescription: "root as a target of a class") {
      $0.request.target = 0
      $0.request.realUser = 0
      $0.rule(.privilege) { $0.root = true }
    },
    Row(testDescription: "the service goes before the class", finger: .rootTarget, pattern: .rootTarget) {
      $0.request.target = 0
      $0.request.realUser = 0
      $0.rule(.privilege) { $0.root = true }
      $0.rule("sudo") { $0.root = false }
    },
  ]

  static let factors: [Row] = [
    Row(
      testDescription: "a service without", finger: .factorOff(by: .service),
      pattern: .factorOff(by: .service)
    ) {
      $0.rule("sudo") { $0.factors = [] }
    },
    Row(testDescription: "a service with a finger", pattern: .factorOff(by: .service)) {
      $0.rule("sudo") { $0.factors = .finger }
    },
    Row(testDescription: "another service's section") { $0.rule("su") { $0.factors = [] } },
    Row(testDescription: "a class with a pattern", finger: .factorOff(by: .serviceClass(.privilege))) {
      $0.rule(.privilege) { $0.factors = .pattern }
    },
    Row(testDescription: "the service goes before its class") {
      $0.rule(.privilege) { $0.factors = [] }
      $0.rule("sudo") { $0.factors = [.finger, .pattern] }
    },
    Row(
      testDescription: "a class of one's choice", finger: .factorOff(by: .serviceClass(.login)),
      pattern: .factorOff(by: .serviceClass(.login))
    ) {
      $0.rule("sudo") { $0.serviceClass = .login }
      $0.rule(.login) { $0.factors = [] }
    },
    Row(testDescription: "the reader's own stack", pattern: .factorOff(by: .serviceClass(.fingerprintOnly))) {
      $0.request.service = "gdm-fingerprint"
    },
    Row(testDescription: "patterns off", pattern: .patternsOff) { $0.settings.patternEnabled = false },
    Row(testDescription: "patterns off for it", pattern: .patternsOff) {
      $0.settings.patternOffFor = ["sudo"]
    },
    Row(testDescription: "patterns off for one that starts like it") { $0.settings.patternOffFor = ["su"] },
  ]

  /// Who is not root.
  static let oneself: [Row] = [
    Row(testDescription: "a locker") { $0.request.service = "swaylock" },
    Row(testDescription: "that says it is another service's") {
      $0.request.service = "sudo"
      $0.rule(.privilege) { $0.factors = [] }
    },
    Row(
      testDescription: "gets nothing by a name", finger: .factorOff(by: .serviceClass(.oneself)),
      pattern: .factorOff(by: .serviceClass(.oneself))
    ) {
      $0.rule(.oneself) { $0.factors = [] }
      $0.rule("sudo") { $0.factors = [.finger, .pattern] }
    },
    Row(testDescription: "loses by its own", finger: .factorOff(by: .service)) {
      $0.rule("sudo") { $0.factors = .pattern }
    },
    Row(testDescription: "and off for it", pattern: .patternsOff) { $0.settings.patternOffFor = ["sudo"] },
    Row(testDescription: "no class by a name") { $0.rule("sudo") { $0.serviceClass = .remote } },
    Row(testDescription: "sshd is no evidence") {
      $0.request.service = "sshd"
      $0.settings.patternOffFor = []
    },
    Row(testDescription: "from afar all the same", finger: .remote, pattern: .remote, origin: .remote) {
      $0.request.place = .remote
    },
    Row(testDescription: "no root by a name", finger: .rootTarget, pattern: .rootTarget) {
      $0.request.target = 0
      $0.request.realUser = 0
      $0.rule("sudo") { $0.root = true }
    },
  ]

  static let counted: [Row] = [
    Row(testDescription: "four mismatches") { $0.facts.counts = counts(.own, 4) },
    Row(testDescription: "five mismatches", finger: .locked(5)) { $0.facts.counts = counts(.own, 5) },
    Row(testDescription: "a thousand of others") { $0.facts.counts = counts(.other, 1_000) },
    Row(testDescription: "a thousand from afar") { $0.facts.counts = counts(.remote, 1_000) },
    Row(testDescription: "five of others are theirs", finger: .locked(5), pattern: .otherUser, origin: .other)
    {
      $0.facts.counts = counts(.other, 5)
      $0.request.realUser = 1001
    },
    Row(testDescription: "a lower limit", finger: .locked(1)) {
      $0.facts.counts = counts(.own, 1)
      $0.settings.lockAfter = 1
    },
    Row(testDescription: "a damaged count", finger: .damagedCount, pattern: .damagedCount) {
      $0.facts.counts = nil
    },
    Row(testDescription: "a count that cannot be written", finger: .unkeptCount) {
      $0.facts.countsAreKept = false
    },
  ]
}
