// SPDX-License-Identifier: Apache-2.0

import Testing
import Throttle

@testable import DaemonCore

extension LoopedTests {
  /// Many guesses at once: whose turn it is, and what becomes of those nobody waits for.
  @Suite final class PatternTurnTests {
    private let folder: TemporaryFolder
    private let rig: PatternRig
    private let bob = Account(name: Sample.text("bob"), uid: 1001, group: 1001)
    private let eve = Account(name: Sample.text("eve"), uid: 1002, group: 1002)

    init() throws {
      folder = try TemporaryFolder()
      rig = try PatternRig("\(folder.path)/data")
      for account in [Sample.ada, bob, eve] { #expect(try rig.set(PatternRig.right, of: account) == .done) }
    }

    @Test func whoeverAsksOftenWaitsForThemselves() throws {
      var order: [String] = []
      let asking = [Sample.ada, Sample.ada, Sample.ada, Sample.ada, bob, bob, eve, Sample.ada]
      for (number, account) in asking.enumerated() {
        rig.gate.check(PatternRig.right.utf8.span, of: account, from: .own) { [rig] _ in
          order.append("\(account.name.shown) \(number)")
          if order.count == asking.count { rig.quit() }
        }
      }
      rig.wait()
      #expect(order == ["ada 0", "bob 4", "eve 6", "ada 1", "bob 5", "ada 2", "ada 3", "ada 7"])
    }

    /// Within each other they would need more stack than there is.
    @Test func thousandsThatEndAtOnceEndOneBehindTheOther() throws {
      var ended = 0
      rig.gate.check(PatternRig.right.utf8.span, of: Sample.ada, from: .own) { _ in ended += 1 }
      for _ in 1...2_000 {
        rig.gate.check("1111".utf8.span, of: eve, from: .own) { _ in ended += 1 }
      }
      #expect(try rig.check(PatternRig.right, of: bob) == .right)
      #expect(try rig.check(PatternRig.right, of: eve) == .right)
      #expect(ended == 2_001)
    }

    @Test func whatNobodyWaitsForIsNeitherCountedNorTestedNorSet() throws {
      var isThere = true
      rig.gate.check(PatternRig.right.utf8.span, of: Sample.ada, from: .own) { _ in isThere = false }
      rig.gate.check("618347".utf8.span, of: bob, from: .own, isWanted: { isThere }) { _ in
        Issue.record("it was tested")
      }
      rig.gate.set(
        "618347".utf8.span, of: eve, passwordLooksLikePattern: false, isWanted: { isThere }
      ) { _ in
        Issue.record("it was set")
      }
      #expect(try rig.check(PatternRig.right, of: Sample.ada) == .right)
      #expect(rig.gate.state(of: bob).failures == 0)
      #expect(try rig.check(PatternRig.right, of: eve) == .right)
    }
  }
}
