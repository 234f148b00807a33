// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReaderProtocol
import Records
import Testing
import ThumbturnProtocol

@testable import DaemonCore

/// The store on a real folder: what is kept, where, and with which permissions.
@Suite struct StoreTests {
  private let folder: TemporaryFolder
  private let store: Store

  init() throws {
    folder = try TemporaryFolder()
    store = try Store(folder: "\(folder.path)/data/")
  }

  @Test func aRecordComesBackAsItWasKept() throws {
    let kept = try store.save(try Sample.record())
    #expect(kept == (try Sample.record()).with(generation: 1))
    #expect(store.records(of: Sample.ada) == [.good(kept)])
    #expect(try Store(folder: "\(folder.path)/data").records(of: Sample.ada) == [.good(kept)])
  }

  @Test func theLargestTemplateOfAReaderIsKept() throws {
    #expect(PrintRecord.maximumTemplate == ReaderWire.maximumTemplate)
    let template = [UInt8](repeating: 7, count: ReaderWire.maximumTemplate)
    try store.save(try Sample.record(template: template))
    #expect(store.records(of: Sample.ada).first?.usable?.template == template)
  }

  @Test func theLayoutIsTheDocumentedOne() throws {
    try store.save(try Sample.record())
    #expect(folder.mode("data") == S_IFDIR | 0o755)
    #expect(folder.mode("data/users") == S_IFDIR | 0o700)
    #expect(folder.mode("data/enrolled") == S_IFDIR | 0o711)
    #expect(folder.mode("data/enrolled/ada") == S_IFREG | 0o644)
    #expect(try folder.bytes("data/enrolled/ada").isEmpty)
    #expect(folder.mode("data/users/ada") == S_IFDIR | 0o700)
    #expect(try folder.names("data/users/ada") == ["right-index.b151927d.print"])
    #expect(folder.mode("data/users/ada/right-index.b151927d.print") == S_IFREG | 0o600)
  }

  @Test func theCallersMaskChangesNoPermissions() throws {
    let narrow = try TemporaryFolder()
    let before = umask(0o077)
    defer { umask(before) }
    try Store(folder: "\(narrow.path)/data").save(try Sample.record())
    #expect(narrow.mode("data/enrolled") == S_IFDIR | 0o711)
    #expect(narrow.mode("data/enrolled/ada") == S_IFREG | 0o644)
    #expect(narrow.mode("data") == S_IFDIR | 0o755)
  }

  @Test func theSameFingerOnTheSameReaderIsReplaced() throws {
    try store.save(try Sample.record())
    var moved = Sample.reader
    moved.usb?.port = Sample.text("1-5")
    let second = try store.save(try Sample.record(on: moved, template: [1]))
    #expect(store.records(of: Sample.ada) == [.good(second)])
  }

  @Test func fingersAndReadersAreKeptApart() throws {
    try store.save(try Sample.record(.leftThumb))
    try store.save(try Sample.record(.rightIndex))
    try store.save(try Sample.record(.rightIndex, on: Sample.other))
    let fingers = store.records(of: Sample.ada).compactMap(\.usable?.finger)
    #expect(fingers == [.leftThumb, .rightIndex, .rightIndex])
  }

  @Test func generationsOfAPersonIncrease() throws {
    for wanted in 1...3 as ClosedRange<UInt64> {
      #expect(try store.save(try Sample.record()).generation == wanted)
    }
    #expect(try store.save(try Sample.record(.leftThumb)).generation == 4)
    let bob = Account(name: Sample.text("bob"), uid: 1001, group: 1001)
    #expect(try store.save(try Sample.record(of: bob)).generation == 1)
  }

  @Test func theMarkerGoesWithTheLastRecord() throws {
    try store.save(try Sample.record(.leftThumb))
    try store.save(try Sample.record(.rightIndex))
    #expect(try store.delete(of: Sample.ada, finger: .leftThumb) == 1)
    #expect(folder.exists("data/enrolled/ada"))
    #expect(try store.delete(of: Sample.ada, finger: .leftThumb) == 0)
    #expect(folder.exists("data/enrolled/ada"))
    #expect(try store.delete(of: Sample.ada, finger: .rightIndex) == 1)
    #expect(!folder.exists("data/enrolled/ada"))
    #expect(!folder.exists("data/users/ada"))
    #expect(store.records(of: Sample.ada).isEmpty)
  }

  @Test func allRecordsGoAtOnce() throws {
    for finger in Finger.allCases { try store.save(try Sample.record(finger)) }
    #expect(try store.delete(of: Sample.ada, finger: nil) == 10)
    #expect(!folder.exists("data/users/ada"))
    #expect(!folder.exists("data/enrolled/ada"))
    #expect(try store.delete(of: Sample.ada, finger: nil) == 0)
  }

  @Test func aMarkerTooManyGoesWithTheNextDelete() throws {
    try folder.write("data/enrolled/ada", "")
    #expect(try store.delete(of: Sample.ada, finger: nil) == 0)
    #expect(!folder.exists("data/enrolled/ada"))
  }

  @Test func aPersonsRecordsAreLimited() throws {
    for number in 0..<Store.maximumRecords {
      var reader = Sample.other
      reader.device = Sample.text("\(number)")
      try store.save(try Sample.record(on: reader))
    }
    #expect(throws: StoreError.tooMany) { try store.save(try Sample.record()) }
    #expect(store.records(of: Sample.ada).count == Store.maximumRecords)
    var known = Sample.other
    known.device = Sample.text("7")
    #expect(try store.save(try Sample.record(on: known)).generation == UInt64(Store.maximumRecords + 1))
  }

  @Test(arguments: ["a/b", "..", ".hidden", "50%", "svc$", "a+b@c", "zoë"])
  func oddNamesAreKeptApartFromEverythingElse(_ name: String) throws {
    let account = Account(name: Sample.text(name), uid: 7, group: 7)
    try store.save(try Sample.record(of: account))
    #expect(store.records(of: account).count == 1)
    #expect(try folder.names("data/users").count == 1)
    #expect(try folder.names("data/enrolled") == folder.names("data/users"))
    #expect(try folder.names("data") == ["enrolled", "users"])
    #expect(try store.delete(of: account, finger: nil) == 1)
  }

  @Test func aNameThatCannotBeKeptIsRefused() throws {
    let nobody = Account(name: Text([0xFF].span) ?? Text(), uid: 7, group: 7)
    #expect(throws: StoreError.badName) { try store.save(try Sample.record(of: nobody)) }
    #expect(store.records(of: nobody).isEmpty)
    let long = Account(name: Sample.text(String(repeating: "/", count: 100)), uid: 7, group: 7)
    #expect(throws: StoreError.self) { try store.save(try Sample.record(of: long)) }
    #expect(try folder.names("data/enrolled").isEmpty)
  }
}
