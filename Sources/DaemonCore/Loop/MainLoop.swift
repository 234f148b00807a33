// SPDX-License-Identifier: Apache-2.0

internal import CGLib

/// The process's one GLib main loop.
@safe final class MainLoop {
  private let loop: OpaquePointer?

  // SAFETY: a new reference to a loop on the default context (transfer full).
  init() { unsafe loop = g_main_loop_new(nil, 0) }

  deinit {
    // SAFETY: the one reference that g_main_loop_new gave.
    if let loop = unsafe loop { unsafe g_main_loop_unref(loop) }
  }

  /// Serves watches and timers until ``quit()``.
  func run() {
    // SAFETY: the loop lives as long as self.
    unsafe g_main_loop_run(loop)
  }

  /// Lets ``run()`` return.
  func quit() {
    // SAFETY: as above.
    unsafe g_main_loop_quit(loop)
  }
}

/// A source of the main loop and what it calls; removed with its owner.
///
/// The source holds no reference: whoever owns the watch removes it by letting
/// go, also from within the call.
class LoopSource {
  fileprivate var identifier: guint = 0

  deinit { remove() }

  /// Lets nothing be called any more.
  final func remove() {
    guard identifier != 0 else { return }
    _ = g_source_remove(identifier)
    identifier = 0
  }

  // SAFETY: unretained; `deinit` removes the source, so it never outlives its owner.
  fileprivate final var pointer: gpointer { unsafe Unmanaged.passUnretained(self).toOpaque() }
}

/// Calls back whenever a descriptor can be read or its peer is gone.
final class ReadWatch: LoopSource {
  private let readable: () -> Void

  /// Watches a descriptor that must stay open as long as the watch lives.
  init(_ descriptor: CInt, readable: @escaping () -> Void) {
    self.readable = readable
    super.init()
    // Readable, hung up, failed: reading tells which.
    let conditions = GIOCondition(
      rawValue: G_IO_IN.rawValue | G_IO_HUP.rawValue | G_IO_ERR.rawValue)
    // SAFETY: `pointer` is taken back in `from` only, while the source stands.
    identifier = unsafe g_unix_fd_add(
      descriptor, conditions,
      { _, _, pointer in
        ReadWatch.from(pointer)?.readable()
        return 1
      }, pointer)
  }

  /// SAFETY: the source is removed before its watch goes.
  @safe private static func from(_ pointer: gpointer?) -> ReadWatch? {
    unsafe pointer.map { unsafe Unmanaged<ReadWatch>.fromOpaque($0).takeUnretainedValue() }
  }
}

/// Calls back as long as a descriptor takes what is written.
final class WriteWatch: LoopSource {
  private let writable: () -> Void

  /// Watches a descriptor that must stay open as long as the watch lives.
  init(_ descriptor: CInt, writable: @escaping () -> Void) {
    self.writable = writable
    super.init()
    // SAFETY: `pointer` is taken back in `from` only, while the source stands.
    identifier = unsafe g_unix_fd_add(
      descriptor, G_IO_OUT,
      { _, _, pointer in
        WriteWatch.from(pointer)?.writable()
        return 1
      }, pointer)
  }

  /// SAFETY: as above.
  @safe private static func from(_ pointer: gpointer?) -> WriteWatch? {
    unsafe pointer.map { unsafe Unmanaged<WriteWatch>.fromOpaque($0).takeUnretainedValue() }
  }
}

/// Calls back once, some time from now.
final class Timer: LoopSource {
  private let due: () -> Void

  /// Starts the time.
  init(milliseconds: Int, due: @escaping () -> Void) {
    self.due = due
    super.init()
    // SAFETY: as above.
    identifier = unsafe g_timeout_add(
      guint(clamping: milliseconds),
      { pointer in
        Timer.from(pointer)?.fire()
        return 0
      }, pointer)
  }

  private func fire() {
    identifier = 0
    due()
  }

  /// SAFETY: as above.
  @safe private static func from(_ pointer: gpointer?) -> Timer? {
    unsafe pointer.map { unsafe Unmanaged<Timer>.fromOpaque($0).takeUnretainedValue() }
  }
}

/// Calls back when the process gets a signal.
final class SignalWatch: LoopSource {
  private let received: () -> Void

  /// Watches SIGTERM, SIGINT or SIGHUP.
  init(_ signal: CInt, received: @escaping () -> Void) {
    self.received = received
    super.init()
    // SAFETY: as above.
    identifier = unsafe g_unix_signal_add(
      signal,
      { pointer in
        SignalWatch.from(pointer)?.received()
        return 1
      }, pointer)
  }

  /// SAFETY: as above.
  @safe private static func from(_ pointer: gpointer?) -> SignalWatch? {
    unsafe pointer.map { unsafe Unmanaged<SignalWatch>.fromOpaque($0).takeUnretainedValue() }
  }
}
