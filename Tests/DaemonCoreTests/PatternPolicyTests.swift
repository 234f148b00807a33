// SPDX-License-Identifier: Apache-2.0

import Policy
import Testing
import ThumbturnProtocol

@testable import DaemonCore

/// Which requests a pattern may answer.
@Suite struct PatternPolicyTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let allowed: Bool
    var settings = ""
    var service = "sudo"
    var host = ""
    var realUser: UInt32 = 1000
    var isRoot = true
  }

  static let rows = [
    Row(testDescription: "one's own", allowed: true),
    Row(testDescription: "asked by root", allowed: true, realUser: 0),
    Row(testDescription: "asked by somebody else", allowed: false, realUser: 1001),
    Row(testDescription: "if configured", allowed: true, settings: "other-users=true", realUser: 1001),
    Row(testDescription: "whatever a peer says of itself", allowed: true, realUser: 1001, isRoot: false),
    Row(testDescription: "from another machine", allowed: false, host: "192.0.2.7"),
    Row(testDescription: "even by root", allowed: false, host: "192.0.2.7", realUser: 0),
    Row(testDescription: "if configured", allowed: true, settings: "remote=true", host: "192.0.2.7"),
    Row(testDescription: "from this one by name", allowed: true, host: "localhost"),
    Row(testDescription: "sshd", allowed: false, service: "sshd"),
    Row(testDescription: "sshd, which is remote", allowed: false, settings: "off-for=", service: "sshd"),
    Row(
      testDescription: "sshd if configured", allowed: true, settings: "off-for=\nremote=true", service: "sshd"
    ),
    Row(testDescription: "a service named", allowed: false, settings: "off-for=sshd sudo"),
    Row(testDescription: "one that starts like it", allowed: true, settings: "off-for=su"),
    Row(testDescription: "switched off", allowed: false, settings: "enabled=false"),
    Row(testDescription: "with a mistake in the file", allowed: false, settings: "remote=perhaps"),
  ]

  @Test(arguments: rows) func decides(_ row: Row) {
    let (configuration, _) = Configuration.parse("[pattern]\n\(row.settings)\n")
    var request = PolicyRequest(
      service: row.service, peerIsRoot: row.isRoot, target: 1000,
      realUser: row.isRoot ? row.realUser : 1000)
    request.hasRemoteHost = !Standing.isLocal(Text(cut: row.host))
    request.place = .seat
    var facts = Facts()
    let now = PasswordMemory(seconds: 1, milliseconds: 1, boot: [1])
    (facts.password.last, facts.password.now) = (now, now)
    #expect((configuration.policy.decide(request, facts).pattern == nil) == row.allowed)
  }
}
