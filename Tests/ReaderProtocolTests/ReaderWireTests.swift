// SPDX-License-Identifier: Apache-2.0

import ReaderProtocol
import Testing
import ThumbturnProtocol

/// The wire to the reader process: golden bytes, every truncation, every change of one byte.
@Suite struct ReaderWireTests {
  static let commands: [(ReaderCommand, [UInt8])] = [
    (.list, [1, 1]),
    (.open(driver: Text("ab"), device: Text("0")), [1, 2, 2, 0x61, 0x62, 1, 0x30]),
    (.template(index: 5, bytes: [9, 0, 255]), [1, 3, 5, 0, 0, 0, 3, 9, 0, 255]),
    (.template(index: 255, bytes: []), [1, 3, 255, 0, 0, 0, 0]),
    (.verify, [1, 4]),
    (.enroll(finger: .rightIndex, user: Text("ada")), [1, 5, 7, 3, 0x61, 0x64, 0x61]),
    (.pause, [1, 6]),
    (.close, [1, 7]),
    (.erase(index: 5), [1, 8, 5]),
    (.listStored, [1, 9]),
    (.clearStored, [1, 10]),
  ]

  static let description: ReaderDescription = {
    var description = ReaderDescription()
    description.driver = Text("d")
    description.device = Text("1")
    description.name = Text("N")
    description.scan = .swipe
    description.stages = 5
    description.identifies = true
    description.bus = 2
    description.address = 17
    return description
  }()

  static let reports: [(ReaderReport, [UInt8])] = [
    (.found(description), [1, 1, 1, 0x64, 1, 0x31, 1, 0x4E, 1, 5, 1, 0, 2, 17]),
    (.listed, [1, 2]),
    (.opened, [1, 3]),
    (.armed, [1, 4]),
    (.matched(index: 3), [1, 5, 3]),
    (.mismatched, [1, 6]),
    (.retry(.notCentred), [1, 7, 2]),
    (.resting, [1, 8]),
    (.stage(done: 2, retry: nil), [1, 9, 2, 0]),
    (.stage(done: 2, retry: .tooShort), [1, 9, 2, 1, 1]),
    (.enrolled(template: [70, 80, 51]), [1, 10, 0, 0, 0, 3, 70, 80, 51]),
    (.idle, [1, 11]),
    (.failed(.tooHot), [1, 12, 4]),
    (.erased(index: 5), [1, 13, 5]),
    (.missing(index: 5), [1, 14, 5]),
    (.stored(index: 5), [1, 15, 1, 5]),
    (.stored(index: nil), [1, 15, 0]),
    (.storedListed, [1, 16]),
    (.cleared, [1, 17]),
  ]

  @Test(arguments: commands.indices) func commandsAreFrozen(_ index: Int) throws {
    let (command, bytes) = ReaderWireTests.commands[index]
    #expect(command.packet == bytes)
    #expect(try ReaderCommand(packet: bytes.span) == command)
  }

  @Test(arguments: reports.indices) func reportsAreFrozen(_ index: Int) throws {
    let (report, bytes) = ReaderWireTests.reports[index]
    #expect(report.packet == bytes)
    #expect(try ReaderReport(packet: bytes.span) == report)
  }

  @Test func everyTruncationIsRefused() {
    for bytes in ReaderWireTests.commands.map(\.1) {
      for cut in 0..<bytes.count {
        #expect(throws: FrameError.self) { try ReaderCommand(packet: Array(bytes.prefix(cut)).span) }
      }
    }
    for bytes in ReaderWireTests.reports.map(\.1) {
      for cut in 0..<bytes.count {
        #expect(throws: FrameError.self) { try ReaderReport(packet: Array(bytes.prefix(cut)).span) }
      }
    }
  }

  @Test func everyChangedByteIsRefusedOrAnotherValidMessage() {
    for bytes in ReaderWireTests.commands.map(\.1) {
      forEachChange(of: bytes) { changed in
        if let command = try? ReaderCommand(packet: changed.span) { #expect(command.packet == changed) }
      }
    }
    for bytes in ReaderWireTests.reports.map(\.1) {
      forEachChange(of: bytes) { changed in
        if let report = try? ReaderReport(packet: changed.span) { #expect(report.packet == changed) }
      }
    }
  }

  @Test func whatFollowsAMessageIsRefused() {
    for bytes in ReaderWireTests.commands.map(\.1) {
      #expect(throws: FrameError.malformed) { try ReaderCommand(packet: (bytes + [0]).span) }
    }
    for bytes in ReaderWireTests.reports.map(\.1) {
      #expect(throws: FrameError.malformed) { try ReaderReport(packet: (bytes + [0]).span) }
    }
  }

  @Test func otherVersionsAndKindsAreTheirOwnAnswers() {
    #expect(throws: FrameError.version(2)) { try ReaderCommand(packet: ([2, 1] as [UInt8]).span) }
    #expect(throws: FrameError.unknownKind(11)) { try ReaderCommand(packet: ([1, 11] as [UInt8]).span) }
    #expect(throws: FrameError.unknownKind(0)) { try ReaderReport(packet: ([1, 0] as [UInt8]).span) }
    #expect(throws: FrameError.unknownKind(18)) { try ReaderReport(packet: ([1, 18] as [UInt8]).span) }
  }

  @Test func theLongestTemplateFits() throws {
    let longest = [UInt8](repeating: 3, count: ReaderWire.maximumTemplate)
    let command = ReaderCommand.template(index: 1, bytes: longest)
    #expect(command.packet.count <= ReaderWire.maximumPacket)
    #expect(try ReaderCommand(packet: command.packet.span) == command)
    let longer = ReaderCommand.template(index: 1, bytes: longest + [3])
    #expect(throws: FrameError.malformed) { try ReaderCommand(packet: longer.packet.span) }
  }

  private func forEachChange(of bytes: [UInt8], _ body: ([UInt8]) -> Void) {
    for index in bytes.indices {
      for value in UInt8.min...UInt8.max where value != bytes[index] {
        var changed = bytes
        changed[index] = value
        body(changed)
      }
    }
  }
}
