// SPDX-License-Identifier: Apache-2.0

internal import CSystem
internal import Glibc

/// The kernel's audit system, while a daemon keeps its records.
///
/// Without one the kernel would print each record to the console.
struct AuditTrail: Sendable {
  /// What auditd(8) says that it runs by.
  static let standardMark = "/run/auditd.pid"

  /// What a record is about (`linux/audit.h`).
  enum Kind: CInt {
    /// Somebody was recognised, or not (`AUDIT_USER_AUTH`).
    case authentication = 1100
    /// What somebody is recognised by was changed (`AUDIT_USER_CHAUTHTOK`).
    case credentials = 1108
  }

  private let mark: String

  init(mark: String = standardMark) { self.mark = mark }

  /// Whether records are kept.
  var isKept: Bool {
    // SAFETY: the path is passed as a NUL-terminated copy.
    unsafe access(mark, F_OK) == 0
  }

  /// Writes `op=thumbturn:verify acct="ada" exe="…" hostname=? addr=? terminal=pts/3 res=success`;
  /// `false` when the kernel did not take it.
  func write(_ kind: Kind, operation: String, account: String, terminal: String, success: Bool) -> Bool {
    let text = """
      op=thumbturn:\(operation) acct=\(AuditTrail.quoted(account)) exe="\(AuditTrail.program)" hostname=? addr=? \
      terminal=\(terminal.isEmpty ? "?" : AuditTrail.quoted(terminal)) res=\(success ? "success" : "failed")
      """
    // SAFETY: the text is passed as a NUL-terminated copy.
    return unsafe csystem_audit(kind.rawValue, text) == 0
  }

  /// As auditd's readers expect what others chose: in quotes, or as hexadecimal digits
  /// where it holds a blank, a quote or anything beyond ASCII (audit_encode_value(3)).
  static func quoted(_ value: String) -> String {
    let isPlain = value.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 }
    if isPlain { return "\"\(value)\"" }
    let digits = Array("0123456789ABCDEF".utf8)
    let bytes = value.utf8.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// This program's file.
  private static let program: String = {
    var path = [UInt8](repeating: 0, count: 4096)
    let count = unsafe path.withUnsafeMutableBytes { buffer in
      // SAFETY: as many bytes as are named; the link's text is not ended by a NUL.
      unsafe buffer.baseAddress.map { unsafe readlink("/proc/self/exe", $0, buffer.count) } ?? 0
    }
    return String(decoding: path.prefix(max(count, 0)), as: UTF8.self)
  }()
}
