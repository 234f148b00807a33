// SPDX-License-Identifier: Apache-2.0

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
  case passwordFirst = "password-first"
  case passwordEvery = "password-every"
  case lockAfter = "lock-after"
  case rootTarget = "root-target"
  case withoutLogind = "without-logind"
  case lid

  /// The group it stands in.
  var group: String {
    switch self {
    case .idleExit: "daemon"
    case .tries, .timeout, .queueWait, .settleTime: "reader"
    case .enabled, .offFor, .remote, .otherUsers: "pattern"
    case .passwordFirst, .passwordEvery, .lockAfter, .rootTarget, .withoutLogind, .lid: "policy"
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
    // In hours; a month is as good as never.
    case .passwordEvery: 0...720
    case .lockAfter: 1...10
    case .enabled, .offFor, .remote, .otherUsers, .passwordFirst, .rootTarget, .withoutLogind, .lid: nil
    }
  }

  /// The words that it may say; none for a key that takes others.
  var choices: [String] {
    switch self {
    case .withoutLogind: ["never", "allow"]
    case .lid: ["respect", "ignore"]
    default: []
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
    case .passwordFirst: .flag(true)
    case .passwordEvery: .number(72)
    case .lockAfter: .number(5)
    case .rootTarget: .flag(false)
    case .withoutLogind: .word("never")
    case .lid: .word("respect")
    }
  }

  /// The value when the file cannot be trusted: the one with which a finger or a
  /// pattern can do least. How long an idle daemon stays protects nothing.
  var strictest: ConfigurationValue {
    switch self {
    case .idleExit, .offFor, .passwordFirst, .rootTarget, .withoutLogind, .lid: standard
    case .passwordEvery: .number(1)
    case .tries, .timeout, .queueWait, .lockAfter: range.map { .number($0.lowerBound) } ?? standard
    case .settleTime: range.map { .number($0.upperBound) } ?? standard
    case .enabled, .remote, .otherUsers: .flag(false)
    }
  }

  /// What its values are, for whoever wrote another.
  var expectation: String {
    if let range { return "a number from \(range.lowerBound) to \(range.upperBound)" }
    if !choices.isEmpty { return choices.joined(separator: " or ") }
    return standard.flag != nil ? "true or false" : "names of services with blanks between"
  }

  /// What a value stands for; `nil` when it makes no sense. GLib leaves white space at
  /// the end of a value, where nobody sees it.
  func value(_ text: String) -> ConfigurationValue? {
    let text = trim(text[...].utf8)
    switch standard {
    case .number: return range.flatMap { .number(text, in: $0) }
    case .flag: return .flag(text)
    case .word: return choices.contains(String(text)) ? .word(String(text)) : nil
    case .names: return .names(text)
    }
  }
}
