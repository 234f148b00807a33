// SPDX-License-Identifier: Apache-2.0

import CSystem
import Glibc
import System
import Testing
import Throttle

@testable import DaemonCore

/// The counts of mismatches on a real disk: kept, damaged, repaired, and over crashes.
@Suite final class FingerCounterTests {
  private static let file = "data/users/ada/finger.count"
  private let folder: TemporaryFolder
  private let store: Store
  private var problems: [String] = []

  init() throws {
    folder = try TemporaryFolder()
    store = try Store(folder: "\(folder.path)/data")
    try store.save(try Sample.record())
  }

  private func counter() -> FingerCounter { FingerCounter(store) { [unowned self] in problems.append($0) } }

  @Test func nobodyIsCountedAtFirst() {
    #expect(counter().counts(of: Sample.ada) == FingerCounts())
    #expect(!folder.exists(Self.file))
  }

  @Test func countsOutliveTheDaemonAndStayApart() {
    for count in 1...7 as ClosedRange<UInt32> {
      #expect(counter().add(.other, of: Sample.ada)?[.other] == count)
    }
    #expect(counter().add(.own, of: Sample.ada)?[.own] == 1)
    counter().clear(.other, of: Sample.ada)
    #expect(counter().counts(of: Sample.ada).map { [$0[.own], $0[.other], $0[.remote]] } == [1, 0, 0])
    counter().clear(of: Sample.ada)
    #expect(counter().counts(of: Sample.ada) == FingerCounts())
    #expect(folder.mode(Self.file) & 0o7777 == 0o600)
    #expect(problems == [])
  }

  @Test func forWhomNothingIsKeptNothingIsWritten() throws {
    let bob = Account(name: Sample.text("bob"), uid: 1001, group: 1001)
    #expect(counter().add(.own, of: bob)?[.own] == 1)
    #expect(try folder.names("data/users") == ["ada"])
    #expect(counter().counts(of: bob) == FingerCounts())
  }

  /// Every truncation, every changed byte, and another account's file.
  @Test func whatIsDamagedIsNoCount() throws {
    _ = counter().add(.own, of: Sample.ada)
    let good = try folder.bytes(Self.file)
    var damaged = (0..<good.count).map { Array(good.prefix($0)) } + [good + [0]]
    for index in good.indices {
      var changed = good
      changed[index] ^= 1
      damaged.append(changed)
    }
    for bytes in damaged {
      try folder.write(Self.file, bytes: bytes)
      #expect(counter().counts(of: Sample.ada) == nil)
      #expect(counter().add(.own, of: Sample.ada) == nil)
      counter().clear(of: Sample.ada)
      #expect(try folder.bytes(Self.file) == bytes, "only root mends it")
    }
    try folder.write(Self.file, bytes: good)
    let heir = Account(name: Sample.ada.name, uid: 1001, group: 1001)
    #expect(counter().counts(of: heir) == nil)
    #expect(counter().counts(of: Sample.ada)?[.own] == 1)
  }

  @Test func aLinkAndALostKeyAreDamage() throws {
    _ = counter().add(.own, of: Sample.ada)
    try check("rename") { unsafe rename("\(folder.path)/\(Self.file)", "\(folder.path)/elsewhere") }
    try folder.link(Self.file, to: "\(folder.path)/elsewhere")
    #expect(counter().counts(of: Sample.ada) == nil)
    #expect(counter().reset(Sample.ada))
    #expect(counter().counts(of: Sample.ada) == FingerCounts())
    _ = counter().add(.own, of: Sample.ada)
    try check("unlink") { unsafe unlink("\(folder.path)/data/machine.key") }
    #expect(counter().counts(of: Sample.ada) == nil)
    #expect(counter().reset(Sample.ada))
    #expect(counter().add(.own, of: Sample.ada)?[.own] == 1)
  }

  @Test func resettingMendsAndForgets() throws {
    try folder.write(Self.file, bytes: [1, 2, 3])
    #expect(counter().reset(Sample.ada))
    #expect(counter().counts(of: Sample.ada) == FingerCounts())
    #expect(counter().reset(Sample.ada))
  }

  @Test(.enabled(if: geteuid() == 0, "only root can mount"))
  func whatADiskDoesNotTakeCountsAllTheSame() throws {
    for readOnly in [true, false] {
      let disk = try SmallDisk(kilobytes: 256)
      let store = try Store(folder: "\(disk.folder.path)/data")
      try store.save(try Sample.record())
      let counter = FingerCounter(store) { [unowned self] in problems.append($0) }
      #expect(counter.add(.own, of: Sample.ada)?[.own] == 1)
      if readOnly { try disk.remount(readOnly: true) } else { try disk.fill() }
      problems = []
      #expect(counter.add(.own, of: Sample.ada)?[.own] == 2)
      #expect(counter.add(.own, of: Sample.ada)?[.own] == 3)
      #expect(!counter.isKept(Sample.ada) && !counter.isSettled)
      #expect(!problems.isEmpty)
      #expect(FingerCounter(store) { _ in }.counts(of: Sample.ada)?[.own] == 1, "the old record is whole")
      if readOnly { try disk.remount(readOnly: false) } else { try disk.empty() }
      #expect(counter.isKept(Sample.ada) && counter.isSettled)
      #expect(FingerCounter(store) { _ in }.counts(of: Sample.ada)?[.own] == 3)
    }
  }
}

/// A daemon that is killed at any moment of counting.
@Suite struct FingerCrashTests {
  /// What was told is on the disk; what is not told may be there or not, and never half.
  @Test func aKilledDaemonLosesNoCount() async throws {
    let folder = try TemporaryFolder()
    let data = "\(folder.path)/data"
    let store = try Store(folder: data)
    try store.save(try Sample.record())
    for round in 0..<12 {
      let told = "\(folder.path)/told"
      try folder.write("told", "")
      let before = try #require(FingerCounter(store) { _ in }.counts(of: Sample.ada))[.own]
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = data as String, told = told as String, round = round as Int] in
        killLater(milliseconds: 2 + 3 * round)
        let counter = FingerCounter(try Store(folder: path)) { _ in }
        let file = unsafe open(told, O_WRONLY, 0)
        while true {
          guard let count = counter.add(.own, of: Sample.ada)?[.own] else { exit(3) }
          // Told only now, as the client is.
          var bytes = count.bigEndian
          _ = unsafe pwrite(file, &bytes, 4, 0)
        }
      }
      let after = try #require(FingerCounter(store) { _ in }.counts(of: Sample.ada))
      let bytes = try folder.bytes("told")
      let last = bytes.isEmpty ? before : bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      #expect(after[.own] == last || after[.own] == last + 1)
      // Opening removes what was half written.
      _ = try Store(folder: data)
      #expect(try folder.names("data/users/ada").allSatisfy { !$0.hasPrefix(".") })
    }
  }

  /// The disk as it may stand when power is lost at any step of a write: what is not
  /// renamed yet, cut anywhere, beside the old record.
  @Test func lostPowerLeavesTheOldRecordOrTheNew() throws {
    let folder = try TemporaryFolder()
    let data = "\(folder.path)/data"
    let store = try Store(folder: data)
    try store.save(try Sample.record())
    let counter = FingerCounter(store) { _ in }
    for _ in 0..<4 { _ = counter.add(.own, of: Sample.ada) }
    let old = try folder.bytes("data/users/ada/finger.count")
    _ = counter.add(.own, of: Sample.ada)
    let new = try folder.bytes("data/users/ada/finger.count")
    for cut in 0...new.count {
      try folder.write("data/users/ada/finger.count", bytes: old)
      try folder.write("data/users/ada/.new-finger.count", bytes: Array(new.prefix(cut)))
      let reopened = FingerCounter(try Store(folder: data)) { _ in }
      #expect(reopened.counts(of: Sample.ada)?[.own] == 4)
      #expect(!folder.exists("data/users/ada/.new-finger.count"))
    }
    try folder.write("data/users/ada/finger.count", bytes: new)
    #expect(FingerCounter(store) { _ in }.counts(of: Sample.ada)?[.own] == 5)
  }
}

/// Lets the kernel kill this process, wherever it is by then.
private func killLater(milliseconds: Int) {
  var timer = itimerval()
  timer.it_value.tv_usec = milliseconds * 1000
  signal(SIGALRM) { _ in kill(getpid(), SIGKILL) }
  // SAFETY: the structure is ours.
  _ = unsafe setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &timer, nil)
}
