// SPDX-License-Identifier: Apache-2.0

/// A key of the configuration file: all are whole numbers with bounds.
enum ConfigurationKey: String, CaseIterable {
  case idleExit = "idle-exit"
  case tries
  case timeout
  case queueWait = "queue-wait"
  case settleTime = "settle-time"

  /// The group it stands in.
  var group: String { self == .idleExit ? "daemon" : "reader" }

  /// The values that make sense.
  var range: ClosedRange<Int> {
    switch self {
    case .idleExit: 0...3600
    case .tries: 1...10
    // libfprint calls a reader too hot after about 180 s without a pause.
    case .timeout: 5...170
    case .queueWait: 0...120
    case .settleTime: 50...2000
    }
  }

  /// The value without a file.
  var standard: Int {
    switch self {
    case .idleExit: 30
    case .tries: 3
    case .timeout: 60
    case .queueWait: 30
    case .settleTime: 250
    }
  }

  /// The value when the file cannot be trusted: the end of the range at which a
  /// finger can do least. How long an idle daemon stays protects nothing.
  var strictest: Int {
    switch self {
    case .idleExit: standard
    case .tries, .timeout, .queueWait: range.lowerBound
    case .settleTime: range.upperBound
    }
  }

  /// The number that a value stands for: digits only, within the range. GLib leaves
  /// white space at the end of a value, where nobody sees it.
  func number(_ value: String) -> Int? {
    let value = trim(value[...].utf8)
    guard !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(value),
      range.contains(number)
    else { return nil }
    return number
  }
}
