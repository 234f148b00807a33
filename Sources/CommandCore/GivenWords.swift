// SPDX-License-Identifier: Apache-2.0

internal import ThumbturnProtocol

/// A command line sorted into options and the rest. Options may stand anywhere;
/// behind `--` nothing is an option.
struct GivenWords {
  private(set) var values: [OptionName: String] = [:]
  private(set) var operands: [String] = []

  init(_ words: [String]) throws(UsageError) {
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--" {
        operands += rest
        return
      }
      if word == "-h" {
        values[.help] = ""
      } else if word.hasPrefix("-"), word != "-" {
        try take(option: word, rest: &rest)
      } else {
        operands.append(word)
      }
    }
  }

  private mutating func take(option word: String, rest: inout ArraySlice<String>) throws(UsageError) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let spelled = String(parts[0])
    guard let name = OptionName.allCases.first(where: { "--\($0.rawValue)" == spelled }) else {
      throw UsageError(
        "there is no option \"\(spelled)\"",
        hint: suggestion(for: spelled, among: OptionName.allCases.map { "--\($0.rawValue)" }))
    }
    guard values[name] == nil else { throw UsageError("\(spelled) stands there twice") }
    values[name] = try value(of: name, attached: parts.count > 1 ? String(parts[1]) : nil, rest: &rest)
  }

  private func value(
    of name: OptionName, attached: String?, rest: inout ArraySlice<String>
  ) throws(UsageError) -> String {
    guard name.value != nil else {
      guard attached == nil else { throw UsageError("--\(name.rawValue) takes no value") }
      return ""
    }
    guard let value = attached ?? rest.popFirst() else {
      throw UsageError("--\(name.rawValue) needs a value", hint: "write \(name.usage)")
    }
    return value
  }

  /// Refuses options that mean nothing to this command.
  func refuseStrangers(to command: CommandName) throws(UsageError) {
    let allowed = command.options + OptionName.common
    for name in OptionName.allCases where values[name] != nil && !allowed.contains(name) {
      throw UsageError("\(command.rawValue) takes no --\(name.rawValue)", hint: usage(of: command))
    }
  }
}

/// The nearest of `candidates` where one is near enough to be meant, else all of them.
func suggestion(for word: String, among candidates: [String]) -> String {
  let ranked = candidates.map { ($0, distance(Array(word.utf8), Array($0.utf8))) }.min { $0.1 < $1.1 }
  if let ranked, ranked.1 <= 2 { return "did you mean \(ranked.0)?" }
  return "there are: " + candidates.joined(separator: ", ")
}

/// The least number of bytes to insert, delete or replace (Levenshtein's distance).
func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
  var row = Array(0...right.count)
  for (index, byte) in left.enumerated() {
    var diagonal = row[0]
    row[0] = index + 1
    for (column, other) in right.enumerated() {
      let replaced = diagonal + (byte == other ? 0 : 1)
      diagonal = row[column + 1]
      row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
    }
  }
  return row[right.count]
}

extension Finger {
  /// Takes a finger by its name, `right-index`.
  init?(named name: String) {
    guard let finger = Finger.allCases.first(where: { "\($0.name)" == name }) else { return nil }
    self = finger
  }
}
