// SPDX-License-Identifier: Apache-2.0

/// The daemon's settings, `/etc/thumbturn/thumbturn.conf`.
public struct Configuration: Equatable, Sendable {
  /// Seconds without a connection after which the daemon ends; 0: never. 0 to 3600.
  public var idleExit: Int
  /// Touches by a wrong finger that end a conversation. 1 to 10.
  public var tries: Int
  /// Seconds that the reader waits for a touch. 5 to 170.
  public var timeout: Int
  /// Seconds to wait for a reader that somebody else uses. 0 to 120.
  public var queueWait: Int
  /// Milliseconds after arming in which a touch counts as a finger that already lay
  /// there. 50 to 2000.
  public var settleTime: Int

  /// The settings without a file.
  public static let standard = Configuration { $0.standard }

  /// The settings when the file cannot be trusted or understood: nothing it could
  /// have forbidden is allowed.
  public static let strictest = Configuration { $0.strictest }

  private init(_ number: (ConfigurationKey) -> Int) {
    idleExit = number(.idleExit)
    tries = number(.tries)
    timeout = number(.timeout)
    queueWait = number(.queueWait)
    settleTime = number(.settleTime)
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
    if scan.lines.isEmpty { return (standard, []) }
    guard let file = KeyFile(text) else {
      return (strictest, [ConfigurationProblem(line: 1, text: "not a key file")])
    }
    var numbers: [ConfigurationKey: Int] = [:]
    var problems: [ConfigurationProblem] = []
    for (key, line) in scan.lines.sorted(by: { $0.value < $1.value }) {
      numbers[key] = file.value(group: key.group, key: key.rawValue).flatMap(key.number)
      guard numbers[key] == nil else { continue }
      let bounds = "\(key.range.lowerBound) to \(key.range.upperBound)"
      problems.append(
        ConfigurationProblem(line: line, text: "\(key.rawValue) must be a number from \(bounds)"))
    }
    guard problems.isEmpty else { return (strictest, problems) }
    return (Configuration { numbers[$0] ?? $0.standard }, [])
  }
}
