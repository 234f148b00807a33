// SPDX-License-Identifier: Apache-2.0

import Testing
import ThumbturnProtocol

@testable import CommandCore

struct JSONTests {
  static let strings: [(String, String)] = [
    ("", "\"\""), ("Grünspan", "\"Grünspan\""), ("a\"b\\c", #""a\"b\\c""#), ("a\nb\tc", #""a\nb\tc""#),
    ("\u{1B}[2J\u{7F}\u{9B}\u{1}", #""\u001b[2J\u007f\u009b\u0001""#), ("\r\n", #""\u000d\n""#),
    ("e\u{301}\u{1F44D}", "\"e\u{301}\u{1F44D}\""),
  ]

  @Test(arguments: strings) func escapes(_ string: String, _ text: String) {
    #expect(JSON.string(string).text == text)
  }

  @Test func nests() {
    let value = JSON.object([
      ("a", .array([.number(1), .string("x")])), ("b\"", .object([])), ("c", .array([])),
    ])
    #expect(value.text == #"{"a": [1, "x"], "b\"": {}, "c": []}"#)
  }

  @Test func aStatusHasNumbersAndArrays() {
    let report = json(ofStatus: [
      ("version", "0.1.0"), ("uptime", "12 s"), ("connections", "1"), ("patterns", "off"),
      ("damaged record", "users/a"), ("damaged record", "users/b"), ("more records", "3"),
    ])
    #expect(
      report.text == #"{"version": "0.1.0", "uptime": 12, "connections": 1, "patterns": "off", "#
        + #""more_records": "3", "configuration_problems": [], "damaged_counts": [], "#
        + #""damaged_patterns": [], "damaged_records": ["users/a", "users/b"], "#
        + #""foreign_records": [], "lockdowns": [], "locked_fingerprints": [], "locked_patterns": []}"#)
  }

  @Test func locksAreToldInWords() {
    #expect(lockWords(seconds: 0) == "until one is set anew")
    #expect(lockWords(seconds: 60) == "for 60 s")
    #expect(lockWords(seconds: 300) == "for 5 minutes")
    #expect(lockWords(seconds: 14_580) == "for 5 hours")
    #expect(lockWords(seconds: 393_660) == "for 5 days")
    #expect(lockWords(seconds: .max).hasSuffix(" days"))
  }
}
