// SPDX-License-Identifier: Apache-2.0

import Glibc
import Records
import System
import Testing
import ThumbturnProtocol

@testable import DaemonCore

@Suite struct TrustStoreTests {
  private let folder: TemporaryFolder
  private let store: Store

  init() throws {
    folder = try TemporaryFolder()
    store = try Store(folder: folder.path)
  }

  private var trust: TrustStore { TrustStore(store) }
  private let everybodys = TrustedReader(user: Text(), uid: 0, since: 7, reader: Sample.reader)
  /// An account that every machine has, so that nobody forgets its reader.
  private let ones = TrustedReader(user: Text("daemon"), uid: 1, since: 8, reader: Sample.other)

  @Test func whatWasAddedIsThereAndIsRootsAlone() throws {
    #expect(trust.readers() == TrustedReaders())
    try trust.add([everybodys])
    try trust.add([ones])
    #expect(trust.readers()?.entries == [everybodys, ones])
    #expect(folder.mode("readers.trusted") & 0o7777 == 0o600)
  }

  @Test func readersOfPeopleWhoAreGoneAreForgotten() throws {
    let gone = TrustedReader(user: Text("nobody-at-all"), uid: 4711, since: 8, reader: Sample.reader)
    let reused = TrustedReader(user: Text("daemon"), uid: 4711, since: 8, reader: Sample.reader)
    try trust.add([gone, reused])
    try trust.add([ones])
    #expect(trust.readers()?.entries == [ones])
  }

  @Test func aChangedByteTrustsNothingUntilSomebodySaysSoAnew() throws {
    try trust.add([everybodys])
    let bytes = try folder.bytes("readers.trusted")
    for place in bytes.indices {
      var changed = bytes
      changed[place] ^= 1
      try folder.write("readers.trusted", bytes: changed, mode: 0o600)
      #expect(trust.readers() == nil, "byte \(place)")
    }
    for count in [0, 1, 40, bytes.count - 1] {
      try folder.write("readers.trusted", bytes: Array(bytes.prefix(count)), mode: 0o600)
      #expect(trust.readers() == nil)
    }
    try trust.add([ones])
    #expect(trust.readers()?.entries == [ones])
  }

  @Test func aFileOfAnotherMachineTrustsNothing() throws {
    try trust.add([everybodys])
    let other = try TemporaryFolder()
    try TrustStore(try Store(folder: other.path)).add([ones])
    try folder.write("readers.trusted", bytes: try other.bytes("readers.trusted"), mode: 0o600)
    #expect(trust.readers() == nil)
  }

  @Test func withoutTheMachinesKeyNothingIsTrusted() throws {
    try trust.add([everybodys])
    try check("unlink") { unsafe unlink("\(folder.path)/machine.key") }
    #expect(trust.readers() == nil)
  }

  @Test func whatIsKilledWhileWritingLeavesAWholeFile() async throws {
    try trust.add([everybodys])
    for round in 0..<6 {
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = folder.path as String, round = round as Int] in
        alarmAfter(milliseconds: 2 + 5 * round)
        let trust = TrustStore(try Store(folder: path))
        while true {
          for port in 0..<8 {
            var reader = Sample.reader
            reader.usb?.port = Sample.text("1-\(port)")
            try trust.add([TrustedReader(user: Text(), uid: 0, since: 1, reader: reader)])
          }
        }
      }
      let readers = TrustStore(try Store(folder: folder.path)).readers()
      #expect(readers.map { (1...8).contains($0.entries.count) } == true)
    }
  }

  @Test(.enabled(if: geteuid() == 0, "mounts a disk")) func aFullDiskKeepsWhatWasThere() throws {
    let disk = try SmallDisk(kilobytes: 64)
    let data = disk.folder.makeFolder("data")
    let trust = TrustStore(try Store(folder: data))
    try trust.add([everybodys])
    try disk.fill()
    #expect(throws: PatternFault.self) { try trust.add([ones]) }
    #expect(trust.readers()?.entries == [everybodys])
    try disk.empty()
    try trust.add([ones])
    #expect(trust.readers()?.entries == [everybodys, ones])
  }

  @Test func aFileThatOthersMayWriteInTrustsNothing() throws {
    try trust.add([everybodys])
    try folder.setMode("readers.trusted", 0o666)
    #expect(trust.readers() == nil)
  }
}
