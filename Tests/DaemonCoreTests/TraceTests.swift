// SPDX-License-Identifier: Apache-2.0

import System
import Testing

@testable import DaemonCore

@Suite struct TraceTests {
  @Test func aRecordIsALineForEachField() {
    var record = JournalRecord(priority: 6, line: "verify granted")
    record.add("THUMBTURN_USER", "ada")
    record.add("THUMBTURN_TERMINAL", "")
    let text = String(decoding: record.bytes, as: UTF8.self)
    #expect(
      text == """
        PRIORITY=6
        SYSLOG_FACILITY=10
        SYSLOG_IDENTIFIER=thumbturnd
        MESSAGE=verify granted
        THUMBTURN_USER=ada

        """)
  }

  @Test(arguments: ["a\nPRIORITY=0", "a\u{0}b", "a\u{1B}[2J", "a\u{85}b"])
  func noValueBecomesAnotherField(_ value: String) {
    var record = JournalRecord(priority: 6, line: value)
    record.add("THUMBTURN_USER", value)
    let lines = record.bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    #expect(lines.count == 6)
    #expect(!record.bytes.contains { $0 < 0x0A || (0x0B..<0x20).contains($0) })
  }

  @Test func nobodyAtTheSocketTakesNothing() throws {
    let folder = try TemporaryFolder()
    #expect(!Journal(path: "\(folder.path)/socket").take(JournalRecord(priority: 6, line: "x")))
    #expect(!Journal(path: "").take(JournalRecord(priority: 6, line: "x")))
  }

  @Test(arguments: [
    ("ada", "\"ada\""), ("a b", "612062"), ("a\"b", "612262"), ("ä", "C3A4"), ("", "\"\""),
    ("a\nb", "610A62"),
  ])
  func whatOthersChoseCannotPassForAnotherField(_ value: String, _ expected: String) {
    #expect(AuditTrail.quoted(value) == expected)
  }

  @Test func withoutAuditdNothingIsKept() throws {
    let folder = try TemporaryFolder()
    #expect(!AuditTrail(mark: "\(folder.path)/auditd.pid").isKept)
  }
}
