// SPDX-License-Identifier: Apache-2.0

import CSystem
import Glibc
import Records
import System
import Testing
import ThumbturnProtocol

@testable import DaemonCore

/// A real file system that is full, or cannot be written: nothing may be lost.
@Suite(.serialized, .enabled(if: geteuid() == 0, "only root can mount"))
struct StoreDiskTests {
  @Test func aFullDiskLosesNothing() throws {
    let disk = try SmallDisk(kilobytes: 256)
    let store = try Store(folder: "\(disk.folder.path)/data")
    let kept = try store.save(try Sample.record(template: [UInt8](repeating: 1, count: 5000)))
    try disk.fill()
    #expect(throws: StoreError.full(file: disk.file("ada/.new-right-index.b151927d.print"))) {
      try store.save(try Sample.record(template: [UInt8](repeating: 2, count: 20_000)))
    }
    #expect(store.records(of: Sample.ada) == [.good(kept)])
    #expect(try disk.folder.names("data/users/ada") == ["right-index.b151927d.print"])
    #expect(try disk.folder.names("data/enrolled") == ["ada"])
    #expect(throws: StoreError.full(file: disk.file("ada/.new-left-thumb.b151927d.print"))) {
      try store.save(try Sample.record(.leftThumb))
    }
    #expect(store.records(of: Sample.ada) == [.good(kept)])
  }

  @Test func aFullDiskLeavesNoMarkerOfSomebodyNew() throws {
    let disk = try SmallDisk(kilobytes: 256)
    let store = try Store(folder: "\(disk.folder.path)/data")
    try disk.fill()
    #expect(throws: StoreError.self) { try store.save(try Sample.record()) }
    #expect(try disk.folder.names("data/enrolled").isEmpty)
    #expect(try disk.folder.names("data/users").isEmpty)
    try disk.empty()
    #expect(try store.save(try Sample.record()).generation == 1)
  }

  @Test func aFullDiskStillLetsRecordsGo() throws {
    let disk = try SmallDisk(kilobytes: 256)
    let store = try Store(folder: "\(disk.folder.path)/data")
    try store.save(try Sample.record())
    try disk.fill()
    #expect(try store.delete(of: Sample.ada, finger: nil) == 1)
    #expect(try disk.folder.names("data/enrolled").isEmpty)
  }

  @Test func aDiskThatCannotBeWrittenLosesNothing() throws {
    let disk = try SmallDisk(kilobytes: 256)
    let store = try Store(folder: "\(disk.folder.path)/data")
    let kept = try store.save(try Sample.record())
    try disk.remount(readOnly: true)
    #expect(throws: StoreError.readOnly(file: disk.file("ada/.new-right-index.b151927d.print"))) {
      try store.save(try Sample.record(template: [9]))
    }
    #expect(throws: StoreError.readOnly(file: disk.file("ada/right-index.b151927d.print"))) {
      try store.delete(of: Sample.ada, finger: nil)
    }
    let bob = Account(name: Sample.text("bob"), uid: 1001, group: 1001)
    #expect(throws: StoreError.self) { try store.save(try Sample.record(of: bob)) }
    #expect(store.records(of: Sample.ada) == [.good(kept)])
    #expect(try Store(folder: "\(disk.folder.path)/data").records(of: Sample.ada) == [.good(kept)])
  }
}
