// SPDX-License-Identifier: Apache-2.0

public import Policy

/// The daemon's settings, `/etc/thumbturn/thumbturn.conf`.
public struct Configuration: Equatable, Sendable {
  /// Seconds without a connection after which the daemon ends; 0: never. 0 to 3600.
  public var idleExit: Int
  /// Seconds to wait for a reader that somebody else uses. 0 to 120.
  public var queueWait: Int
  /// Milliseconds after arming in which a touch counts as a finger that already lay
  /// there. 50 to 2000.
  public var settleTime: Int
  /// What decides who may, when and how often.
  public var policy = PolicySettings()

  /// The settings without a file.
  public static let standard = Configuration { $0.standard }

  /// The settings when the file cannot be trusted or understood: nothing it could
  /// have forbidden is allowed.
  public static let strictest: Configuration = {
    var strictest = Configuration { $0.strictest }
    strictest.policy.isMistaken = true
    return strictest
  }()

  private init(_ value: (ConfigurationKey) -> ConfigurationValue) {
    func number(_ key: ConfigurationKey) -> Int { value(key).number ?? key.range?.lowerBound ?? 0 }
    func flag(_ key: ConfigurationKey) -> Bool { value(key).flag ?? false }
    idleExit = number(.idleExit)
    queueWait = number(.queueWait)
    settleTime = number(.settleTime)
    policy.tries = number(.tries)
    policy.timeout = number(.timeout)
    policy.patternEnabled = flag(.enabled)
    policy.patternOffFor = value(.offFor).names ?? []
    policy.patternRemote = flag(.remote)
    policy.patternOtherUsers = flag(.otherUsers)
    policy.passwordFirst = flag(.passwordFirst)
    policy.passwordEvery = number(.passwordEvery)
    policy.lockAfter = number(.lockAfter)
    policy.rootTarget = flag(.rootTarget)
    policy.trustsUnknownPlaces = value(.withoutLogind).word == "allow"
    policy.respectsLid = value(.lid).word != "ignore"
  }

  /// Reads the file at `path`. Without a file these are the ``standard`` settings;
  /// with anything wrong in it the ``strictest``, and every problem as
  /// `file:line: text` (`file: text` where it is the file itself).
  public static func load(_ path: String) -> (Configuration, [String]) {
    switch ConfigurationFile.read(path) {
    case .missing: return (standard, [])
    case .refused(let reason): return (strictest, ["\(path): \(reason)"])
    case .text(let text):
      let (configuration, problems) = parse(text)
      return (configuration, shown(problems.map { "\(path):\($0.line): \($0.text)" }, of: path))
    }
  }

  /// Each problem is a line of the log and of `thumbturn status`; the wrong file has one in every line.
  private static func shown(_ problems: [String], of path: String) -> [String] {
    let most = 20
    guard problems.count > most else { return problems }
    return problems.prefix(most) + ["\(path): \(problems.count - most) more problems"]
  }

  /// Understands a file's text.
  static func parse(_ text: String) -> (Configuration, [ConfigurationProblem]) {
    let scan = ConfigurationScan(text)
    guard scan.problems.isEmpty else { return (strictest, scan.problems) }
    if scan.lines.isEmpty, scan.entries.isEmpty { return (standard, []) }
    guard let file = KeyFile(text) else {
      return (strictest, [ConfigurationProblem(line: 1, text: "not a key file")])
    }
    var values: [ConfigurationKey: ConfigurationValue] = [:]
    var problems: [ConfigurationProblem] = []
    for (key, line) in scan.lines {
      values[key] = file.value(group: key.group, key: key.rawValue).flatMap(key.value)
      guard values[key] == nil else { continue }
      let text = "\(key.rawValue) must be \(key.expectation)"
      problems.append(ConfigurationProblem(line: line, text: text))
    }
    var configuration = Configuration { values[$0] ?? $0.standard }
    for (entry, line) in scan.entries {
      let value = file.value(group: entry.section.name, key: entry.key.rawValue) ?? ""
      if configuration.policy.take(value, for: entry) { continue }
      let text = "\(entry.key.rawValue) must be \(entry.key.expectation(in: entry.section))"
      problems.append(ConfigurationProblem(line: line, text: text))
    }
    return problems.isEmpty ? (configuration, []) : (strictest, problems.sorted { $0.line < $1.line })
  }
}

extension PolicySettings {
  /// Takes what a section says; `false` when that makes no sense.
  fileprivate mutating func take(_ value: String, for entry: SectionEntry) -> Bool {
    switch entry.section {
    case .plain: false
    case .service(let name):
      entry.key.set(value, in: &services[name, default: Rule()], of: entry.section)
    case .serviceClass(let known):
      entry.key.set(value, in: &classes[known, default: Rule()], of: entry.section)
    }
  }
}
