// SPDX-License-Identifier: Apache-2.0

internal import Policy

/// A key of a `[service NAME]` or `[class NAME]` section.
enum SectionKey: String, CaseIterable {
  case factors, tries, timeout, root
  case serviceClass = "class"

  /// Whether it can stand in a section of this kind: a class has none itself.
  func belongs(in section: ConfigurationSection) -> Bool {
    if case .serviceClass = section { return self != .serviceClass }
    return true
  }

  /// The numbers that make sense; those of the same keys in `[reader]`.
  private var range: ClosedRange<Int>? {
    switch self {
    case .tries: ConfigurationKey.tries.range
    case .timeout: ConfigurationKey.timeout.range
    case .factors, .root, .serviceClass: nil
    }
  }

  /// What its values are, for whoever wrote another.
  func expectation(in section: ConfigurationSection) -> String {
    switch self {
    case .factors where section == .serviceClass(.remote): "pattern or none: no reader stands there"
    case .factors: "finger, pattern, both with a blank between, or none"
    case .tries, .timeout: range.map { "a number from \($0.lowerBound) to \($0.upperBound)" } ?? ""
    case .root: "true or false"
    case .serviceClass: SectionKey.classes.map(\.rawValue).joined(separator: ", ")
    }
  }

  /// The classes that a service may be given: what is not root's is judged as such.
  private static let classes = ServiceClass.allCases.filter { $0 != .oneself }

  /// Puts a value into a rule; `false` when it makes no sense.
  func set(_ text: String, in rule: inout Rule, of section: ConfigurationSection) -> Bool {
    let text = trim(text[...].utf8)
    switch self {
    case .factors:
      rule.factors = SectionKey.factors(text)
      if section == .serviceClass(.remote), rule.factors?.contains(.finger) == true { return false }
      return rule.factors != nil
    case .tries:
      rule.tries = range.flatMap { ConfigurationValue.number(text, in: $0)?.number }
      return rule.tries != nil
    case .timeout:
      rule.timeout = range.flatMap { ConfigurationValue.number(text, in: $0)?.number }
      return rule.timeout != nil
    case .root:
      rule.root = ConfigurationValue.flag(text)?.flag
      return rule.root != nil
    case .serviceClass:
      rule.serviceClass = SectionKey.classes.first { $0.rawValue == text }
      return rule.serviceClass != nil
    }
  }

  /// A list without repetition; `none` stands alone.
  private static func factors(_ text: Substring) -> Factors? {
    if text == "none" { return [] }
    var factors: Factors = []
    for word in text.split(whereSeparator: { $0 == " " || $0 == "\t" }) {
      let factor: Factors? = word == "finger" ? .finger : word == "pattern" ? .pattern : nil
      guard let factor, factors.insert(factor).inserted else { return nil }
    }
    return factors.isEmpty ? nil : factors
  }
}

/// A group of the configuration file.
enum ConfigurationSection: Hashable {
  /// `[reader]` and the like.
  case plain(String)
  /// `[service NAME]`
  case service(String)
  /// `[class NAME]`
  case serviceClass(ServiceClass)

  /// Understands what stands in the brackets; `nil` for what is none.
  init?(name: String) {
    let words = name.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    switch (words.first, words.count) {
    case ("service", 2) where isServiceName(words[1]): self = .service(words[1])
    case ("class", 2):
      guard let known = ServiceClass(rawValue: words[1]) else { return nil }
      self = .serviceClass(known)
    case (_, 1) where ConfigurationKey.allCases.contains { $0.group == name }: self = .plain(name)
    default: return nil
    }
  }

  /// What stands in the brackets.
  var name: String {
    switch self {
    case .plain(let name): name
    case .service(let name): "service \(name)"
    case .serviceClass(let known): "class \(known.rawValue)"
    }
  }
}

/// A key in a section, and where it stands.
struct SectionEntry: Hashable {
  let section: ConfigurationSection
  let key: SectionKey
}
