// SPDX-License-Identifier: Apache-2.0

internal import CSystem
internal import Glibc
internal import System

/// Where facts about presence come from. Only tests have others than the machine's.
struct PresenceSources: Equatable {
  /// The socket of the bus that the session manager is on.
  var bus = "/run/dbus/system_bus_socket"
  /// The folder where processes are shown.
  var processes = "/proc"
  /// The folder where devices are shown.
  var devices = "/sys"
  /// Whether nobody is judged and all are taken to sit in front of the machine, who name
  /// no other.
  var everybodySits = false

  /// A small text file below a folder of the kernel's; `nil` when there is none. `below`
  /// is ``processes`` or ``devices``.
  static func text(_ name: String, below folder: String) -> String? {
    // SAFETY: the path is passed as a NUL-terminated copy.
    let raw = unsafe csystem_open("\(folder)/\(name)", O_RDONLY | O_NONBLOCK, 0)
    guard let file = try? OwnedDescriptor(adopting: raw, from: "open"),
      let bytes = FileBytes.read(file.number, limit: 65_536)
    else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}
