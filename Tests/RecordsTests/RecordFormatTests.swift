// SPDX-License-Identifier: Apache-2.0

import Testing
import ThumbturnProtocol

@testable import Records

/// A record's file: golden bytes, every truncation, every change of one byte.
@Suite struct RecordFormatTests {
  /// Version 1, byte by byte. A red test here means version 2, not another expected value.
  static let golden = join(
    [0x54, 0x54, 0x50, 0x52, 1, 0, 7, 1, 0, 0, 0x03, 0xE8],
    [0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0x65, 0x92, 0, 0x80],
    named("ada"), named("egis0570"), named("0"), named("Egis"),
    [0x1C, 0x7A, 0x05, 0x70, 1], named("S1"), named("1-4"),
    [0, 0, 0, 2, 0xFA, 0xCE], [0xBE, 0x7F, 0x09, 0xA2])

  /// The same for a reader that is not on USB.
  static let goldenVirtual = join(
    [0x54, 0x54, 0x50, 0x52, 1, 0, 7, 0, 0, 0, 0x03, 0xE8],
    [0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0x65, 0x92, 0, 0x80],
    named("ada"), named("virtual_image"), named("v"), named("Virtual"),
    [0, 0, 0, 2, 0xFA, 0xCE], [0xF8, 0xB9, 0x73, 0x75])

  private static func join(_ parts: [UInt8]...) -> [UInt8] { parts.flatMap { $0 } }

  private static func named(_ name: String) -> [UInt8] { [UInt8(name.utf8.count)] + Array(name.utf8) }

  @Test func theFormatIsFrozen() throws {
    #expect(try Sample.record().bytes == RecordFormatTests.golden)
    #expect(try PrintRecord(bytes: RecordFormatTests.golden) == Sample.record())
    #expect(try Sample.record(Sample.virtual).bytes == RecordFormatTests.goldenVirtual)
    #expect(try PrintRecord(bytes: RecordFormatTests.goldenVirtual) == Sample.record(Sample.virtual))
  }

  @Test func theChecksumIsTheKnownOne() {
    var sum = Checksum()
    sum.add("123456789".utf8)
    #expect(sum.value == 0xCBF4_3926)
  }

  @Test(arguments: [golden, goldenVirtual]) func everyTruncationIsRefused(_ bytes: [UInt8]) {
    for count in 0..<bytes.count {
      #expect(throws: RecordError.self) { try PrintRecord(bytes: Array(bytes.prefix(count))) }
    }
    #expect(throws: RecordError.damaged) { try PrintRecord(bytes: bytes + [0]) }
  }

  @Test(arguments: [golden, goldenVirtual]) func everyChangedByteIsRefused(_ bytes: [UInt8]) {
    for index in bytes.indices {
      for change in 1...UInt8.max {
        var changed = bytes
        changed[index] ^= change
        #expect(throws: RecordError.self) { try PrintRecord(bytes: changed) }
      }
    }
  }

  /// What a writer with the right checksum could still get wrong.
  @Test func aRightChecksumDoesNotExcuseWrongFields() {
    let changes: [(offset: Int, value: UInt8, error: RecordError)] = [
      (5, 1, .sealed(1)), (6, 0, .damaged), (6, 11, .damaged), (7, 2, .damaged), (7, 0, .damaged),
      (28, 0, .damaged), (28, 200, .damaged), (30, 0, .damaged), (52, 3, .damaged), (63, 1, .damaged),
      (63, 3, .damaged), (60, 0xFF, .damaged),
    ]
    for change in changes {
      var bytes = Array(RecordFormatTests.golden.dropLast(4))
      bytes[change.offset] = change.value
      #expect(throws: change.error, "offset \(change.offset)") { try PrintRecord(bytes: signed(bytes)) }
    }
  }

  @Test(arguments: [golden, goldenVirtual]) func noPartWithARightChecksumIsARecord(_ bytes: [UInt8]) {
    for cut in 0..<(bytes.count - 4) {
      #expect(throws: RecordError.self) { try PrintRecord(bytes: signed(Array(bytes.prefix(cut)))) }
    }
  }

  @Test func anEmptyUserOrTemplateIsRefused() throws {
    let name = Array(RecordFormatTests.goldenVirtual.dropLast(4))
    let nameless = Array(name[..<28]) + [0] + Array(name[32...])
    #expect(throws: RecordError.invalid) { try PrintRecord(bytes: signed(nameless)) }
    let bare = Array(name.dropLast(6)) + [0, 0, 0, 0]
    #expect(throws: RecordError.invalid) { try PrintRecord(bytes: signed(bare)) }
    #expect(throws: RecordError.invalid) { try Sample.record(template: []) }
  }

  @Test func theLargestTemplateFitsAndOneByteMoreDoesNot() throws {
    let largest = [UInt8](repeating: 0xA5, count: PrintRecord.maximumTemplate)
    let record = try Sample.record(template: largest)
    #expect(try PrintRecord(bytes: record.bytes) == record)
    #expect(record.bytes.count <= PrintRecord.maximumBytes)
    #expect(throws: RecordError.invalid) { try Sample.record(template: largest + [0]) }
    let tooLong = [UInt8](repeating: 0, count: PrintRecord.maximumBytes + 1)
    #expect(throws: RecordError.damaged) {
      try PrintRecord(bytes: Array(RecordFormatTests.golden.prefix(5)) + tooLong)
    }
  }

  @Test func anotherVersionIsItsOwnAnswer() {
    #expect(throws: RecordError.unknownVersion(2)) { try PrintRecord(bytes: [0x54, 0x54, 0x50, 0x52, 2]) }
    #expect(throws: RecordError.notARecord) { try PrintRecord(bytes: Array("FP3\u{1}...".utf8)) }
    #expect(throws: RecordError.notARecord) { try PrintRecord(bytes: []) }
  }

  /// A seal sees the header when it seals and when it opens, and both are the same.
  @Test func aSealIsBoundToTheHeader() throws {
    let bytes = try Sample.record().bytes(sealedBy: HeaderSeal())
    #expect(try PrintRecord(bytes: bytes, sealedBy: HeaderSeal()) == Sample.record())
    #expect(throws: RecordError.sealed(9)) { try PrintRecord(bytes: bytes) }
    var other = Array(bytes.dropLast(4))
    other[11] ^= 1
    #expect(throws: RecordError.sealed(9)) {
      try PrintRecord(bytes: signed(other), sealedBy: HeaderSeal())
    }
  }

  private func signed(_ bytes: [UInt8]) -> [UInt8] {
    var sum = Checksum()
    sum.add(bytes)
    return bytes + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: sum.value >> $0) }
  }
}

/// Keeps a checksum of the header beside the template.
private struct HeaderSeal: Sealing {
  let code: UInt8 = 9

  func seal(_ template: [UInt8], header: [UInt8]) -> [UInt8] {
    var sum = Checksum()
    sum.add(header)
    return template + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: sum.value >> $0) }
  }

  func open(_ sealed: [UInt8], header: [UInt8]) -> [UInt8]? {
    let template = Array(sealed.dropLast(4))
    return sealed == seal(template, header: header) ? template : nil
  }
}
