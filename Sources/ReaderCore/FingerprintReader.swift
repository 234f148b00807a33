// SPDX-License-Identifier: Apache-2.0

internal import CFprint
internal import ReaderProtocol
internal import ThumbturnProtocol

/// One reader, driven through libfprint's asynchronous calls.
///
/// It decides nothing: each call of C becomes an event for the machine, in the order in
/// which libfprint makes them. Events may be told while a method still runs.
final class FingerprintReader {
  let device: Reference<DeviceKind>
  let tell: (ReaderEvent) -> Void
  var gallery = Gallery()
  private var cancellable: Reference<CancellableKind>?
  /// Connected while the reader is driven; the object outlives the device's last callback.
  private var statusHandler: gulong = 0

  init?(sharing device: borrowing Reference<DeviceKind>, tell: @escaping (ReaderEvent) -> Void) {
    // SAFETY: the tag's conformance is unsafe because its pointer type is.
    guard let device = unsafe device.another() else { return nil }
    self.device = device
    self.tell = tell
  }

  deinit {
    let handler = statusHandler
    guard handler != 0 else { return }
    // SAFETY: the handler was connected to this live device.
    unsafe device.withPointer { unsafe g_signal_handler_disconnect($0, handler) }
  }

  var selfPointer: UnsafeMutableRawPointer {
    unsafe Unmanaged.passUnretained(self).toOpaque()
  }

  /// The reader that a callback belongs to. Its owner keeps it until nothing runs any more.
  @safe static func from(_ pointer: gpointer?) -> FingerprintReader? {
    // SAFETY: every callback is given `selfPointer`.
    guard let pointer = unsafe pointer else { return nil }
    return unsafe Unmanaged<FingerprintReader>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// Runs `body` with the device and the cancellable of a new operation.
  func begin(_ body: (DeviceKind.Pointer, CancellableKind.Pointer) -> Void) {
    // SAFETY: g_cancellable_new is (transfer full).
    cancellable = unsafe Reference(adopting: g_cancellable_new())
    unsafe device.withPointer { device in
      unsafe cancellable?.withPointer { unsafe body(device, $0) }
    }
  }

  /// Asks the running operation to end; it still tells its end.
  func cancel() {
    // SAFETY: a live GCancellable; the operation holds a reference of its own.
    unsafe cancellable?.withPointer { unsafe g_cancellable_cancel($0) }
  }
}

/// Opening and closing.
extension FingerprintReader {
  func open() {
    let me = unsafe selfPointer
    unsafe begin { device, cancellable in
      // SAFETY: the callback gets a pointer to this object, which outlives it.
      unsafe fp_device_open(
        device, cancellable,
        { _, result, data in FingerprintReader.from(data)?.opened(result) }, me)
    }
  }

  @safe private func opened(_ result: OpaquePointer?) {
    var problem = ErrorPlace()
    // SAFETY: `result` belongs to this callback of this device.
    let open = unsafe device.withPointer { device in
      unsafe problem.fill { unsafe fp_device_open_finish(device, result, $0) } != 0
    }
    guard open else {
      // libfprint 1.94.5 can call an open cancelled that has opened the device.
      let stillOpen = unsafe device.withPointer { unsafe fp_device_is_open($0) != 0 }
      return tell(.openFailed(problem.failure ?? .fatal(.readerFailed), open: stillOpen))
    }
    watchFinger()
    tell(.opened(traits))
  }

  private var traits: ReaderTraits {
    unsafe device.withPointer { device in
      // SAFETY: a live device, only read.
      let identifies = unsafe fp_device_has_feature(device, FP_DEVICE_FEATURE_IDENTIFY) != 0
      let instance = unsafe UnsafeMutablePointer<GTypeInstance>(OpaquePointer(device))
      let image = unsafe g_type_check_instance_is_a(instance, fp_image_device_get_type()) != 0
      let stores = unsafe fp_device_has_feature(device, FP_DEVICE_FEATURE_STORAGE) != 0
      return ReaderTraits(identifies: identifies, announcesArming: image, stores: stores)
    }
  }

  private func watchFinger() {
    let changed: @convention(c) (DeviceKind.Pointer?, OpaquePointer?, gpointer?) -> Void = { _, _, data in
      FingerprintReader.from(data)?.fingerChanged()
    }
    let me = unsafe selfPointer
    statusHandler = unsafe device.withPointer { device in
      // SAFETY: GLib calls a notify handler with these three arguments; disconnected in deinit.
      unsafe g_signal_connect_data(
        device, "notify::finger-status", unsafeBitCast(changed, to: GCallback.self), me, nil,
        GConnectFlags(rawValue: 0))
    }
  }

  private func fingerChanged() {
    // SAFETY: a live device, only read.
    let flags = unsafe device.withPointer { unsafe fp_device_get_finger_status($0).rawValue }
    tell(
      .finger(
        FingerStatus(
          needed: flags & FP_FINGER_STATUS_NEEDED.rawValue != 0,
          present: flags & FP_FINGER_STATUS_PRESENT.rawValue != 0)))
  }

  func close() {
    let me = unsafe selfPointer
    unsafe device.withPointer { device in
      // SAFETY: as in open.
      unsafe fp_device_close(
        device, nil, { _, result, data in FingerprintReader.from(data)?.closed(result) }, me)
    }
  }

  @safe private func closed(_ result: OpaquePointer?) {
    var problem = ErrorPlace()
    // SAFETY: as in opened. A reader that was pulled out fails to close; it is gone all the same.
    unsafe device.withPointer { device in
      _ = unsafe problem.fill { unsafe fp_device_close_finish(device, result, $0) }
    }
    tell(.closed)
  }
}

/// Comparing touches with templates.
extension FingerprintReader {
  func keep(_ template: [UInt8], index: UInt8) {
    tell(.kept(index: index, usable: gallery.add(template, index: index, for: device)))
  }

  /// Waits for one touch.
  func arm(only index: UInt8?) {
    if let index { verify(index) } else { identify() }
    tell(.started)
  }

  private func verify(_ index: UInt8) {
    let me = unsafe selfPointer
    unsafe begin { device, cancellable in
      unsafe gallery.withPrint(index) { print in
        // SAFETY: libfprint takes references of its own to device and print; callbacks as in open.
        unsafe fp_device_verify(
          device, print, cancellable,
          { _, match, _, data, error in unsafe FingerprintReader.from(data)?.answered(match, error) },
          me, nil,
          { _, result, data in FingerprintReader.from(data)?.finishedVerify(result) }, me)
      }
    }
  }

  private func identify() {
    let me = unsafe selfPointer
    unsafe begin { device, cancellable in
      unsafe gallery.withAll { prints in
        // SAFETY: as in verify; the array is read during the call only.
        unsafe fp_device_identify(
          device, prints, cancellable,
          { _, match, _, data, error in unsafe FingerprintReader.from(data)?.answered(match, error) },
          me, nil,
          { _, result, data in FingerprintReader.from(data)?.finishedIdentify(result) }, me)
      }
    }
  }

  /// Takes the result as soon as it is known: the way from here to the daemon is the
  /// shortest, and no text is made on it.
  private func answered(_ match: OpaquePointer?, _ error: UnsafeMutablePointer<GError>?) {
    // SAFETY: both belong to the callback (transfer none) and are only looked at.
    if let match = unsafe match, let index = gallery.index(of: match) {
      return tell(.answered(.match(index: index)))
    }
    switch DeviceFailure(error) {
    case .none: tell(.answered(.mismatch))
    case .retry(let reason): tell(.answered(.retry(reason)))
    // Told again, and acted on, when the operation ends.
    case .cancelled, .fatal: break
    }
  }

  @safe private func finishedVerify(_ result: OpaquePointer?) {
    var problem = ErrorPlace()
    // SAFETY: as in opened; what matched was told by the callback before.
    unsafe device.withPointer { device in
      _ = unsafe problem.fill { unsafe fp_device_verify_finish(device, result, nil, nil, $0) }
    }
    tell(.finished(problem.failure))
  }

  @safe private func finishedIdentify(_ result: OpaquePointer?) {
    var problem = ErrorPlace()
    // SAFETY: as in finishedVerify.
    unsafe device.withPointer { device in
      _ = unsafe problem.fill { unsafe fp_device_identify_finish(device, result, nil, nil, $0) }
    }
    tell(.finished(problem.failure))
  }
}
