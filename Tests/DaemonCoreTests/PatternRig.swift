// SPDX-License-Identifier: Apache-2.0

import Pattern
import Testing
import Throttle

@testable import DaemonCore

/// Patterns in a folder of their own, with a cheap test and a clock that the test sets.
final class PatternRig {
  static let cheap = PatternCost(passes: 1, memory: 8)
  static let minute: UInt64 = 60_000

  let folder: String
  let store: Store
  var now = Moment(milliseconds: 1_000, boot: [UInt8](repeating: 7, count: 16))
  private(set) var gate: PatternGate
  private let loop = MainLoop()

  init(_ folder: String) throws {
    self.folder = folder
    store = try Store(folder: folder)
    gate = PatternGate(store, cost: PatternRig.cheap, clock: { nil })
    restart()
  }

  /// What a new daemon knows: only what is on the disk.
  func restart() {
    gate = PatternGate(store, cost: PatternRig.cheap) { [unowned self] in now }
  }

  /// Runs the loop until `start` has called back with its answer.
  func answer<Value>(_ start: (@escaping (Value) -> Void) -> Void) throws -> Value {
    var answer: Value?
    start { [loop] in
      answer = $0
      loop.quit()
    }
    if answer == nil { wait() }
    return try #require(answer)
  }

  func wait() {
    let limit = Timer(milliseconds: 20_000) { [loop] in
      Issue.record("no answer came")
      loop.quit()
    }
    loop.run()
    limit.remove()
  }

  func quit() { loop.quit() }

  func set(_ digits: String, of account: Account = Sample.ada, flag: Bool = false) throws -> PatternSetting {
    try answer { gate.set(digits.utf8.span, of: account, passwordLooksLikePattern: flag, done: $0) }
  }

  func check(
    _ digits: String, of account: Account = Sample.ada, from origin: Origin = .own
  ) throws -> PatternVerdict {
    try answer { gate.check(digits.utf8.span, of: account, from: origin, done: $0) }
  }

  func delete(_ account: Account = Sample.ada) throws -> Result<Bool, PatternFault> {
    try answer { gate.delete(of: account, done: $0) }
  }

  func failures(_ account: Account = Sample.ada, from origin: Origin = .own) -> UInt32 {
    gate.state(of: account, from: origin).failures
  }

  /// So many patterns, all different and none of them the right one.
  static func wrong(_ count: Int) -> [String] {
    var digits = 1_234
    var found: [Pattern] = []
    while found.count < count {
      if let pattern = try? Pattern(typed: "\(digits)".utf8), !found.contains(pattern) {
        found.append(pattern)
      }
      digits += 1
    }
    return found.map { $0.cells.map(String.init).joined() }
  }

  static let right = "618349"
}
