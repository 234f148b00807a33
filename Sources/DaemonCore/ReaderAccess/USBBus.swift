// SPDX-License-Identifier: Apache-2.0

internal import CSystem
internal import Glibc
internal import Records
internal import System
internal import ThumbturnProtocol

/// The USB devices as the kernel lists them in `/sys/bus/usb/devices`
/// (Documentation/ABI/stable/sysfs-bus-usb and testing/sysfs-bus-usb).
struct USBBus {
  let folder: String

  /// All devices; one whose description is incomplete is left out.
  func devices() -> [USBNode] {
    let names = (try? FolderNames.list(path: folder)) ?? []
    // A name with a colon is an interface of a device.
    return names.filter { !$0.contains(":") }.compactMap(device)
  }

  private func device(_ name: String) -> USBNode? {
    guard let bus = attribute("busnum", of: name).flatMap({ UInt8($0) }),
      let address = attribute("devnum", of: name).flatMap({ UInt8($0) }),
      let vendor = attribute("idVendor", of: name).flatMap({ UInt16($0, radix: 16) }),
      let product = attribute("idProduct", of: name).flatMap({ UInt16($0, radix: 16) }),
      let serial = Text(attribute("serial", of: name) ?? ""), let port = Text(port(of: name))
    else { return nil }
    let identity = USBIdentity(
      vendor: vendor, product: product, serial: serial, port: port, removable: removable(name))
    return USBNode(bus: bus, address: address, identity: identity)
  }

  private func removable(_ name: String) -> Removable {
    switch attribute("removable", of: name) {
    case "fixed": .fixed
    case "removable": .removable
    default: .unknown
    }
  }

  /// Where a device is plugged in: its controller and the ports from there on,
  /// `0000:00:14.0/4.1`.
  ///
  /// The kernel's name, `1-4.1`, starts with the number of the bus, which depends
  /// on which controller was found first and so may differ after a start. The name
  /// is used where the link does not tell the controller.
  private func port(of name: String) -> String {
    let parts = target(of: name).split(separator: "/")
    guard let root = parts.firstIndex(where: { $0.hasPrefix("usb") && UInt8($0.dropFirst(3)) != nil }),
      root > 0, parts.last.map(String.init) == name, let dash = name.firstIndex(of: "-")
    else { return name }
    return "\(parts[root - 1])/\(name[name.index(after: dash)...])"
  }

  /// The path that the link `name` holds; empty for one that is no link.
  private func target(of name: String) -> String {
    var characters = [CChar](repeating: 0, count: Int(PATH_MAX))
    // SAFETY: the call fills at most the array; the path is passed as a NUL-terminated copy.
    let count = unsafe readlink("\(folder)/\(name)", &characters, characters.count)
    return String(decoding: characters.prefix(max(count, 0)).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// The text of an attribute without the line's end; `nil` when there is none.
  private func attribute(_ attribute: String, of name: String) -> String? {
    // SAFETY: the path is passed as a NUL-terminated copy.
    let raw = unsafe csystem_open("\(folder)/\(name)/\(attribute)", O_RDONLY, 0)
    guard let file = try? OwnedDescriptor(adopting: raw, from: "open"),
      var bytes = FileBytes.read(file.number, limit: 4096)
    else { return nil }
    if bytes.last == 0x0A { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension Text {
  /// Takes a string; `nil` when it does not fit or holds a NUL.
  init?(_ string: String) {
    self.init(Array(string.utf8).span)
  }
}
