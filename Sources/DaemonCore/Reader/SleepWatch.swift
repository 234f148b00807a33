// SPDX-License-Identifier: Apache-2.0

internal import CSystem

/// Notices that the machine has slept while something was watched: then the clock that
/// counts sleep has gone on, and the one that does not has not.
final class SleepWatch {
  /// How often it looks, in milliseconds awake.
  static let usualInterval = 2_000
  /// How much sleep counts: the clocks differ by less than this where there was none.
  static let least: Int64 = 500

  private let interval: Int
  private let asleep: () -> Int64
  private let woke: () -> Void
  private var before: Int64 = 0
  private var timer: Timer?

  /// Watches nothing yet. `asleep` tells the milliseconds slept since boot.
  init(
    interval: Int = SleepWatch.usualInterval, asleep: @escaping () -> Int64 = csystem_asleep_milliseconds,
    woke: @escaping () -> Void
  ) {
    self.interval = interval
    self.asleep = asleep
    self.woke = woke
  }

  /// Watches from now on, until ``end()``.
  func begin() {
    before = asleep()
    wait()
  }

  /// Watches no more.
  func end() { timer = nil }

  private func wait() {
    timer = Timer(milliseconds: interval) { [weak self] in self?.look() }
  }

  private func look() {
    let now = asleep()
    let hasSlept = now - before >= SleepWatch.least
    before = now
    wait()
    if hasSlept { woke() }
  }
}
