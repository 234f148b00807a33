// SPDX-License-Identifier: Apache-2.0

import Glibc
import Records
import System
import Testing
import ThumbturnProtocol

@testable import DaemonCore

/// Finding readers in a tree like the kernel's.
@Suite struct ReaderAccessTests {
  private let tree: USBTree

  init() throws {
    tree = try USBTree()
    try tree.add("usb1", bus: 1, address: 1, ids: ("1d6b", "0002"))
    try tree.add("1-4", bus: 1, address: 5, ids: ("1c7a", "0570"), serial: "S1", removable: "fixed")
    try tree.add("1-2.3", bus: 1, address: 12, ids: ("046D", "C31C"), removable: "removable")
    try tree.folder.write("list", "usb:v08FFp1600*\nusb:v1C7Ap0570*\n ID_AUTOSUSPEND=1\n")
  }

  @Test func aDeviceIsFoundByItsAddress() {
    #expect(
      tree.access.usbIdentity(bus: 1, address: 5)
        == USBIdentity(
          vendor: 0x1C7A, product: 0x0570, serial: Sample.text("S1"), port: Sample.text("0000:00:14.0/4"),
          removable: .fixed))
    #expect(
      tree.access.usbIdentity(bus: 1, address: 12)
        == USBIdentity(
          vendor: 0x046D, product: 0xC31C, serial: Text(), port: Sample.text("0000:00:14.0/2.3"),
          removable: .removable))
    #expect(tree.access.usbIdentity(bus: 2, address: 5) == nil)
    #expect(tree.access.usbIdentity(bus: 1, address: 6) == nil)
    #expect(tree.access.usbIdentity(bus: 0, address: 0) == nil)
  }

  /// Buses are numbered as their controllers are found.
  @Test func aPortIsTheSameOnAnotherBusOfTheController() throws {
    let again = try USBTree()
    try again.add("3-4", bus: 3, address: 2, ids: ("1c7a", "0570"), serial: "S1", removable: "fixed")
    #expect(again.access.usbIdentity(bus: 3, address: 2) == tree.access.usbIdentity(bus: 1, address: 5))
  }

  @Test func withoutALinkTheKernelsNameIsThePort() throws {
    tree.folder.makeFolder("sys/bus/usb/devices/1-7")
    try tree.describe("sys/bus/usb/devices/1-7", bus: 1, address: 7, ids: ("1c7a", "0570"))
    #expect(tree.access.usbIdentity(bus: 1, address: 7)?.port == Sample.text("1-7"))
  }

  @Test(arguments: [
    ("idVendor", "zzzz"), ("idProduct", "12345"), ("busnum", "300"), ("devnum", "-1"), ("devnum", ""),
    ("serial", String(repeating: "x", count: 256)), ("serial", "a\0b"),
  ])
  func aDeviceThatDescribesItselfOddlyIsNotUsed(_ attribute: String, _ value: String) throws {
    try tree.folder.write("sys/bus/usb/devices/1-4/\(attribute)", value + "\n")
    #expect(tree.access.usbIdentity(bus: 1, address: 5) == nil)
  }

  @Test func aMachineWithoutUSBHasNoDevices() throws {
    let empty = try TemporaryFolder()
    let access = ReaderAccess(sysfs: empty.path, nodes: empty.path, nodeType: S_IFREG, readerLists: [])
    #expect(access.usbIdentity(bus: 1, address: 5) == nil)
    #expect(access.candidates(enrolled: []) == [])
  }

  @Test func candidatesAreListedOrEnrolled() throws {
    #expect(tree.access.candidates(enrolled: []).map(\.address) == [5])
    let keyboard = try #require(tree.access.usbIdentity(bus: 1, address: 12))
    #expect(tree.access.candidates(enrolled: [keyboard]).map(\.address).sorted() == [5, 12])
    let elsewhere = ReaderAccess(
      sysfs: "\(tree.folder.path)/sys", nodes: tree.folder.path, nodeType: S_IFREG, readerLists: ["/none"])
    #expect(elsewhere.candidates(enrolled: []) == [])
  }

  @Test func aListIsReadAsUdevWritesIt() {
    let list = ReaderList(
      """
      # Supported by libfprint driver aes1610
      usb:v08FFp1600*
       ID_AUTOSUSPEND=1
      usb:v27C6p609c*
      usb:v27C6p60*
      usb:v27C6p60A4
      usb:vZZZZp60A4*
      pci:v27C6p60A4*

      # Known unsupported devices
      usb:v04E8p730B*
      """)
    func knows(_ vendor: UInt16, _ product: UInt16) -> Bool {
      list.contains(
        USBIdentity(vendor: vendor, product: product, serial: Text(), port: Text(), removable: .unknown))
    }
    #expect(knows(0x08FF, 0x1600))
    #expect(knows(0x27C6, 0x609C))
    #expect(!knows(0x27C6, 0x60A4))
    #expect(!knows(0x04E8, 0x730B))
    #expect(!knows(0, 0))
  }

  @Test(.enabled(if: ReaderAccess.readerLists.contains { unsafe access($0, F_OK) == 0 }, "needs libfprint"))
  func theInstalledListIsUnderstood() throws {
    let list = try #require(ReaderAccess.readerLists.lazy.compactMap(ReaderList.init(path:)).first)
    #expect(
      list.contains(
        USBIdentity(vendor: 0x1C7A, product: 0x0570, serial: Text(), port: Text(), removable: .unknown)))
  }
}
