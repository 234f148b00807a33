// SPDX-License-Identifier: Apache-2.0

import Records
import Testing
import ThumbturnProtocol

/// Which readers count as one.
@Suite struct ReaderIdentityTests {
  private typealias Change = (inout ReaderIdentity) -> Void

  /// One reader after a change, and whether it is still that reader.
  @Test func aReaderIsKnownByWhatTheKernelSays() {
    expect("nothing", same: true) { _ in }
    expect("the name", same: true) { $0.name = Sample.text("Other") }
    expect("the driver", same: false) { $0.driver = Sample.text("elan") }
    expect("the device id", same: false) { $0.device = Sample.text("1") }
    expect("the vendor", same: false) { $0.usb?.vendor = 1 }
    expect("the product", same: false) { $0.usb?.product = 1 }
    expect("the serial", same: false) { $0.usb?.serial = Sample.text("S2") }
    expect("a lost serial", same: false) { $0.usb?.serial = Text() }
    expect("the port, with a serial", same: true) { $0.usb?.port = Sample.text("1-5") }
    expect("copied numbers, plugged in from outside", same: false) { $0.usb?.removable = .removable }
    expect("firmware that no longer tells", same: true) { $0.usb?.removable = .unknown }
    expect("no longer on USB", same: false) { $0.usb = nil }
  }

  @Test func withoutASerialABuiltInReaderStaysWhereItIs() {
    let base = without(serial: .fixed)
    #expect(base.isSameReader(as: base))
    for removable in Removable.allCases {
      var moved = without(serial: removable)
      moved.usb?.port = Sample.text("1-5")
      #expect(!base.isSameReader(as: moved))
      #expect(!moved.isSameReader(as: base))
    }
  }

  @Test func withoutASerialAnOutsideReaderMayMove() {
    for removable in [Removable.removable, .unknown] {
      let base = without(serial: removable)
      var moved = base
      moved.usb?.port = Sample.text("1-5")
      #expect(base.isSameReader(as: moved))
      #expect(base.tag == moved.tag)
    }
  }

  @Test func theTagTellsReadersApart() {
    let base = Sample.reader
    let changes: [Change] = [
      { $0.driver = Sample.text("elan") }, { $0.device = Sample.text("1") }, { $0.usb?.vendor = 1 },
      { $0.usb?.product = 1 }, { $0.usb?.serial = Sample.text("S2") }, { $0.usb?.serial = Text() },
      { $0.usb = nil },
    ]
    for change in changes {
      var other = base
      change(&other)
      #expect(other.tag != base.tag)
    }
    var moved = base
    moved.usb?.port = Sample.text("1-5")
    moved.name = Sample.text("Other")
    #expect(moved.tag == base.tag)
  }

  private func expect(_ what: Comment, same: Bool, _ change: Change) {
    var other = Sample.reader
    change(&other)
    #expect(Sample.reader.isSameReader(as: other) == same, what)
    #expect(other.isSameReader(as: Sample.reader) == same, what)
  }

  private func without(serial removable: Removable) -> ReaderIdentity {
    var reader = Sample.reader
    reader.usb?.serial = Text()
    reader.usb?.removable = removable
    return reader
  }
}
