// SPDX-License-Identifier: Apache-2.0

import ReaderProtocol
import Testing
import ThumbturnProtocol

/// The built program on libfprint's virtual reader that identifies and stores prints itself.
@Suite(.serialized) struct VirtualStorageTests {
  let virtual: VirtualReader
  init() throws { virtual = try VirtualReader.storage() }

  private func enrolled(_ names: String...) throws -> (RunningReader, [[UInt8]]) {
    let reader = try virtual.start()
    let description = try reader.openOnly()
    #expect(description.identifies)
    #expect(description.stores)
    let templates = try names.map { name in
      try reader.enroll(stages: Int(description.stages)) { try virtual.command("SCAN \(name)") }
    }
    return (reader, templates)
  }

  @Test func oneTouchMeetsAllTemplates() throws {
    let (reader, templates) = try enrolled("one", "two", "three")
    try reader.verify(templates)
    for (name, index) in [("three", 12), ("one", 10), ("two", 11)] as [(String, UInt8)] {
      try reader.expect(.armed)
      try virtual.command("SCAN \(name)")
      try reader.expect(.matched(index: index))
      try reader.send(.verify)
    }
  }

  @Test func onlyTheGivenTemplatesMatch() throws {
    let (reader, templates) = try enrolled("one", "two")
    try reader.verify([templates[0]])
    try reader.expect(.armed)
    try virtual.command("SCAN two")
    try reader.expect(.mismatched, .armed)
    try virtual.command("SCAN one")
    try reader.expect(.matched(index: 10))
  }

  @Test func aFingerTheReaderKnowsIsADuplicate() throws {
    let (reader, _) = try enrolled("one")
    try reader.send(.enroll(finger: .leftThumb, user: Text("ada")))
    try virtual.command("SCAN one")
    try reader.expect(.failed(.duplicate))
    try reader.expectEnd()
  }

  @Test func aFullReaderStoresNothing() throws {
    let (reader, _) = try enrolled()
    try reader.send(.enroll(finger: .leftThumb, user: Text("ada")))
    try virtual.command("ERROR 8")
    try reader.expect(.failed(.storageFailed))
    try reader.expectEnd()
  }
}
