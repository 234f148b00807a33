// SPDX-License-Identifier: Apache-2.0

import Glibc
import Policy
import Testing
import ThumbturnProtocol
import Throttle

@testable import DaemonCore

/// What is kept of passwords and lockdowns.
@Suite final class SignInStateTests {
  private static let seen = "data/users/ada/password.seen"
  private let folder: TemporaryFolder
  private let store: Store
  private let moment = Moment(milliseconds: 77, boot: Array(1...16))

  init() throws {
    folder = try TemporaryFolder()
    store = try Store(folder: "\(folder.path)/data")
    try store.save(try Sample.record())
  }

  @Test func aPasswordThatWasGivenIsRemembered() throws {
    #expect(store.passwordMemory(of: Sample.ada) == nil)
    try store.passwordGiven(of: Sample.ada, at: moment)
    let memory = try #require(store.passwordMemory(of: Sample.ada))
    #expect(memory.milliseconds == 77 && memory.boot == Array(1...16))
    #expect(abs(Int64(memory.seconds) - Int64(time(nil))) < 60)
  }

  @Test func whatIsDamagedOrAnothersIsForgotten() throws {
    try store.passwordGiven(of: Sample.ada, at: moment)
    let good = try folder.bytes(Self.seen)
    let heir = Account(name: Sample.ada.name, uid: 1001, group: 1001)
    #expect(store.passwordMemory(of: heir) == nil)
    for cut in 0..<good.count {
      try folder.write(Self.seen, bytes: Array(good.prefix(cut)))
      #expect(store.passwordMemory(of: Sample.ada) == nil, "cut at \(cut)")
    }
    for text in [
      "2 1000 5 6 \(String(repeating: "a", count: 32))\n", "1 1000 5 6 xy\n",
      "1 1000 -5 6 \(String(repeating: "a", count: 32))\n", "1 1000 5 6  \n",
    ] {
      try folder.write(Self.seen, text)
      #expect(store.passwordMemory(of: Sample.ada) == nil, "\(text)")
    }
  }

  @Test func aLockdownLastsUntilThePassword() throws {
    #expect(!store.isLockedDown(Sample.ada))
    try store.lockDown(Sample.ada)
    try store.lockDown(Sample.ada)
    #expect(store.isLockedDown(Sample.ada))
    // It is no print, so neither a damaged one.
    #expect(store.records(of: Sample.ada).count == 1 && store.report().filter { !$0.isForeign }.isEmpty)
    try store.passwordGiven(of: Sample.ada, at: moment)
    #expect(!store.isLockedDown(Sample.ada))
  }

  @Test func everybodyIsLockedDown() throws {
    let bob = Account(name: Sample.text("bob"), uid: 1001, group: 1001)
    try store.save(try Sample.record(of: bob))
    try store.lockEverybodyDown()
    #expect(store.isLockedDown(Sample.ada) && store.isLockedDown(bob))
    let nobody = Account(name: Sample.text("carl"), uid: 1002, group: 1002)
    try store.lockDown(nobody)
    #expect(!store.isLockedDown(nobody) && !folder.exists("data/users/carl"))
  }

  @Test func theLastPrintTakesItAllAlong() throws {
    try store.passwordGiven(of: Sample.ada, at: moment)
    try store.lockDown(Sample.ada)
    _ = FingerCounter(store) { _ in }.add(.own, of: Sample.ada)
    #expect(try store.delete(of: Sample.ada, finger: nil) == 1)
    #expect(try folder.names("data/users") == [])
  }
}
