// SPDX-License-Identifier: Apache-2.0

internal import CFprint
internal import ThumbturnProtocol

/// Enrolling.
extension FingerprintReader {
  func enroll(_ finger: Finger, user: Text) {
    // SAFETY: fp_print_new answers a floating reference.
    let fresh = unsafe device.withPointer { unsafe Reference<PrintKind>(sinking: fp_print_new($0)) }
    guard let fresh else { return tell(.finished(.fatal(.malfunction))) }
    let me = unsafe selfPointer
    unsafe fresh.withPointer { print in
      if !user.isEmpty { unsafe label(print, finger, user) }
      unsafe begin { device, cancellable in
        // SAFETY: as in verify.
        unsafe fp_device_enroll(
          device, print, cancellable,
          { _, done, _, data, error in unsafe FingerprintReader.from(data)?.progressed(done, error) },
          me, nil,
          { _, result, data in FingerprintReader.from(data)?.finishedEnroll(result) }, me)
      }
    }
  }

  private func progressed(_ done: gint, _ error: UnsafeMutablePointer<GError>?) {
    var reason: RetryReason?
    // SAFETY: belongs to the callback and is only looked at.
    if case .retry(let why) = DeviceFailure(error) { reason = why }
    tell(.stage(done: UInt8(clamping: done), retry: reason))
  }

  @safe private func finishedEnroll(_ result: OpaquePointer?) {
    var problem = ErrorPlace()
    // SAFETY: as in opened; fp_device_enroll_finish is (transfer full).
    let print = unsafe device.withPointer { device in
      unsafe problem.fill {
        unsafe Reference<PrintKind>(adopting: fp_device_enroll_finish(device, result, $0))
      }
    }
    guard let print else { return tell(.finished(problem.failure ?? .fatal(.readerFailed))) }
    let template = unsafe print.withPointer { unsafe serialised($0) }
    guard var template else { return tell(.finished(.fatal(.malfunction))) }
    tell(.enrolled(template: template))
    wipe(&template)
  }
}
