// SPDX-License-Identifier: Apache-2.0

import Glibc
import Records
import ThumbturnProtocol

@testable import DaemonCore

/// People, readers and records for these tests.
enum Sample {
  static let usb = USBIdentity(
    vendor: 0x1C7A, product: 0x0570, serial: text("S1"), port: text("1-4"), removable: .fixed)
  static let reader = ReaderIdentity(
    driver: text("egis0570"), device: text("0"), name: text("Egis"), usb: usb)
  static let other = ReaderIdentity(
    driver: text("virtual_image"), device: text("v"), name: text("Virtual"), usb: nil)
  static let ada = Account(name: text("ada"), uid: 1000, group: 1000)

  static func record(
    _ finger: Finger = .rightIndex, of account: Account = ada, on reader: ReaderIdentity = reader,
    template: [UInt8] = [0xFA, 0xCE]
  ) throws -> PrintRecord {
    try PrintRecord(
      user: account.name, uid: account.uid, finger: finger, reader: reader, created: 1_700_000_000,
      template: template)
  }

  static func text(_ string: String) -> Text { Text(string) ?? Text() }
}
