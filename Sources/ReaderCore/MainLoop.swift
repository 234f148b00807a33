// SPDX-License-Identifier: Apache-2.0

internal import CFprint

/// GLib's default main loop with one watched descriptor and one timer.
///
/// The receiver of both must outlive the loop's run. A class, since its sources use it while it runs.
@safe final class MainLoop {
  /// What a source calls; GLib hands it the receiver.
  typealias Callback = @convention(c) (gpointer?) -> gboolean
  typealias DescriptorCallback = @convention(c) (gint, GIOCondition, gpointer?) -> gboolean

  private let loop: OpaquePointer?
  private let receiver: gpointer
  private var timer: guint = 0

  init(receiver: gpointer) {
    unsafe self.receiver = receiver
    // SAFETY: (transfer full), unreferenced in deinit.
    unsafe loop = g_main_loop_new(nil, 0)
  }

  deinit {
    // SAFETY: the one reference.
    if let loop = unsafe loop { unsafe g_main_loop_unref(loop) }
  }

  /// Calls `callback` while `descriptor` has something to read or its peer is gone.
  func watch(_ descriptor: Int32, _ callback: DescriptorCallback) {
    let condition = GIOCondition(rawValue: G_IO_IN.rawValue | G_IO_HUP.rawValue | G_IO_ERR.rawValue)
    // SAFETY: see the type's comment.
    _ = unsafe g_unix_fd_add(descriptor, condition, callback, receiver)
  }

  /// Calls `callback` once, after so many milliseconds, instead of what was set before.
  func after(milliseconds: Int, _ callback: Callback) {
    stopTimer()
    // SAFETY: as above.
    timer = unsafe g_timeout_add(guint(clamping: milliseconds), callback, receiver)
  }

  /// Forgets the timer.
  func stopTimer() {
    if timer != 0 { _ = g_source_remove(timer) }
    timer = 0
  }

  /// Records that the timer has called, and is gone by that.
  func timerCalled() { timer = 0 }

  /// Runs until `quit`.
  func run() { unsafe g_main_loop_run(loop) }

  /// Ends `run`.
  func quit() { unsafe g_main_loop_quit(loop) }
}
