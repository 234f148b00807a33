// SPDX-License-Identifier: Apache-2.0

import Glibc
import Pattern
import Testing
import Throttle

@testable import DaemonCore

extension LoopedTests {
  /// Patterns from setting to deleting, with real Argon2id on a real disk.
  @Suite final class PatternGateTests {
    private let folder: TemporaryFolder
    private let rig: PatternRig

    init() throws {
      folder = try TemporaryFolder()
      rig = try PatternRig("\(folder.path)/data")
      #expect(try rig.set(PatternRig.right) == .done)
    }

    @Test func theRightOneIsRightAndNoOther() throws {
      #expect(try rig.check(PatternRig.right) == .right)
      #expect(try rig.check("618347") == .wrong(handOn: false))
      #expect(try rig.check("618345") == .wrong(handOn: false))
      #expect(try rig.check("61834") == .wrong(handOn: false))
      #expect(rig.failures() == 3)
      #expect(try rig.check(PatternRig.right) == .right)
      #expect(rig.failures() == 0)
    }

    @Test func anotherSpellingOfItIsRight() throws {
      #expect(try rig.set("13794") == .done)
      #expect(try rig.check("1235789 4".split(separator: " ").joined()) == .right)
      #expect(try rig.check("123794") == .right)
    }

    @Test func whatCannotBeDrawnIsNoGuess() throws {
      for typed in ["", "123", "1123", "12x4", "1024", "hunter22"] {
        #expect(try rig.check(typed) == .notAPattern(handOn: false), "\(typed)")
      }
      #expect(rig.failures() == 0)
    }

    @Test func thePersonsPasswordMayLookLikeOne() throws {
      #expect(try rig.set(PatternRig.right, flag: true) == .done)
      #expect(rig.gate.state(of: Sample.ada).passwordLooksLikePattern)
      #expect(try rig.check("618347") == .wrong(handOn: true))
      #expect(try rig.check("1231") == .notAPattern(handOn: true))
      #expect(try rig.check(PatternRig.right) == .right)
    }

    @Test func whatIsGuessedFirstIsNotSet() throws {
      #expect(try rig.set("12369") == .common)
      #expect(try rig.set("1379") == .common)
      #expect(try rig.set("123") == .invalid(.tooShort))
      #expect(try rig.set("11234") == .invalid(.repeated))
      #expect(try rig.check(PatternRig.right) == .right)
    }

    @Test func guessesPauseAndEnd() throws {
      let wrong = PatternRig.wrong(20)
      for guess in wrong.prefix(5) { #expect(try rig.check(guess) == .wrong(handOn: false)) }
      #expect(try rig.check(PatternRig.right) == .throttled(seconds: 60))
      rig.now.milliseconds += 59_001
      #expect(try rig.check(PatternRig.right) == .throttled(seconds: 1))
      #expect(rig.failures() == 5)
      rig.restart()
      #expect(try rig.check(PatternRig.right) == .throttled(seconds: 1))
      rig.now = Moment(milliseconds: 500, boot: [UInt8](repeating: 8, count: 16))
      #expect(try rig.check(PatternRig.right) == .throttled(seconds: 60))
      for guess in wrong.dropFirst(5) {
        rig.now.milliseconds += rig.gate.state(of: Sample.ada).lockedFor ?? 0
        #expect(try rig.check(guess) == .wrong(handOn: false))
      }
      rig.now.milliseconds = .max
      #expect(try rig.check(PatternRig.right) == .disabled)
      let state = rig.gate.state(of: Sample.ada)
      #expect(!state.hasPattern && state.failures == 20 && state.lockedFor == nil && state.problem == nil)
      #expect(try rig.set(PatternRig.right) == .done)
      #expect(try rig.check(PatternRig.right) == .right)
    }

    @Test func theSameWrongGuessCountsOnceForFiveMinutes() throws {
      for _ in 1...30 { #expect(try rig.check("618347") == .wrong(handOn: false)) }
      // In another spelling, too.
      #expect(try rig.check("14785") == .wrong(handOn: false))
      #expect(try rig.check("1785") == .wrong(handOn: false))
      #expect(rig.failures() == 2)
      rig.now.milliseconds += RecentGuesses.time
      #expect(try rig.check("618347") == .wrong(handOn: false))
      #expect(rig.failures() == 3)
    }

    @Test func theGuessesOfOnePersonAreNotAnothers() throws {
      let bob = Account(name: Sample.text("bob"), uid: 1001, group: 1001)
      #expect(try rig.check(PatternRig.right, of: bob) == .none)
      #expect(try rig.set("618347", of: bob) == .done)
      for guess in PatternRig.wrong(5) { _ = try rig.check(guess) }
      #expect(try rig.check("618347", of: bob) == .right)
      #expect(try rig.check(PatternRig.right, of: bob) == .wrong(handOn: false))
    }

    @Test func guessesOfOneOriginLockNoOther() throws {
      for guess in PatternRig.wrong(5) { _ = try rig.check(guess, from: .other) }
      #expect(try rig.check(PatternRig.right, from: .other) == .throttled(seconds: 60))
      #expect(rig.failures(from: .other) == 5 && rig.failures() == 0 && rig.failures(from: .remote) == 0)
      #expect(try rig.check(PatternRig.right) == .right)
      #expect(rig.failures(from: .other) == 5, "the owner's success gives others nothing")
      #expect(try rig.set(PatternRig.right) == .done)
      #expect(try rig.check(PatternRig.right, from: .other) == .right)
    }

    @Test func rootUnlocksIt() throws {
      for guess in PatternRig.wrong(5) { _ = try rig.check(guess) }
      #expect(try rig.answer { rig.gate.unlock(Sample.ada, done: $0) } == nil)
      #expect(try rig.check(PatternRig.right) == .right)
      try folder.write("data/users/ada/pattern.throttle", "damaged")
      #expect(try rig.check(PatternRig.right) == .disabled)
      #expect(try rig.answer { rig.gate.unlock(Sample.ada, done: $0) } == nil)
      #expect(try rig.check(PatternRig.right) == .right)
    }

    @Test func twoNamesOfOneUidAreTwoPersons() throws {
      let alias = Account(name: Sample.text("alias"), uid: Sample.ada.uid, group: Sample.ada.group)
      #expect(try rig.set("618347", of: alias) == .done)
      #expect(try rig.check("618347") == .wrong(handOn: false))
      #expect(try rig.check("618347", of: alias) == .right)
    }

    @Test func guessesAtOnceAreCountedExactly() throws {
      var verdicts: [PatternVerdict] = []
      let guesses = PatternRig.wrong(31) + [PatternRig.right]
      for guess in guesses {
        rig.gate.check(guess.utf8.span, of: Sample.ada, from: .own) { [rig] in
          verdicts.append($0)
          if verdicts.count == guesses.count { rig.quit() }
        }
      }
      rig.wait()
      #expect(verdicts.prefix(5).allSatisfy { $0 == .wrong(handOn: false) })
      #expect(verdicts.dropFirst(5).allSatisfy { $0 == .throttled(seconds: 60) })
      #expect(verdicts.count == 32 && rig.failures() == 5)
    }

    @Test func deletingAndSettingWaitTheirTurn() throws {
      var order: [String] = []
      rig.gate.check(PatternRig.right.utf8.span, of: Sample.ada, from: .own) { order.append("\($0)") }
      rig.gate.delete(of: Sample.ada) { order.append("\($0)") }
      rig.gate.check(PatternRig.right.utf8.span, of: Sample.ada, from: .own) { order.append("\($0)") }
      rig.gate.set("618347".utf8.span, of: Sample.ada, passwordLooksLikePattern: false) { _ in
        order.append("set")
      }
      #expect(try rig.check("618347") == .right)
      #expect(order == ["right", "success(true)", "none", "set"])
    }

    @Test func noFileHoldsThePattern() throws {
      _ = try rig.check("618347")
      for name in ["machine.key", "users/ada/pattern.record", "users/ada/pattern.throttle"] {
        #expect(folder.mode("data/\(name)") == S_IFREG | 0o600)
        let bytes = try folder.bytes("data/\(name)")
        for secret in [Array("618349".utf8), [6, 1, 8, 3, 4, 9], [0x16, 0x38, 0x94], [0x61, 0x83, 0x49]] {
          #expect(!bytes.indices.contains { bytes[$0...].starts(with: secret) })
        }
      }
    }

    @Test func theStandardCostIsThatOfTheRFC() throws {
      #expect(PatternCost.standard == PatternCost(passes: 3, memory: 64 * 1024))
      let gate = PatternGate(rig.store)
      let setting = try rig.answer { (done: @escaping (PatternSetting) -> Void) in
        gate.set("618347".utf8.span, of: Sample.ada, passwordLooksLikePattern: false, done: done)
      }
      #expect(setting == .done)
      let bytes = try folder.bytes("data/users/ada/pattern.record")
      #expect(Array(bytes[18..<26]) == [0, 0, 0, 3, 0, 1, 0, 0])
      let verdict = try rig.answer { gate.check("618347".utf8.span, of: Sample.ada, from: .own, done: $0) }
      #expect(verdict == .right)
    }
  }
}
