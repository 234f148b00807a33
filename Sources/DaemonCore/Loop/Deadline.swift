// SPDX-License-Identifier: Apache-2.0

/// An answer that is given once: by somebody, or by itself when the time is over.
final class Deadline<Value> {
  private let otherwise: () -> Value
  private var done: ((Value) -> Void)?
  private var timer: Timer?

  /// `otherwise` says what the answer is when nobody gave one for so many milliseconds.
  init(_ milliseconds: Int, otherwise: @escaping () -> Value, done: @escaping (Value) -> Void) {
    self.otherwise = otherwise
    self.done = done
    timer = Timer(milliseconds: milliseconds) { [weak self] in self?.giveUp() }
  }

  /// Gives an answer; only the first counts.
  func give(_ value: Value) {
    guard let done else { return }
    self.done = nil
    timer = nil
    done(value)
  }

  /// Answers as if the time were over.
  func giveUp() {
    if done != nil { give(otherwise()) }
  }
}
