// SPDX-License-Identifier: Apache-2.0

import Glibc
import Records
import Testing

@testable import DaemonCore

/// A tree of files like `/sys/bus/usb/devices`, with nodes that are regular files.
final class USBTree {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    folder.makeFolder("sys/bus/usb/devices")
  }

  var access: ReaderAccess {
    ReaderAccess(
      sysfs: "\(folder.path)/sys", nodes: "\(folder.path)/nodes", nodeType: S_IFREG,
      readerLists: ["\(folder.path)/none", "\(folder.path)/list"])
  }

  /// Adds a device of controller 0000:00:14.0, linked as the kernel does, and one of
  /// its interfaces.
  func add(
    _ name: String, bus: Int, address: Int, ids: (String, String), serial: String? = nil,
    removable: String? = nil
  ) throws {
    let root = "devices/pci0000:00/0000:00:14.0/usb\(bus)"
    let path = name.hasPrefix("usb") ? root : "\(root)/\(name)"
    folder.makeFolder("sys/\(path)/\(name):1.0")
    try describe("sys/\(path)", bus: bus, address: address, ids: ids, serial: serial, removable: removable)
    try folder.link("sys/bus/usb/devices/\(name)", to: "../../../\(path)")
    try folder.link("sys/bus/usb/devices/\(name):1.0", to: "../../../\(path)/\(name):1.0")
  }

  func describe(
    _ path: String, bus: Int, address: Int, ids: (String, String), serial: String? = nil,
    removable: String? = nil
  ) throws {
    let attributes = [
      "busnum": "\(bus)", "devnum": "\(address)", "idVendor": ids.0, "idProduct": ids.1, "serial": serial,
      "removable": removable,
    ]
    for (name, value) in attributes {
      if let value { try folder.write("\(path)/\(name)", value + "\n") }
    }
  }

  /// Makes the file that stands for a device's node.
  func makeNode(_ name: String, mode: mode_t = 0o664) throws {
    folder.makeFolder("nodes/\(name.prefix(3))")
    try folder.write("nodes/\(name)", "")
    try folder.setMode("nodes/\(name)", mode)
  }
}
