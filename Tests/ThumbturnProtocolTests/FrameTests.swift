// SPDX-License-Identifier: Apache-2.0

import Testing
import ThumbturnProtocol

/// The wire: golden bytes, every truncation, every change of one byte.
@Suite struct FrameTests {
  @Test(arguments: Golden.client.indices) func clientFramesAreFrozen(_ index: Int) throws {
    let (message, bytes) = Golden.client[index]
    #expect(message.frame.bytes == bytes)
    #expect(try ClientMessage(frame: bytes.span) == message)
  }

  @Test(arguments: Golden.server.indices) func serverFramesAreFrozen(_ index: Int) throws {
    let (event, bytes) = Golden.server[index]
    #expect(event.frame.bytes == bytes)
    #expect(try ServerEvent(frame: bytes.span) == event)
  }

  @Test func everyKindHasAGoldenFrame() {
    for kind in ClientMessage.Kind.allCases { #expect(Golden.client.contains { $0.0.kind == kind }) }
    for kind in ServerEvent.Kind.allCases { #expect(Golden.server.contains { $0.0.kind == kind }) }
  }

  @Test func everyTruncationIsRefused() {
    for bytes in Golden.client.map(\.1) {
      for cut in 0..<bytes.count {
        #expect(throws: FrameError.self) { try ClientMessage(frame: Array(bytes.prefix(cut)).span) }
      }
    }
    for bytes in Golden.server.map(\.1) {
      for cut in 0..<bytes.count {
        #expect(throws: FrameError.self) { try ServerEvent(frame: Array(bytes.prefix(cut)).span) }
      }
    }
  }

  @Test func everyChangedByteIsRefusedOrAnotherValidMessage() {
    for bytes in Golden.client.map(\.1) {
      forEachChange(of: bytes) { changed in
        if let message = try? ClientMessage(frame: changed.span) { #expect(message.frame.bytes == changed) }
      }
    }
    for bytes in Golden.server.map(\.1) {
      forEachChange(of: bytes) { changed in
        if let event = try? ServerEvent(frame: changed.span) { #expect(event.frame.bytes == changed) }
      }
    }
  }

  @Test func whatFollowsAFrameIsRefused() {
    for bytes in Golden.client.map(\.1) {
      #expect(throws: FrameError.malformed) { try ClientMessage(frame: (bytes + [0]).span) }
    }
  }

  @Test func anotherVersionIsItsOwnAnswer() {
    for bytes in [[0x54, 0x54, 9, 1], [0x54, 0x54, 9, 200, 1, 2, 3]] as [[UInt8]] {
      #expect(throws: FrameError.version(9)) { try ServerEvent(frame: bytes.span) }
    }
    #expect(throws: FrameError.notOurs) { try ServerEvent(frame: [0x47, 0x45, 0x54, 0x20].span) }
    #expect(throws: FrameError.unknownKind(99)) { try ServerEvent(frame: Golden.frame(99, []).span) }
  }

  @Test func secretsTravelWholeAndAreBounded() throws {
    let longest = [UInt8](repeating: 0x61, count: Wire.maximumSecret)
    let bytes = Frame(proof: longest.span).bytes
    guard case .proof(let range) = try ClientMessage(frame: bytes.span) else {
      Issue.record("not a proof")
      return
    }
    #expect(Array(bytes[range.offset..<(range.offset + range.count)]) == longest)
    #expect(Frame(proof: (longest + [0x61]).span).count == 0)
  }

  @Test func aFrameThatOverflowsHasNoBytes() {
    var frame = Frame(kind: 1)
    for _ in 0..<Wire.maximumBody { frame.append(7) }
    #expect(frame.count == Wire.maximumFrame)
    frame.append(7)
    #expect(frame.count == 0)
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
