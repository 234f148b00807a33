// SPDX-License-Identifier: Apache-2.0

/// Reads on threads, a few at a time; whoever comes later waits for their turn.
final class ReadingQueue {
  private let most: Int
  private var running = 0
  private var waiting: [() -> Void] = []

  /// At most so many threads.
  init(most: Int) { self.most = most }

  /// Reads on a thread and gives what was read to `done`, on the main loop. Neither
  /// happens when nobody `wants` it any more, or when there can be no thread.
  func read<Value>(
    _ read: @escaping () -> Value, wanted: @escaping () -> Bool, done: @escaping (Value) -> Void
  ) {
    guard running < most else {
      return waiting.append { [weak self] in self?.read(read, wanted: wanted, done: done) }
    }
    guard wanted() else { return }
    let reading = Reading(read) { [weak self] value in
      self?.ended()
      done(value)
    }
    if reading.start() { running += 1 }
  }

  private func ended() {
    running -= 1
    while running < most, !waiting.isEmpty { waiting.removeFirst()() }
  }
}

/// One thing that is read.
private final class Reading<Value>: BackgroundWork {
  private let read: () -> Value
  private let done: (Value) -> Void
  private var value: Value?

  init(_ read: @escaping () -> Value, done: @escaping (Value) -> Void) {
    self.read = read
    self.done = done
  }

  override func work() { value = read() }

  override func finished() {
    if let value { done(value) }
  }
}
