// SPDX-License-Identifier: Apache-2.0

import Glibc
import Records
import Testing
import ThumbturnProtocol

@testable import DaemonCore

/// What the store does with files and folders that are not as it left them.
@Suite struct StoreDamageTests {
  private let folder: TemporaryFolder
  private let store: Store
  private let file = "data/users/ada/right-index.b151927d.print"

  init() throws {
    folder = try TemporaryFolder()
    store = try Store(folder: "\(folder.path)/data")
  }

  @Test func aDamagedRecordIsReportedAndKept() throws {
    try store.save(try Sample.record())
    var bytes = try folder.bytes(file)
    bytes[bytes.count / 2] ^= 1
    try folder.write(file, bytes: bytes)
    let path = "users/ada/right-index.b151927d.print"
    #expect(store.records(of: Sample.ada) == [.damaged(file: path)])
    #expect(store.report() == [StoreProblem(file: path, isForeign: false)])
    #expect(try store.delete(of: Sample.ada, finger: nil) == 0)
    #expect(try folder.bytes(file) == bytes)
    #expect(!folder.exists("data/enrolled/ada"), "nothing usable is left")
  }

  @Test func enrollingAgainLeavesADamagedRecordAlone() throws {
    try store.save(try Sample.record())
    try folder.write(file, bytes: [1, 2, 3])
    let second = try store.save(try Sample.record(template: [9]))
    #expect(store.records(of: Sample.ada).compactMap(\.usable) == [second])
    #expect(try folder.bytes(file) == [1, 2, 3])
    #expect(try folder.names("data/users/ada").count == 2)
  }

  @Test(arguments: [
    Account(name: Sample.text("ada"), uid: 1001, group: 1000),
    Account(name: Sample.text("eve"), uid: 1000, group: 1000),
  ])
  func anotherPersonsRecordIsForeign(_ owner: Account) throws {
    let record = try Sample.record(of: owner)
    try store.save(try Sample.record())
    try folder.write(file, bytes: record.bytes)
    let path = "users/ada/right-index.b151927d.print"
    #expect(store.records(of: Sample.ada) == [.foreign(file: path, record)])
    #expect(try store.delete(of: Sample.ada, finger: nil) == 0)
    let second = try store.save(try Sample.record())
    #expect(store.records(of: Sample.ada).compactMap(\.usable) == [second])
    #expect(try folder.bytes(file) == record.bytes)
  }

  @Test func aReportNamesRecordsOfNobody() throws {
    let root = Account(name: Sample.text("root"), uid: 0, group: 0)
    try store.save(try Sample.record(of: root))
    #expect(store.report() == [])
    let nobody = Account(name: Sample.text("no-such-user"), uid: 4_000_000, group: 1)
    try store.save(try Sample.record(of: nobody))
    let reused = Account(name: Sample.text("root"), uid: 1, group: 1)
    try folder.write("data/users/root/left-thumb.0.print", bytes: try Sample.record(of: reused).bytes)
    #expect(
      store.report() == [
        StoreProblem(file: "users/no-such-user/right-index.b151927d.print", isForeign: true),
        StoreProblem(file: "users/root/left-thumb.0.print", isForeign: true),
      ])
  }

  @Test func linksPipesAndOpenFilesAreNoRecords() throws {
    try store.save(try Sample.record())
    let person = "data/users/ada"
    try folder.write("record", bytes: try folder.bytes(file))
    try folder.link("\(person)/a-link", to: "\(folder.path)/record")
    try folder.makePipe("\(person)/b-pipe")
    try folder.write("\(person)/c-open", bytes: try folder.bytes(file))
    try folder.setMode("\(person)/c-open", 0o622)
    folder.makeFolder("\(person)/d-folder")
    let long = [UInt8](repeating: 0, count: PrintRecord.maximumBytes + 1)
    try folder.write("\(person)/e-long", bytes: long)
    let damaged = ["a-link", "b-pipe", "c-open", "d-folder", "e-long"].map {
      StoredRecord.damaged(file: "users/ada/\($0)")
    }
    #expect(store.records(of: Sample.ada).dropLast() == damaged[...])
    #expect(store.records(of: Sample.ada).last?.usable != nil)
  }

  @Test func aFileThatACrashLeftIsIgnoredAndRemoved() throws {
    let kept = try store.save(try Sample.record())
    let half = "data/users/ada/.new-right-index.b151927d.print"
    try folder.write(half, bytes: Array(kept.bytes.prefix(40)))
    #expect(store.records(of: Sample.ada) == [.good(kept)])
    #expect(!store.report().contains { !$0.isForeign })
    _ = try Store(folder: "\(folder.path)/data")
    #expect(!folder.exists(half))
    #expect(store.records(of: Sample.ada) == [.good(kept)])
  }

  @Test func aFileThatACrashLeftDoesNotHinderASave() throws {
    try store.save(try Sample.record())
    try folder.write("data/users/ada/.new-right-index.b151927d.print", bytes: [1])
    let second = try store.save(try Sample.record(template: [9]))
    #expect(store.records(of: Sample.ada) == [.good(second)])
    #expect(try folder.names("data/users/ada").count == 1)
  }

  @Test(arguments: ["data", "data/users", "data/enrolled"])
  func foldersThatOthersCanWriteAreRefused(_ name: String) throws {
    for mode in [0o775, 0o757, 0o1777] as [mode_t] {
      try folder.setMode(name, mode)
      expectUnsafe(name)
      #expect(throws: StoreError.unsafeFolder(path: "\(folder.path)/\(name)")) {
        try store.save(try Sample.record())
      }
    }
  }

  @Test(
    .enabled(if: geteuid() == 0, "only root can give folders away"),
    arguments: ["data", "data/users", "data/enrolled"])
  func foldersOfSomebodyElseAreRefused(_ name: String) throws {
    try folder.give(name, to: 1)
    expectUnsafe(name)
  }

  @Test(arguments: ["data", "data/users", "data/enrolled"]) func linkedFoldersAreRefused(_ name: String)
    throws
  {
    let real = folder.makeFolder("elsewhere")
    folder.removeTree(name)
    try folder.link(name, to: real)
    expectUnsafe(name)
    #expect(throws: StoreError.self) { try Store(folder: "\(folder.path)/data/") }
  }

  @Test func aPersonsLinkedFolderIsNotFollowed() throws {
    try store.save(try Sample.record())
    let bob = Account(name: Sample.text("bob"), uid: 1000, group: 1000)
    try folder.link("data/users/bob", to: "ada")
    #expect(store.records(of: bob) == [.damaged(file: "users/bob")])
    #expect(throws: StoreError.unsafeFolder(path: "\(folder.path)/data/users/bob")) {
      try store.save(try Sample.record(of: bob))
    }
    #expect(store.report().contains(StoreProblem(file: "users/bob", isForeign: false)))
  }

  @Test func permissionsBeyondTheDocumentedOnesAreTakenAway() throws {
    try folder.setMode("data/users", 0o755)
    try folder.setMode("data/enrolled", 0o755)
    _ = try Store(folder: "\(folder.path)/data")
    #expect(folder.mode("data/users") == S_IFDIR | 0o700)
    #expect(folder.mode("data/enrolled") == S_IFDIR | 0o711)
  }

  private func expectUnsafe(_ name: String) {
    #expect(throws: StoreError.unsafeFolder(path: "\(folder.path)/\(name)")) {
      try Store(folder: "\(folder.path)/data")
    }
  }
}
