// SPDX-License-Identifier: Apache-2.0

import Conversation
import Policy
import Testing
import ThumbturnProtocol

@testable import DaemonCore
@testable import System

/// The command line, the log's lines, and who may ask for whom.
@Suite struct DaemonOptionsTests {
  @Test func everyOptionIsUnderstood() throws {
    let line = [
      "--socket", "/s", "--data=/d", "--config", "/c", "--libexec", "/l", "--reader-user", "r",
      "--idle-exit", "0", "--log-stderr", "--virtual-readers", "--settle-time=0",
      "--login-bus", "/b", "--proc=/p", "--sys", "/y", "--anywhere",
    ]
    var options = Options()
    options.socket = "/s"
    options.data = "/d"
    options.configuration = "/c"
    options.libexec = "/l"
    options.readerUser = "r"
    options.idleExit = 0
    options.logToStandardError = true
    options.virtualReaders = true
    options.settleTime = 0
    options.presence = PresenceSources(bus: "/b", processes: "/p", devices: "/y", everybodySits: true)
    #expect(try Invocation(line, isRoot: true) == .serve(options))
    #expect(try Invocation(line, isRoot: false) == .serve(options))
    #expect(try Invocation([], isRoot: true) == .serve(Options()))
    #expect(try Invocation(["--help"], isRoot: false) == .help)
    #expect(try Invocation(["--version"], isRoot: false) == .version)
  }

  @Test(arguments: [
    ["--virtual-readers"], ["--virtual-readers", "--data", "/var/lib/thumbturn"],
    ["--virtual-readers", "--data", "/var//lib/thumbturn/"], ["--settle-time", "0", "--data", "/d"],
    ["--login-bus", "/b", "--data", "/d"], ["--proc", "/p", "--data", "/d"], ["--sys", "/y"], ["--anywhere"],
    ["--proc="],
    ["--settle-time", "2001", "--virtual-readers", "--data", "/d"], ["--idle-exit", "soon"],
    ["--idle-exit", "-1"], ["--socket"], ["--socket="], ["--log-stderr=yes"], ["--debug"], ["socket"], ["-h"],
  ]) func whatIsNotAllowedIsSaid(_ line: [String]) {
    #expect(throws: OptionError.self) { try Invocation(line, isRoot: true) }
  }

  @Test func anOrdinaryUserNamesTheirOwnPlaces() {
    for line in [[], ["--socket", "/s"], ["--data", "/d"]] as [[String]] {
      #expect(throws: OptionError.self) { try Invocation(line, isRoot: false) }
    }
  }

  @Test func helpNamesEveryOption() {
    for name in ["socket", "data", "config", "libexec", "reader-user", "idle-exit", "log-stderr"] {
      #expect(Options.help.contains("--\(name)"))
    }
  }
}

@Suite struct DaemonLogTests {
  @Test func aLineSaysHowARequestEnded() {
    var request = LoggedRequest(request: "verify", requester: 0)
    request.user = Text("ada")
    request.service = Text("sudo")
    request.terminal = Text("pts/3")
    #expect(
      request.line(outcome: .refused(.timedOut), now: request.began + 1234)
        == "verify refused (nobody touched the fingerprint reader in time), service sudo, user ada, "
        + "terminal pts/3, asked by uid 0, 1234 ms")
  }

  @Test func noClientWritesLinesOfItsOwn() {
    var request = LoggedRequest(request: "verify", requester: 1000)
    request.user = Text("ada\nverify granted\u{1B}[2J")
    let line = request.line(outcome: .hungUp, now: 0)
    #expect(!line.utf8.contains { $0 < 32 || $0 == 127 })
    #expect("a\nb\u{9B}c\u{7F}é".withoutControls == "a?b?c?é")
  }

  @Test func noFieldPassesForSeveral() {
    var request = LoggedRequest(request: "verify", requester: 1000)
    request.service = Text("a\", user root, asked by uid 0")
    let line = request.line(outcome: .hungUp, now: 0)
    let field = "service \"a?, user root, asked by uid 0\""
    #expect(line.hasPrefix("verify given up by the client, \(field), asked by uid 1000"))
  }

  @Test(arguments: Refusal.allCases) func everyRefusalHasItsWords(_ refusal: Refusal) {
    #expect(Outcome.refused(refusal).words == "refused (\(refusal.message))")
  }
}

@Suite struct ServerStandingTests {
  private func peer(_ user: UInt32) -> Peer { Peer(process: 1, user: user, group: user) }

  @Test func rootAsksForEverybody() throws {
    #expect(try Standing.account(Text("daemon"), peer: peer(0)).uid == 1)
    #expect(throws: Refusal.unknownUser) { try Standing.account(Text("no-such-user"), peer: peer(0)) }
  }

  @Test func othersAskForThemselves() throws {
    #expect(try Standing.account(Text("daemon"), peer: peer(1)).uid == 1)
    for name in [Text("root"), Text("no-such-user"), Text()] as [Text] {
      #expect(throws: Refusal.notPermitted) { try Standing.account(name, peer: peer(1)) }
    }
    #expect(throws: Refusal.notPermitted) {
      try Standing.account(Text("daemon"), peer: peer(4_000_000_000))
    }
  }

  @Test func onlyThisMachineIsLocal() {
    for name in [Text(), Text("localhost"), Text("127.0.0.1"), Text("::1")] as [Text] {
      #expect(Standing.isLocal(name))
    }
    for name in [Text("192.0.2.7"), Text("localhost.example"), Text("::2"), Text(" ")] as [Text] {
      #expect(!Standing.isLocal(name))
    }
  }

  @Test func limitsStayWithinBounds() {
    let standard = Configuration.standard
    let request = PolicyRequest(service: "sudo", peerIsRoot: true, target: 1, realUser: 1)
    let usual = standard.policy.decide(request, Facts())
    var begin = Begin()
    #expect(
      ConversationLimits(begin, peer: peer(1), decision: usual, configuration: standard).tries
        == UInt8(usual.tries))
    begin.tries = 200
    begin.timeout = .max
    #expect(ConversationLimits(begin, peer: peer(0), decision: usual, configuration: standard).tries == 10)
    #expect(
      ConversationLimits(begin, peer: peer(1), decision: usual, configuration: standard).tries
        == UInt8(usual.tries))
    #expect(
      ConversationLimits(begin, peer: peer(0), decision: usual, configuration: standard).timeout == 170_000)
    begin.tries = 2
    #expect(ConversationLimits(begin, peer: peer(1), decision: usual, configuration: standard).tries == 2)
  }
}
