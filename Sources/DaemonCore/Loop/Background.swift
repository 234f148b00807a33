// SPDX-License-Identifier: Apache-2.0

internal import CGLib

/// Work that takes long, on a thread of its own; the main loop is told of its end.
///
/// What a subclass holds belongs to the thread from ``start()`` until ``finished()``,
/// and to the main loop before and after.
class BackgroundWork {
  /// The work. Runs on the thread, may touch nothing but what the subclass holds.
  func work() {}

  /// The end. Runs on the main loop.
  func finished() {}

  /// Starts the thread; `false` when there can be none, and nothing is called then.
  final func start() -> Bool {
    // SAFETY: the reference is given back in `end`, or below when there is no thread.
    let pointer = unsafe Unmanaged.passRetained(self).toOpaque()
    let thread = unsafe g_thread_try_new(
      "thumbturn-work",
      { pointer in
        BackgroundWork.from(pointer)?.work()
        // Lets the loop see all that the thread wrote.
        _ = unsafe g_idle_add_full(G_PRIORITY_DEFAULT, { BackgroundWork.end($0) }, pointer, nil)
        return nil
      }, pointer, nil)
    guard let thread = unsafe thread else {
      // SAFETY: nobody else has the pointer.
      unsafe Unmanaged<BackgroundWork>.fromOpaque(pointer).release()
      return false
    }
    // SAFETY: the reference that g_thread_try_new gave; the thread ends by itself.
    unsafe g_thread_unref(thread)
    return true
  }

  /// SAFETY: the pointer's reference is held until `end`.
  @safe private static func from(_ pointer: gpointer?) -> BackgroundWork? {
    unsafe pointer.map { unsafe Unmanaged<BackgroundWork>.fromOpaque($0).takeUnretainedValue() }
  }

  /// SAFETY: called once per start, so the reference is taken back once.
  @safe private static func end(_ pointer: gpointer?) -> gboolean {
    unsafe pointer.map { unsafe Unmanaged<BackgroundWork>.fromOpaque($0).takeRetainedValue() }?.finished()
    return 0
  }
}
