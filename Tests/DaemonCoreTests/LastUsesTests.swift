// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import DaemonCore

@Suite struct LastUsesTests {
  private static func sample() -> LastUses {
    var uses = LastUses()
    uses[.finger] = .init(seconds: 1_700_000_000, service: "sudo")
    uses[.pattern] = .init(seconds: 1_700_000_001, service: "")
    return uses
  }

  @Test func whatIsWrittenIsRead() {
    let uses = LastUsesTests.sample()
    #expect(LastUses(uses.bytes(uid: 1000), uid: 1000) == uses)
    #expect(
      String(decoding: uses.bytes(uid: 1000), as: UTF8.self)
        == "1 1000\nfinger 1700000000 sudo\npattern 1700000001 \n")
  }

  @Test func everyCutIsNothingOrAWholeLineLess() {
    let bytes = LastUsesTests.sample().bytes(uid: 1000)
    for count in 0..<bytes.count {
      guard let uses = LastUses(Array(bytes[..<count]), uid: 1000) else { continue }
      if let use = uses[.finger] { #expect("sudo".hasPrefix(use.service)) }
    }
    #expect(LastUses(Array(bytes[..<3]), uid: 1000) == nil)
  }

  @Test(arguments: ["a b", "a\nfinger 1 x", "ä", String(repeating: "x", count: 65)])
  func aServiceThatIsNoNameIsLeftOut(_ service: String) {
    var uses = LastUses()
    uses[.finger] = .init(seconds: 1, service: service)
    #expect(LastUses(uses.bytes(uid: 1), uid: 1)?[.finger] == .init(seconds: 1, service: ""))
  }

  @Test func anothersFileSaysNothing() {
    #expect(LastUses(LastUsesTests.sample().bytes(uid: 1000), uid: 1001) == nil)
  }
}
