// SPDX-License-Identifier: Apache-2.0

/// What is wrong with a configuration file, and in which line (from 1).
struct ConfigurationProblem: Equatable {
  let line: Int
  let text: String
}

/// A first look at a configuration file: where which key stands.
///
/// GLib reads the values, but it counts no lines, takes the last of repeated
/// keys and knows nothing of ours; so unknown groups, unknown and repeated keys and
/// lines that are nothing are found here. It draws lines apart as GLib does.
struct ConfigurationScan: Equatable {
  /// The line of each known key.
  private(set) var lines: [ConfigurationKey: Int] = [:]
  /// The line of each known key of a service's or a class's section.
  private(set) var entries: [SectionEntry: Int] = [:]
  /// Everything that is wrong, from the top.
  private(set) var problems: [ConfigurationProblem] = []
  private var section: ConfigurationSection?
  private var inGroup = false

  init(_ text: String) {
    // A carriage return and a line feed are one character to Swift.
    let lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() { take(trim(line[...]), number: index + 1) }
  }

  private mutating func take(_ line: Substring, number: Int) {
    if line.isEmpty || line.hasPrefix("#") { return }
    if line.hasPrefix("[") { return takeGroup(line, number: number) }
    guard let equals = line.utf8.firstIndex(of: 0x3D) else {
      return refuse("neither a group, a key with a value, nor a comment", in: number)
    }
    takeKey(String(trim(line.utf8[..<equals])), number: number)
  }

  private mutating func takeGroup(_ line: Substring, number: Int) {
    let name = String(line.dropFirst().dropLast())
    inGroup = true
    section = line.hasSuffix("]") ? ConfigurationSection(name: name) : nil
    if section == nil { refuse("unknown group", in: number) }
  }

  private mutating func takeKey(_ name: String, number: Int) {
    guard inGroup else { return refuse("a key before the first group", in: number) }
    switch section {
    case .plain(let group)?:
      guard let key = ConfigurationKey(rawValue: name), key.group == group else { break }
      if let first = lines[key] { return repeated(name, first, in: number) }
      lines[key] = number
      return
    case .service?, .serviceClass?:
      guard let section, let key = SectionKey(rawValue: name), key.belongs(in: section) else { break }
      let entry = SectionEntry(section: section, key: key)
      if let first = entries[entry] { return repeated(name, first, in: number) }
      entries[entry] = number
      return
    case nil: break
    }
    refuse("unknown key", in: number)
  }

  private mutating func repeated(_ name: String, _ first: Int, in line: Int) {
    refuse("\(name) stands in line \(first) already", in: line)
  }

  private mutating func refuse(_ text: String, in line: Int) {
    problems.append(ConfigurationProblem(line: line, text: text))
  }
}

/// Without the white space of C at both ends.
func trim(_ bytes: Substring.UTF8View) -> Substring {
  func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
  var rest = bytes
  while let first = rest.first, isSpace(first) { rest.removeFirst() }
  while let last = rest.last, isSpace(last) { rest.removeLast() }
  return Substring(rest)
}
