// SPDX-License-Identifier: Apache-2.0

internal import CFprint
internal import CGUSB
internal import ThumbturnProtocol

extension DeviceFailure {
  /// Reads domain and code of a GError. Its message is left alone: libfprint 1.94.5
  /// makes errors whose message is NULL, and a driver's text is no one's advice.
  @safe init?(_ error: UnsafePointer<GError>?) {
    // SAFETY: NULL or a live GError, only read.
    guard let error = unsafe error?.pointee else { return nil }
    let code = UInt32(bitPattern: unsafe error.code)
    switch unsafe error.domain {
    case fp_device_retry_quark(): self = .retry(RetryReason(device: FpDeviceRetry(rawValue: code)))
    case fp_device_error_quark(): self = .fatal(Refusal(device: FpDeviceError(rawValue: code)))
    // A driver may hear of it from USB before libfprint does.
    case g_usb_device_error_quark() where code == G_USB_DEVICE_ERROR_NO_DEVICE.rawValue:
      self = .fatal(.noReader)
    case g_io_error_quark() where code == G_IO_ERROR_CANCELLED.rawValue: self = .cancelled
    default: self = .fatal(.readerFailed)
    }
  }

  @safe init?(_ error: UnsafeMutablePointer<GError>?) {
    // SAFETY: as above.
    unsafe self.init(UnsafePointer(error))
  }
}

extension RetryReason {
  init(device reason: FpDeviceRetry) {
    switch reason {
    case FP_DEVICE_RETRY_TOO_SHORT: self = .tooShort
    case FP_DEVICE_RETRY_CENTER_FINGER: self = .notCentred
    case FP_DEVICE_RETRY_REMOVE_FINGER: self = .liftFinger
    default: self = .general
    }
  }
}

extension Refusal {
  /// libfprint may get codes that are not known here; they mean a failed reader.
  init(device error: FpDeviceError) {
    switch error {
    case FP_DEVICE_ERROR_BUSY: self = .busy
    case FP_DEVICE_ERROR_REMOVED: self = .noReader
    case FP_DEVICE_ERROR_TOO_HOT: self = .tooHot
    case FP_DEVICE_ERROR_DATA_NOT_FOUND: self = .notFound
    case FP_DEVICE_ERROR_DATA_DUPLICATE: self = .keptByReader
    case FP_DEVICE_ERROR_DATA_FULL: self = .readerFull
    default: self = .readerFailed
    }
  }
}
