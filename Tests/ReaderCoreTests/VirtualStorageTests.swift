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
    try reader.expect(.failed(.keptByReader))
    try reader.expectEnd()
  }

  @Test func aFullReaderStoresNothing() throws {
    let (reader, _) = try enrolled()
    try reader.send(.enroll(finger: .leftThumb, user: Text("ada")))
    try virtual.command("ERROR 8")
    try reader.expect(.failed(.readerFull))
    try reader.expectEnd()
  }

  /// Gives templates the indexes from 10 on.
  private func give(_ templates: [[UInt8]], to reader: RunningReader) throws {
    for (place, template) in templates.enumerated() {
      try reader.send(.template(index: UInt8(10 + place), bytes: template))
    }
  }

  @Test func whatIsErasedIsGoneForTheReader() throws {
    let (reader, templates) = try enrolled("one", "two")
    try give(templates, to: reader)
    try reader.send(.listStored)
    let listed = try [reader.next(), reader.next()]
    #expect(listed.contains(.stored(index: 10)) && listed.contains(.stored(index: 11)))
    try reader.expect(.storedListed)
    try reader.send(.erase(index: 10))
    try reader.expect(.erased(index: 10))
    try reader.send(.listStored)
    try reader.expect(.stored(index: 11), .storedListed)
    try reader.send(.erase(index: 10))
    try reader.expect(.missing(index: 10))
    // Erased means that the finger can be enrolled again.
    let again = try reader.enroll(stages: 5) { try virtual.command("SCAN one") }
    #expect(!again.isEmpty)
  }

  @Test func aPrintThatNobodyHasATemplateOf() throws {
    let (reader, _) = try enrolled("one")
    try reader.send(.listStored)
    try reader.expect(.stored(index: nil), .storedListed)
  }

  @Test func aReaderThatWasEmptiedKnowsNothing() throws {
    let (reader, templates) = try enrolled("one")
    try reader.send(.close)
    try reader.expectEnd()
    let emptied = try virtual.start()
    _ = try emptied.openOnly()
    try give(templates, to: emptied)
    try emptied.send(.listStored)
    try emptied.expect(.storedListed)
    try emptied.send(.erase(index: 10))
    try emptied.expect(.missing(index: 10))
  }

  @Test func aReaderThatCannotEraseNow() throws {
    let (reader, templates) = try enrolled("one")
    try give(templates, to: reader)
    try virtual.command("ERROR 4")
    try reader.send(.erase(index: 10))
    try reader.expect(.failed(.busy))
    try reader.expectEnd()
  }

  /// What the reader keeps bears neither name nor finger when no name is given.
  @Test func printsWithoutAName() throws {
    let reader = try virtual.start()
    let stages = Int(try reader.openOnly().stages)
    try reader.send(.enroll(finger: .rightIndex, user: Text()))
    for stage in 1...stages {
      try virtual.command("SCAN one")
      try reader.expect(.stage(done: UInt8(stage), retry: nil))
    }
    guard case .enrolled(let bare) = try reader.next() else { throw ReaderTestError("not enrolled") }
    let named = try reader.enroll(stages: stages) { try virtual.command("SCAN two") }
    #expect(named.contains(name: "ada"))
    #expect(!bare.contains(name: "ada"))
  }
}

extension [UInt8] {
  fileprivate func contains(name: String) -> Bool {
    let name = Array(name.utf8)
    return indices.contains { self[$0...].starts(with: name) }
  }
}
