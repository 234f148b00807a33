// SPDX-License-Identifier: Apache-2.0

import Testing
import ThumbturnProtocol

@testable import DaemonCore

/// Looking people up, in this machine's name service.
@Suite struct AccountTests {
  @Test func rootIsKnownByNameAndNumber() {
    let root = Account(name: Sample.text("root"), uid: 0, group: 0, home: Sample.text("/root"))
    #expect(Account(named: Sample.text("root")) == root)
    #expect(Account(uid: 0) == root)
  }

  @Test(arguments: ["", "no-such-user", "root ", "ro", "root:x", "/"]) func nobodyElseIs(_ name: String) {
    #expect(Account(named: Sample.text(name)) == nil)
  }

  @Test func aNumberOfNobodyIsNotKnown() {
    #expect(Account(uid: 4_000_000_000) == nil)
    #expect(Account(uid: .max) == nil)
  }
}
