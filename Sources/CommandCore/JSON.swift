// SPDX-License-Identifier: Apache-2.0

internal import ThumbturnProtocol

/// A value as JSON (RFC 8259), on one line.
indirect enum JSON: Equatable {
  case string(String)
  case number(UInt64)
  case array([JSON])
  /// The members in this order.
  case object([(name: String, value: JSON)])

  /// Its text.
  var text: String {
    switch self {
    case .string(let string): JSON.quoted(string)
    case .number(let number): "\(number)"
    case .array(let values): "[" + values.map(\.text).joined(separator: ", ") + "]"
    case .object(let members):
      "{" + members.map { "\(JSON.quoted($0.name)): \($0.value.text)" }.joined(separator: ", ") + "}"
    }
  }

  static func == (left: JSON, right: JSON) -> Bool { left.text == right.text }

  /// A string in quotes. Control characters are escaped, also those that only a
  /// terminal obeys.
  private static func quoted(_ string: String) -> String {
    var text = "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\t": text += "\\t"
      case _ where scalar.properties.generalCategory == .control: text += escaped(scalar.value)
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }

  /// All control characters are below 256.
  private static func escaped(_ value: UInt32) -> String {
    (value < 16 ? "\\u000" : "\\u00") + String(value, radix: 16)
  }
}

extension Text {
  /// The text as it is; what is no UTF-8 becomes U+FFFD.
  var raw: String { String(decoding: (0..<count).map { self[$0] }, as: UTF8.self) }
}

/// A status report as JSON: one member for each key, blanks turned into "_". What there
/// may be several of is always an array, and what counts is a number.
func json(ofStatus lines: [(key: String, value: String)]) -> JSON {
  let several = [
    "configuration problem": "configuration_problems", "damaged record": "damaged_records",
    "foreign record": "foreign_records", "locked pattern": "locked_patterns",
    "damaged pattern": "damaged_patterns", "locked fingerprint": "locked_fingerprints",
    "damaged count": "damaged_counts", "lockdown": "lockdowns",
  ]
  let members = lines.filter { several[$0.key] == nil }.map { line in
    (name: line.key.map { $0 == " " ? "_" : "\($0)" }.joined(), value: single(line.key, line.value))
  }
  let arrays = several.sorted { $0.value < $1.value }.map { key, name in
    (name: name, value: JSON.array(lines.filter { $0.key == key }.map { .string($0.value) }))
  }
  return .object(members + arrays)
}

private func single(_ key: String, _ value: String) -> JSON {
  let number = key == "uptime" ? value.split(separator: " ").first.map(String.init) ?? value : value
  guard ["uptime", "connections", "patterns"].contains(key), let number = UInt64(number) else {
    return .string(value)
  }
  return .number(number)
}
