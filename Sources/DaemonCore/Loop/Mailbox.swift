// SPDX-License-Identifier: Apache-2.0

/// Events on their way to a value that handles them one at a time.
///
/// What handling one event causes at once (a turn at the free reader, a failed
/// start) waits until that event is done, so actions keep their order.
final class Mailbox<Event> {
  private var waiting: [Event] = []
  private var busy = false

  /// Handles the event now, or right after the one being handled.
  func post(_ event: Event, handle: (Event) -> Void) {
    waiting.append(event)
    if busy { return }
    busy = true
    while !waiting.isEmpty { handle(waiting.removeFirst()) }
    busy = false
  }
}

/// Timers with names; setting one again replaces it.
final class TimerSet<Name: Hashable> {
  private var timers: [Name: Timer] = [:]

  /// Calls back once, so many milliseconds from now.
  func set(_ name: Name, milliseconds: Int, due: @escaping () -> Void) {
    timers[name] = Timer(milliseconds: milliseconds, due: due)
  }

  /// Forgets a timer.
  func cancel(_ name: Name) { timers[name] = nil }

  /// Forgets all.
  func cancelAll() { timers.removeAll() }
}
