// SPDX-License-Identifier: Apache-2.0

import Records
import ThumbturnProtocol

/// Readers and records for these tests.
enum Sample {
  static let usb = USBIdentity(
    vendor: 0x1C7A, product: 0x0570, serial: text("S1"), port: text("1-4"), removable: .fixed)

  static let reader = ReaderIdentity(
    driver: text("egis0570"), device: text("0"), name: text("Egis"), usb: usb)

  static let virtual = ReaderIdentity(
    driver: text("virtual_image"), device: text("v"), name: text("Virtual"), usb: nil)

  static func record(_ reader: ReaderIdentity = reader, template: [UInt8] = [0xFA, 0xCE]) throws
    -> PrintRecord
  {
    try PrintRecord(
      user: text("ada"), uid: 1000, finger: .rightIndex, reader: reader, generation: 3,
      created: 0x6592_0080, template: template)
  }

  static func text(_ string: String) -> Text {
    var text = Text()
    for byte in string.utf8 { _ = text.append(byte) }
    return text
  }
}
