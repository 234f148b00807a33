// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import ThumbturnProtocol

@testable import DaemonCore

extension LoopedTests {
  /// The pattern's files: lost, damaged, swapped, and beside prints.
  @Suite final class PatternStoreTests {
    private let folder: TemporaryFolder
    private let rig: PatternRig
    private let record = "data/users/ada/pattern.record"
    private let throttle = "data/users/ada/pattern.throttle"

    init() throws {
      folder = try TemporaryFolder()
      rig = try PatternRig("\(folder.path)/data")
      #expect(try rig.set(PatternRig.right) == .done)
    }

    private var problem: PatternFault? { rig.gate.state(of: Sample.ada).problem }

    @Test func everyChangedByteOfTheRecordIsFound() throws {
      let intact = try folder.bytes(record)
      for index in intact.indices {
        var bytes = intact
        bytes[index] ^= 0x10
        try folder.write(record, bytes: bytes)
        #expect(try rig.check(PatternRig.right) == .none, "byte \(index)")
        #expect(problem != nil)
      }
      for count in [0, 5, 113] {
        try folder.write(record, bytes: Array(intact.prefix(count)))
        #expect(try rig.check(PatternRig.right) == .none)
        #expect(problem == .damaged(file: "users/ada/pattern.record"))
      }
      try folder.write(record, bytes: intact)
      #expect(try rig.check(PatternRig.right) == .right)
    }

    @Test func everyChangedByteOfTheGuessesLocks() throws {
      let intact = try folder.bytes(throttle)
      for index in intact.indices {
        var bytes = intact
        bytes[index] ^= 1
        try folder.write(throttle, bytes: bytes)
        #expect(try rig.check(PatternRig.right) == .disabled, "byte \(index)")
      }
      #expect(problem == .damaged(file: "users/ada/pattern.throttle"))
      try folder.write(throttle, "")
      #expect(try rig.check(PatternRig.right) == .disabled)
      folder.removeTree(throttle)
      _ = unsafe unlink("\(folder.path)/\(throttle)")
      #expect(try rig.check(PatternRig.right) == .disabled)
      #expect(!rig.gate.state(of: Sample.ada).hasPattern)
      #expect(try rig.set(PatternRig.right) == .done)
      #expect(try rig.check(PatternRig.right) == .right)
    }

    @Test func theMachineKeyIsMadeOnce() throws {
      let key = try folder.bytes("data/machine.key")
      #expect(key.count == 32 && Set(key).count > 8)
      #expect(folder.mode("data/machine.key") == S_IFREG | 0o600)
      let bob = Account(name: Sample.text("bob"), uid: 1001, group: 1001)
      #expect(try rig.set("618347", of: bob) == .done)
      #expect(try folder.bytes("data/machine.key") == key)
      #expect(try folder.names("data") == ["enrolled", "machine.key", "users"])
    }

    @Test func aLostKeyRefusesUntilThePatternIsSetAnew() throws {
      _ = unsafe unlink("\(folder.path)/data/machine.key")
      #expect(try rig.check(PatternRig.right) == .none)
      #expect(problem == .noKey)
      #expect(!folder.exists("data/machine.key"))
      let bob = Account(name: Sample.text("bob"), uid: 1001, group: 1001)
      #expect(try rig.set(PatternRig.right, of: bob) == .done)
      #expect(try rig.check(PatternRig.right) == .none)
      #expect(problem == .otherKey(file: "users/ada/pattern.record"))
      #expect(try rig.set(PatternRig.right) == .done)
      #expect(try rig.check(PatternRig.right) == .right)
    }

    @Test func aKeyThatOthersCanReadOrThatIsCutIsNotUsed() throws {
      try folder.setMode("data/machine.key", 0o640)
      #expect(try rig.check(PatternRig.right) == .none)
      #expect(problem.map { "\($0)" }?.hasSuffix("(must be readable by its owner only)") == true)
      #expect(try rig.set(PatternRig.right) != .done)
      try folder.setMode("data/machine.key", 0o600)
      #expect(try rig.check(PatternRig.right) == .right)
      let key = try folder.bytes("data/machine.key")
      for bytes in [[], Array(key.dropLast()), key + [0]] {
        try folder.write("data/machine.key", bytes: bytes)
        #expect(try rig.check(PatternRig.right) == .none)
        #expect(problem == .unusableKey(nil))
      }
      #expect(try rig.set(PatternRig.right) == .failed(.unusableKey(nil)))
    }

    @Test func filesOfOnePersonDoNotServeAnother() throws {
      let bob = Account(name: Sample.text("bob"), uid: 1001, group: 1001)
      #expect(try rig.set("618347", of: bob) == .done)
      for guess in PatternRig.wrong(5) { _ = try rig.check(guess) }
      try folder.write(throttle, bytes: try folder.bytes("data/users/bob/pattern.throttle"))
      #expect(try rig.check(PatternRig.right) == .disabled)
      try folder.write(record, bytes: try folder.bytes("data/users/bob/pattern.record"))
      #expect(try rig.check("618347") == .none)
      // The name was given to somebody else.
      let next = Account(name: bob.name, uid: 2000, group: 2000)
      #expect(try rig.check("618347", of: next) == .none)
      #expect(rig.gate.state(of: next).problem == .foreign(file: "users/bob/pattern.record"))
    }

    @Test func theMarkerStaysWhilePrintOrPatternIsLeft() throws {
      #expect(folder.exists("data/enrolled/ada"))
      #expect(rig.store.records(of: Sample.ada).isEmpty && rig.store.report().isEmpty)
      try rig.store.save(try Sample.record())
      #expect(try rig.store.delete(of: Sample.ada, finger: nil) == 1)
      #expect(folder.exists("data/enrolled/ada"))
      #expect(try rig.check(PatternRig.right) == .right)
      try rig.store.save(try Sample.record())
      #expect(try rig.delete() == .success(true))
      #expect(folder.exists("data/enrolled/ada"))
      #expect(rig.store.records(of: Sample.ada).count == 1)
      #expect(try rig.store.delete(of: Sample.ada, finger: nil) == 1)
      #expect(!folder.exists("data/enrolled/ada") && !folder.exists("data/users/ada"))
      #expect(try rig.delete() == .success(false))
    }

    @Test func deletingAPatternLeavesNothing() throws {
      #expect(try rig.delete() == .success(true))
      #expect(!folder.exists("data/enrolled/ada") && !folder.exists("data/users/ada"))
      #expect(try rig.check(PatternRig.right) == .none)
      #expect(rig.gate.state(of: Sample.ada) == PatternState())
    }

    @Test func theNameOfThisStartIsRead() throws {
      let moment = try #require(Moment.now())
      #expect(moment.boot.count == 16 && Set(moment.boot) != [0])
      #expect(Moment.now()?.boot == moment.boot)
      let text = Array("00ff10a0-0000-4000-8000-0000000000ab\n".utf8)
      #expect(Moment.identifier(text)?.prefix(4) == [0, 255, 16, 160])
      #expect(Moment.identifier(Array("00ff".utf8)) == nil)
    }
  }
}
