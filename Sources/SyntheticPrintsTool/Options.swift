// SPDX-License-Identifier: Apache-2.0

/// The words after the subcommand, as pairs of `--name value`.
///
/// Each value is taken once; `finish()` then refuses whatever no one asked for.
struct Options: ~Copyable {
  private var values: [String: String] = [:]

  /// - Throws: `.usage` for a word that is no option, a missing value or an option given twice.
  init(_ words: ArraySlice<String>) throws(ToolError) {
    var rest = words
    while let name = rest.popFirst() {
      guard name.hasPrefix("--") else { throw .usage("unexpected argument '\(name)'") }
      guard let value = rest.popFirst() else { throw .usage("\(name) needs a value") }
      guard values.updateValue(value, forKey: name) == nil else { throw .usage("\(name) is given twice") }
    }
  }

  mutating func text(_ name: String) -> String? {
    values.removeValue(forKey: name)
  }

  mutating func requiredText(_ name: String) throws(ToolError) -> String {
    guard let value = text(name) else { throw .usage("\(name) is missing") }
    return value
  }

  /// A whole number, or nil where the option is absent.
  mutating func number<N: FixedWidthInteger>(_ name: String) throws(ToolError) -> N? {
    guard let value = text(name) else { return nil }
    guard let number = N(value) else { throw .usage("\(name) needs a number, not '\(value)'") }
    return number
  }

  mutating func requiredNumber<N: FixedWidthInteger>(_ name: String) throws(ToolError) -> N {
    guard let value: N = try number(name) else { throw .usage("\(name) is missing") }
    return value
  }

  /// `A-B` or one number `A`; at most 10 000 numbers, so that a slip of the keyboard cannot fill a disk.
  mutating func requiredRange(_ name: String) throws(ToolError) -> ClosedRange<Int> {
    let value = try requiredText(name)
    let ends = value.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false).map { Int($0) }
    guard let first = ends.first ?? nil, let last = ends.last ?? nil, first >= 0, first <= last,
      last - first < 10_000
    else { throw .usage("\(name) needs a range such as 1-5, not '\(value)'") }
    return first...last
  }

  consuming func finish() throws(ToolError) {
    if let name = values.keys.min() { throw .usage("unknown option '\(name)'") }
  }
}
