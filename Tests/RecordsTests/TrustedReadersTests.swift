// SPDX-License-Identifier: Apache-2.0

import Records
import Testing
import ThumbturnProtocol

/// Which readers may be used.
@Suite struct TrustedReadersTests {
  private typealias Change = (inout ReaderIdentity) -> Void
  private static let ada = TrustScope.person(Sample.text("ada"), uid: 1000)
  private static let bob = TrustScope.person(Sample.text("bob"), uid: 1001)

  private func entry(
    _ reader: ReaderIdentity, of user: String, uid: UInt32, since: UInt64 = 7
  ) -> TrustedReader {
    TrustedReader(user: Sample.text(user), uid: uid, since: since, reader: reader)
  }

  private func trusted(_ entries: TrustedReader...) -> TrustedReaders {
    var trusted = TrustedReaders()
    for entry in entries { #expect(trusted.add(entry) == true) }
    return trusted
  }

  private func changed(_ change: Change) -> ReaderIdentity {
    var reader = Sample.reader
    change(&reader)
    return reader
  }

  private func doubt(
    _ reader: ReaderIdentity, chip: Bool, prints: [ReaderIdentity],
    _ trusted: TrustedReaders = TrustedReaders()
  ) -> ReaderDoubt? {
    trusted.doubt(about: reader, matchesOnChip: chip, prints: prints, of: TrustedReadersTests.ada)
  }

  @Test(arguments: [false, true]) func aBuiltInReaderIsKnownByItsPrints(_ chip: Bool) {
    #expect(doubt(Sample.reader, chip: chip, prints: []) == .new)
    #expect(doubt(Sample.reader, chip: chip, prints: [Sample.reader]) == nil)
  }

  @Test(arguments: [false, true]) func itsNumbersElsewhereAreNot(_ chip: Bool) {
    for removable in Removable.allCases {
      let moved = changed {
        $0.usb?.port = Sample.text("1-5")
        $0.usb?.removable = removable
      }
      let expected: ReaderDoubt = chip && removable != .fixed ? .exchangeable : .moved
      #expect(doubt(moved, chip: chip, prints: [Sample.reader]) == expected)
    }
    // At its own port nothing but itself can be built in.
    let unplugged = changed { $0.usb?.removable = .removable }
    #expect(doubt(unplugged, chip: false, prints: [Sample.reader]) == .moved)
  }

  @Test(arguments: [Removable.removable, .unknown])
  func aChipThatCanBeExchangedTakesAWord(_ removable: Removable) {
    let outside = changed { $0.usb?.removable = removable }
    #expect(doubt(outside, chip: true, prints: [outside]) == .exchangeable)
    #expect(doubt(outside, chip: false, prints: [outside]) == nil)
    #expect(doubt(outside, chip: true, prints: [], trusted(entry(outside, of: "ada", uid: 1000))) == nil)
    #expect(doubt(outside, chip: true, prints: [], trusted(entry(outside, of: "", uid: 0))) == nil)
  }

  @Test func nobodyVouchesForSomebodyElse() {
    let outside = changed { $0.usb?.removable = .removable }
    for (user, uid) in [("bob", 1001), ("ada", 1001), ("bob", 1000), ("", 1000)] as [(String, UInt32)] {
      let known = trusted(entry(outside, of: user, uid: uid))
      #expect(doubt(outside, chip: true, prints: [outside], known) == .exchangeable)
    }
    let known = trusted(entry(outside, of: "bob", uid: 1001))
    #expect(known.doubt(about: outside, matchesOnChip: true, prints: [], of: .anybody) == nil)
    #expect(known.doubt(about: outside, matchesOnChip: true, prints: [], of: TrustedReadersTests.bob) == nil)
  }

  @Test func aWordCountsForOnePlace() {
    let outside = changed { $0.usb?.removable = .removable }
    let known = trusted(entry(outside, of: "ada", uid: 1000))
    for change in [
      { $0.usb?.port = Sample.text("1-5") }, { $0.usb?.serial = Sample.text("S2") }, { $0.usb?.vendor = 1 },
      {
        $0.usb?.removable = .fixed
        $0.usb?.port = Sample.text("1-6")
      },
    ] as [Change] {
      var other = outside
      change(&other)
      #expect(doubt(other, chip: false, prints: [outside], known) != nil)
    }
  }

  @Test func printsFollowAReaderThatWasMovedWithAWord() {
    let moved = changed { $0.usb?.port = Sample.text("1-5") }
    let known = trusted(entry(moved, of: "ada", uid: 1000))
    var bare = Sample.reader
    bare.usb?.serial = Text()
    var bareMoved = bare
    bareMoved.usb?.port = Sample.text("1-5")
    #expect(known.fits(Sample.reader, on: moved, of: TrustedReadersTests.ada))
    #expect(!TrustedReaders().fits(bare, on: bareMoved, of: TrustedReadersTests.ada))
    #expect(
      trusted(entry(bareMoved, of: "ada", uid: 1000)).fits(bare, on: bareMoved, of: TrustedReadersTests.ada))
    let strangers = [
      changed { $0.usb?.serial = Sample.text("S2") }, changed { $0.driver = Sample.text("elan") },
      Sample.virtual,
    ]
    for stranger in strangers { #expect(!known.fits(stranger, on: moved, of: TrustedReadersTests.ada)) }
  }

  @Test func readersThatAreNotOnUSBNeedNoWord() {
    #expect(doubt(Sample.virtual, chip: true, prints: []) == nil)
    #expect(TrustedReaders().fits(Sample.virtual, on: Sample.virtual, of: TrustedReadersTests.ada))
  }

  @Test func aPersonHasEightAndTheOldestMakesRoom() {
    var known = TrustedReaders()
    for port in 0..<20 {
      let reader = changed { $0.usb?.port = Sample.text("1-\(port)") }
      #expect(known.add(entry(reader, of: "ada", uid: 1000)) == true)
    }
    #expect(known.add(entry(Sample.reader, of: "bob", uid: 1001)) == true)
    #expect(known.entries.count == 9)
    #expect(known.names(changed { $0.usb?.port = Sample.text("1-19") }, of: TrustedReadersTests.ada))
    #expect(!known.names(changed { $0.usb?.port = Sample.text("1-11") }, of: TrustedReadersTests.ada))
    // The same place again changes its time only.
    #expect(known.add(entry(Sample.reader, of: "bob", uid: 1001, since: 9)) == true)
    #expect(known.entries.count == 9 && known.entries.last?.since == 9)
  }

  @Test func thereIsAnEndToThem() {
    var known = TrustedReaders()
    for uid in 0..<UInt32(TrustedReaders.most) {
      #expect(known.add(entry(Sample.reader, of: "p\(uid)", uid: uid)) == true)
    }
    #expect(known.add(entry(Sample.reader, of: "one", uid: 5000)) == false)
    known.keep { $0.uid < 3 }
    #expect(known.entries.count == 3)
  }

  @Test func theFileIsRead() throws {
    let known = trusted(
      entry(Sample.reader, of: "ada", uid: 1000), entry(Sample.virtual, of: "", uid: 0, since: .max))
    #expect(try TrustedReaders(bytes: known.bytes) == known)
    #expect(try TrustedReaders(bytes: TrustedReaders().bytes) == TrustedReaders())
    let start: [UInt8] = [
      0x54, 0x54, 0x52, 0x54, 1, 0, 1, 0, 0, 3, 0xE8, 0, 0, 0, 0, 0, 0, 0, 7, 3, 0x61, 0x64, 0x61, 8,
    ]
    #expect(trusted(entry(Sample.reader, of: "ada", uid: 1000)).bytes.starts(with: start))
  }

  @Test func aFileThatIsNotWholeIsNone() {
    let known = trusted(entry(Sample.reader, of: "ada", uid: 1000), entry(Sample.virtual, of: "", uid: 0))
    let bytes = known.bytes
    for count in bytes.indices {
      #expect(throws: RecordError.self) { try TrustedReaders(bytes: Array(bytes.prefix(count))) }
    }
    #expect(throws: RecordError.self) { try TrustedReaders(bytes: bytes + [0]) }
    var many = bytes
    (many[5], many[6]) = (0xFF, 0xFF)
    #expect(throws: RecordError.self) { try TrustedReaders(bytes: many) }
  }
}
