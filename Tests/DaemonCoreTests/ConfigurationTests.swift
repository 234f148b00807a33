// SPDX-License-Identifier: Apache-2.0

import Glibc
import Policy
import Testing

@testable import DaemonCore

/// The configuration: what is understood, what is refused, and that the example agrees.
@Suite struct ConfigurationTests {
  private static let example =
    "\(#filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" })/config/thumbturn.conf"

  @Test func everyValueArrives() {
    let text = """
      # all keys, none at its default
      [daemon]
      idle-exit=0
      [reader]
        tries = 1
      timeout=170
      queue-wait=0\t
      settle-time=2000
      [pattern]
      enabled=false
      off-for=sshd  login\tgdm-password\t
      remote=true
      other-users=true
      [policy]
      password-first=false
      password-every=0
      lock-after=10
      root-target=true
      without-logind=allow
      lid=ignore
      """
    var wanted = Configuration.standard
    wanted.idleExit = 0
    wanted.policy.tries = 1
    wanted.policy.timeout = 170
    wanted.queueWait = 0
    wanted.settleTime = 2000
    wanted.policy.patternEnabled = false
    wanted.policy.patternOffFor = ["sshd", "login", "gdm-password"]
    wanted.policy.patternRemote = true
    wanted.policy.patternOtherUsers = true
    wanted.policy.passwordFirst = false
    wanted.policy.passwordEvery = 0
    wanted.policy.lockAfter = 10
    wanted.policy.rootTarget = true
    wanted.policy.trustsUnknownPlaces = true
    wanted.policy.respectsLid = false
    let (configuration, problems) = Configuration.parse(text)
    #expect(configuration == wanted)
    #expect(problems.isEmpty)
    #expect(Configuration.parse(text.split(separator: "\n").joined(separator: "\r\n")).0 == wanted)
  }

  @Test(arguments: ["", "\n", "# nothing", "[daemon]", "[reader]\n[daemon]\n", "[reader]\ntries=3"])
  func whatIsNotThereHasItsDefault(_ text: String) {
    let (configuration, problems) = Configuration.parse(text)
    #expect(configuration == .standard)
    #expect(problems.isEmpty)
  }

  @Test func theDefaultsAreTheDocumentedOnes() {
    let standard = Configuration.standard
    #expect(standard.idleExit == 30)
    #expect(standard.policy.tries == 3)
    #expect(standard.policy.timeout == 60)
    #expect(standard.queueWait == 30)
    #expect(standard.settleTime == 250)
    #expect(
      standard.policy.patternEnabled && !standard.policy.patternRemote && !standard.policy.patternOtherUsers)
    #expect(standard.policy.patternOffFor == ["sshd"])
    var usual = PolicySettings()
    usual.patternOffFor = ["sshd"]
    #expect(standard.policy == usual)
  }

  @Test func theStrictestAllowNoMoreThanAnyOther() {
    let strictest = Configuration.strictest
    #expect(strictest.policy.tries == 1)
    #expect(strictest.policy.timeout == 5)
    #expect(strictest.queueWait == 0)
    #expect(strictest.settleTime == 2000)
    #expect(strictest.idleExit == 30)
    #expect(strictest.policy.isMistaken && strictest.policy.passwordFirst && strictest.policy.respectsLid)
    #expect(strictest.policy.passwordEvery == 1 && strictest.policy.lockAfter == 1)
    #expect(!strictest.policy.rootTarget && !strictest.policy.trustsUnknownPlaces)
    #expect(
      !strictest.policy.patternEnabled && !strictest.policy.patternRemote
        && !strictest.policy.patternOtherUsers)
  }

  @Test(arguments: [
    ("[reader]\ntries=3\n\nretries=3", 4, "unknown key"),
    ("[daemon]\ntries=3", 2, "unknown key"),
    ("[reader]\ntries[de]=3", 2, "unknown key"),
    ("[reader]\nTries=3", 2, "unknown key"),
    ("[readers]\ntries=3", 1, "unknown group"),
    ("[reader", 1, "unknown group"),
    ("[]", 1, "unknown group"),
    ("tries=3", 1, "a key before the first group"),
    ("[reader]\ntries=3\ntries=3", 3, "tries stands in line 2 already"),
    ("[reader]\ntries=3\n[reader]\ntries=3", 4, "tries stands in line 2 already"),
    ("[reader]\ntries", 2, "neither a group, a key with a value, nor a comment"),
    ("[reader]\n; tries=3", 2, "unknown key"),
    ("[reader]\n\u{FEFF}tries=3", 2, "unknown key"),
    ("[reader]\ntries=0", 2, "tries must be a number from 1 to 10"),
    ("[reader]\ntries=11", 2, "tries must be a number from 1 to 10"),
    ("[reader]\ntries=", 2, "tries must be a number from 1 to 10"),
    ("[reader]\ntries=3 # three", 2, "tries must be a number from 1 to 10"),
    ("[reader]\ntries=+3", 2, "tries must be a number from 1 to 10"),
    ("[reader]\ntries=0x3", 2, "tries must be a number from 1 to 10"),
    ("[reader]\ntries=３", 2, "tries must be a number from 1 to 10"),
    ("[reader]\ntimeout=171", 2, "timeout must be a number from 5 to 170"),
    ("[reader]\ntimeout=99999999999999999999", 2, "timeout must be a number from 5 to 170"),
    ("[reader]\nqueue-wait=-1", 2, "queue-wait must be a number from 0 to 120"),
    ("[reader]\nsettle-time=49", 2, "settle-time must be a number from 50 to 2000"),
    ("[pattern]\nenabled=yes", 2, "enabled must be true or false"),
    ("[pattern]\nremote=", 2, "remote must be true or false"),
    ("[pattern]\noff-for=sshd,login", 2, "off-for must be names of services with blanks between"),
    ("[pattern]\noff-for=\"sshd\"", 2, "off-for must be names of services with blanks between"),
    ("[reader]\nenabled=true", 2, "unknown key"),
    ("[policy]\npassword-every=721", 2, "password-every must be a number from 0 to 720"),
    ("[policy]\nlock-after=0", 2, "lock-after must be a number from 1 to 10"),
    ("[policy]\nwithout-logind=yes", 2, "without-logind must be never or allow"),
    ("[policy]\nlid=", 2, "lid must be respect or ignore"),
    ("[policy]\nfactors=none", 2, "unknown key"),
    ("[daemon]\nidle-exit=3601", 2, "idle-exit must be a number from 0 to 3600"),
  ])
  func everyMistakeIsFoundAndMakesItStrict(_ text: String, _ line: Int, _ problem: String) {
    let (configuration, problems) = Configuration.parse(text)
    #expect(problems.first == ConfigurationProblem(line: line, text: problem))
    #expect(configuration == .strictest)
  }

  @Test func noServiceAtAllMayBeNamed() {
    #expect(Configuration.parse("[pattern]\noff-for=").0.policy.patternOffFor == [])
  }

  @Test func allMistakesAreFound() {
    let text = "[reader]\ntries=0\ntimeout=0\nsettle-time=250\nqueue-wait=x"
    #expect(Configuration.parse(text).1.map(\.line) == [2, 3, 5])
  }

  @Test func theExampleIsTheDefaults() throws {
    guard case .text(let text) = ConfigurationFile.read(ConfigurationTests.example) else {
      Issue.record("no \(ConfigurationTests.example)")
      return
    }
    #expect(Configuration.parse(text).0 == .standard)
    #expect(ConfigurationScan(text).lines.isEmpty, "every key is commented out")
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let uncommented = lines.map { $0.hasPrefix("#") && !$0.hasPrefix("# ") ? $0.dropFirst() : $0 }
    let scan = ConfigurationScan(uncommented.joined(separator: "\n"))
    #expect(scan.problems == [])
    for key in ConfigurationKey.allCases {
      let line = try #require(scan.lines[key], "\(key.rawValue) is not in the example")
      #expect(uncommented[line - 1] == "\(key.rawValue)=\(key.standard)")
      let bounds = key.range.map { "\($0.lowerBound) to \($0.upperBound)" } ?? key.expectation
      let comment = lines[..<(line - 1)].reversed().prefix { $0.hasPrefix("# ") }
      #expect(comment.contains { $0.contains(bounds) }, "\(key.rawValue): \(bounds)")
    }
  }
}
