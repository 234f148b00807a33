// SPDX-License-Identifier: Apache-2.0

internal import CSystem

/// One record of systemd's journal: a readable line, and the same as fields.
///
/// The names of fields are those of systemd.journal-fields(7); our own begin with
/// `THUMBTURN_`. No value has a line feed, so each is a line `NAME=value`
/// (systemd's documentation, "Native Journal Protocol").
struct JournalRecord: Equatable {
  /// What `journalctl MESSAGE_ID=` finds all ends of requests by.
  static let requestEnded = "6c5f2b8e0f3d4a8f9f4f6a1f0d7c3b52"

  /// The bytes to send.
  private(set) var bytes: [UInt8] = []

  /// A record with its line for people.
  init(priority: CInt, line: String) {
    add("PRIORITY", String(priority))
    // authpriv, of syslog(3).
    add("SYSLOG_FACILITY", String(LOG_AUTHPRIV >> 3))
    add("SYSLOG_IDENTIFIER", "thumbturnd")
    add("MESSAGE", line)
  }

  /// Adds a field; nothing when there is nothing to say.
  mutating func add(_ name: StaticString, _ value: String) {
    if value.isEmpty { return }
    bytes += name.description.utf8
    bytes.append(0x3D)
    bytes += value.withoutControls.utf8
    bytes.append(0x0A)
  }
}

/// systemd's journal, where it runs.
struct Journal: Sendable {
  /// Where it listens.
  static let standardPath = "/run/systemd/journal/socket"

  private let path: String

  init(path: String = standardPath) { self.path = path }

  /// Hands a record over; `false` when nobody takes it.
  func take(_ record: JournalRecord) -> Bool {
    // SAFETY: the path is passed as a NUL-terminated copy, the bytes live through the call.
    unsafe csystem_send_datagram(path, record.bytes, record.bytes.count) == 0
  }
}
