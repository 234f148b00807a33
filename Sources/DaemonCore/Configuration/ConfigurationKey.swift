// SPDX-License-Identifier: Apache-2.0

/// What a key of the configuration file says.
enum ConfigurationValue: Equatable, CustomStringConvertible {
  case number(Int)
  case flag(Bool)
  /// Names, in their order.
  case names([String])

  /// As it stands in a file.
  var description: String {
    switch self {
    case .number(let number): "\(number)"
    case .flag(let flag): "\(flag)"
    case .names(let names): names.joined(separator: " ")
    }
  }

  var number: Int? { if case .number(let number) = self { number } else { nil } }
  var flag: Bool? { if case .flag(let flag) = self { flag } else { nil } }
  var names: [String]? { if case .names(let names) = self { names } else { nil } }
}

/// A key of the configuration file.
enum ConfigurationKey: String, CaseIterable {
  case idleExit = "idle-exit"
  case tries
  case timeout
  case queueWait = "queue-wait"
  case settleTime = "settle-time"
  case enabled
  case offFor = "off-for"
  case remote
  case otherUsers = "other-users"

  /// The group it stands in.
  var group: String {
    switch self {
    case .idleExit: "daemon"
    case .tries, .timeout, .queueWait, .settleTime: "reader"
    case .enabled, .offFor, .remote, .otherUsers: "pattern"
    }
  }

  /// The numbers that make sense; `nil` for a key that takes none.
  var range: ClosedRange<Int>? {
    switch self {
    case .idleExit: 0...3600
    case .tries: 1...10
    // libfprint calls a reader too hot after about 180 s without a pause.
    case .timeout: 5...170
    case .queueWait: 0...120
    case .settleTime: 50...2000
    case .enabled, .offFor, .remote, .otherUsers: nil
    }
  }

  /// The value without a file.
  var standard: ConfigurationValue {
    switch self {
    case .idleExit: .number(30)
    case .tries: .number(3)
    case .timeout: .number(60)
    case .queueWait: .number(30)
    case .settleTime: .number(250)
    case .enabled: .flag(true)
    case .offFor: .names(["sshd"])
    case .remote: .flag(false)
    case .otherUsers: .flag(false)
    }
  }

  /// The value when the file cannot be trusted: the one with which a finger or a
  /// pattern can do least. How long an idle daemon stays protects nothing.
  var strictest: ConfigurationValue {
    switch self {
    case .idleExit, .offFor: standard
    case .tries, .timeout, .queueWait: range.map { .number($0.lowerBound) } ?? standard
    case .settleTime: range.map { .number($0.upperBound) } ?? standard
    case .enabled, .remote, .otherUsers: .flag(false)
    }
  }

  /// What its values are, for whoever wrote another.
  var expectation: String {
    if let range { return "a number from \(range.lowerBound) to \(range.upperBound)" }
    return standard.flag != nil ? "true or false" : "names of services with blanks between"
  }

  /// What a value stands for; `nil` when it makes no sense. GLib leaves white space at
  /// the end of a value, where nobody sees it.
  func value(_ text: String) -> ConfigurationValue? {
    let text = trim(text[...].utf8)
    switch standard {
    case .number: return number(text)
    case .flag: return text == "true" ? .flag(true) : text == "false" ? .flag(false) : nil
    case .names: return names(text)
    }
  }

  private func number(_ text: Substring) -> ConfigurationValue? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text),
      let range, range.contains(number)
    else { return nil }
    return .number(number)
  }

  /// Names of files in `/etc/pam.d`. With a comma or a quote, two would pass for one.
  private func names(_ text: Substring) -> ConfigurationValue? {
    let names = text.split(whereSeparator: { $0 == " " || $0 == "\t" }).map(String.init)
    let areNames = names.allSatisfy { name in
      name.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
          || [0x2B, 0x2D, 0x2E, 0x40, 0x5F].contains(byte)
      }
    }
    return areNames ? .names(names) : nil
  }
}
