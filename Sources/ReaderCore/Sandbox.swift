// SPDX-License-Identifier: Apache-2.0

internal import CSandbox
internal import CSystem
internal import System

/// What a driver of libfprint needs of the file system, and nothing else.
///
/// The reader process parses what any USB device sends. Of files it reads its libraries,
/// their configuration and what udev and the kernel say of devices; it writes to device nodes
/// only, where file permissions and the daemon's ACL still decide.
enum Sandbox {
  private static let readable = [
    "/usr", "/lib", "/lib64", "/lib32", "/libx32", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d",
    "/etc/localtime", "/etc/udev", "/sys", "/run/udev",
    "/proc/self", "/dev/bus", "/dev/urandom",
  ]
  private static let devices = ["/dev/null", "/dev/bus/usb"]
  /// Readers on SPI have a node of each of these kinds, numbered by the kernel.
  private static let numbered = ["/dev/spidev", "/dev/hidraw"]

  /// Gives everything else up for ever, as far as the kernel knows how to.
  ///
  /// Takes the calling thread and its future threads, so it comes before the first.
  ///
  /// - Parameter folders: where files and sockets may be made; only virtual and recorded readers need it.
  static func enter(folders: [String]) throws(SystemError) {
    var rules = readable.map { ($0, csandbox_read) } + devices.map { ($0, csandbox_device) }
    for prefix in numbered { rules += nodes(prefix).map { ($0, csandbox_device) } }
    rules += folders.map { ($0, csandbox_folder) }
    let list = CRules(rules)
    // SAFETY: as many rules as are named; they live until the call returns.
    try check("seccomp") { csandbox_stay_alone() }
    try check("landlock") { unsafe csandbox_enter(list.list, Int32(clamping: list.count)) }
  }

  /// The nodes of a kind that exist, looked for by number: listing /dev would cost more.
  private static func nodes(_ prefix: String) -> [String] {
    let names =
      prefix == "/dev/spidev"
      ? (0..<4).flatMap { bus in (0..<4).map { "\(bus).\($0)" } } : (0..<16).map(String.init)
    return names.map { prefix + $0 }
  }
}

/// The rules for one call of C.
@safe private final class CRules {
  let list: UnsafeMutablePointer<csandbox_rule>
  private(set) var count = 0

  init(_ rules: [(path: String, access: csandbox_access)]) {
    unsafe list = .allocate(capacity: max(rules.count, 1))
    for rule in rules {
      // SAFETY: within what was allocated; each copy is freed in deinit.
      guard let path = unsafe strdup(rule.path) else { continue }
      unsafe (list + count).initialize(to: csandbox_rule(path: path, access: rule.access))
      count += 1
    }
  }

  deinit {
    // SAFETY: as made above, each once.
    for index in 0..<count { unsafe free(UnsafeMutablePointer(mutating: list[index].path)) }
    unsafe list.deallocate()
  }
}
