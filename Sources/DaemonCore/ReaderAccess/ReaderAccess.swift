// SPDX-License-Identifier: Apache-2.0

internal import CSystem
internal import Glibc
public import Records
public import System

/// A USB device that may be a reader.
public struct USBNode: Equatable, Sendable {
  /// The bus it is on (`busnum`).
  public let bus: UInt8
  /// Its address there (`devnum`), another one each time it is plugged in.
  public let address: UInt8
  /// What the kernel says of it.
  public let identity: USBIdentity
}

/// Which USB devices the reader process may open.
///
/// Device nodes are root's. One claim's reader process gets an entry for its uid
/// in the node's access control list, and loses it afterwards. Debian 12's hwdb
/// names no libfprint driver that a udev rule could hang on, so the daemon does it.
public struct ReaderAccess: Sendable {
  /// Where libfprint's list of its readers lies; the first that exists counts.
  public static let readerLists = [
    "/usr/lib/udev/hwdb.d/60-autosuspend-libfprint-2.hwdb",
    "/lib/udev/hwdb.d/60-autosuspend-libfprint-2.hwdb",
  ]

  private let bus: USBBus
  private let nodes: String
  private let nodeType: mode_t
  private let readers: ReaderList

  /// Uses the machine's devices.
  public init() {
    self.init(
      sysfs: "/sys", nodes: "/dev/bus/usb", nodeType: S_IFCHR, readerLists: ReaderAccess.readerLists)
  }

  /// Uses other trees; `nodeType` is what the files below `nodes` must be.
  init(sysfs: String, nodes: String, nodeType: mode_t, readerLists: [String]) {
    bus = USBBus(folder: "\(sysfs)/bus/usb/devices")
    self.nodes = nodes
    self.nodeType = nodeType
    readers = readerLists.lazy.compactMap(ReaderList.init(path:)).first ?? ReaderList("")
  }

  /// What the kernel says of the device with this address; `nil` when there is none.
  public func usbIdentity(bus number: UInt8, address: UInt8) -> USBIdentity? {
    bus.devices().first { $0.bus == number && $0.address == address }?.identity
  }

  /// The devices that libfprint lists as readers or that something was enrolled on.
  public func candidates(enrolled: [USBIdentity]) -> [USBNode] {
    bus.devices().filter { device in
      readers.contains(device.identity) || enrolled.contains { $0.isSameDevice(as: device.identity) }
    }
  }

  /// Lets `uid` open a device for reading and writing.
  public func grant(_ node: USBNode, to uid: UInt32) throws(SystemError) {
    let path = try path(of: node)
    var list = try AccessList(path)
    try list.allow(uid)
    try list.apply(path)
  }

  /// Takes back what ``grant(_:to:)`` gave; a device that is gone is no error.
  public func revoke(_ node: USBNode, from uid: UInt32) throws(SystemError) {
    do throws(SystemError) {
      let path = try path(of: node)
      var list = try AccessList(path)
      guard try list.remove(uid) else { return }
      try list.apply(path)
    } catch {
      guard error.code == ENOENT else { throw error }
    }
  }

  /// `/dev/bus/usb/001/004`, if a device node stands there.
  private func path(of node: USBNode) throws(SystemError) -> String {
    let path = "\(nodes)/\(threeDigits(node.bus))/\(threeDigits(node.address))"
    var status = stat()
    // SAFETY: the path is passed as a NUL-terminated copy, the structure is ours.
    try check("lstat") { unsafe lstat(path, &status) }
    guard status.st_mode & S_IFMT == nodeType else { throw SystemError("lstat", code: ENODEV) }
    return path
  }
}

private func threeDigits(_ number: UInt8) -> String {
  let digits = String(number)
  return String(repeating: "0", count: 3 - digits.count) + digits
}
