// SPDX-License-Identifier: Apache-2.0

internal import CFprint
internal import CGUSB
internal import ReaderProtocol
internal import ThumbturnProtocol

/// The readers that libfprint sees.
struct AttachedReaders: ~Copyable {
  private var context: Reference<ContextKind>?
  private var enumerated = false

  /// Calls `body` with each reader.
  ///
  /// The first call looks for them, which runs the main loop's other sources meanwhile. A
  /// context knows what was attached when it was made, so it is not made before.
  mutating func forEach(_ body: (borrowing Reference<DeviceKind>) -> Void) {
    let first = !enumerated
    enumerated = true
    if first {
      // SAFETY: fp_context_new is (transfer full).
      context = unsafe Reference(adopting: fp_context_new())
    }
    unsafe context?.withPointer { context in
      // SAFETY: a live context; the array and its devices stay the context's (transfer none).
      if first { unsafe fp_context_enumerate(context) }
      guard let devices = unsafe fp_context_get_devices(context)?.pointee else { return }
      for place in 0..<Int(unsafe devices.len) {
        // SAFETY: elements below `len` are devices.
        let device = unsafe devices.pdata[place]?.assumingMemoryBound(to: FpDevice.self)
        guard let device = unsafe Reference<DeviceKind>(retaining: device) else { continue }
        body(device)
      }
    }
  }
}

extension ReaderDescription {
  /// Describes an attached reader, open or not.
  init(_ device: borrowing Reference<DeviceKind>) {
    self.init()
    unsafe device.withPointer { pointer in
      // SAFETY: a live device; its strings stay its own and are copied at once.
      driver = unsafe Text(cString: fp_device_get_driver(pointer))
      self.device = unsafe Text(cString: fp_device_get_device_id(pointer))
      name = unsafe Text(cString: fp_device_get_name(pointer))
      scan = unsafe fp_device_get_scan_type(pointer) == FP_SCAN_TYPE_SWIPE ? .swipe : .press
      stages = UInt8(clamping: unsafe fp_device_get_nr_enroll_stages(pointer))
      identifies = unsafe fp_device_has_feature(pointer, FP_DEVICE_FEATURE_IDENTIFY) != 0
      stores = unsafe fp_device_has_feature(pointer, FP_DEVICE_FEATURE_STORAGE) != 0
      (bus, address) = unsafe usbPlace(of: pointer)
    }
  }
}

/// Bus and address of a reader on USB, zeros for one that is not. libfprint keeps the
/// GUsbDevice in a private property that reads as NULL for other readers.
private func usbPlace(of device: UnsafeMutablePointer<FpDevice>) -> (bus: UInt8, address: UInt8) {
  let name = "fpi-usb-device"
  // SAFETY: the value is initialised with the property's own type, read, and cleared; the
  // GUsbDevice stays the value's.
  let object = unsafe UnsafeMutablePointer<GObject>(OpaquePointer(device))
  guard let type = unsafe object.pointee.g_type_instance.g_class else { return (0, 0) }
  let owner = unsafe UnsafeMutablePointer<GObjectClass>(OpaquePointer(type))
  guard unsafe g_object_class_find_property(owner, name) != nil else { return (0, 0) }
  var value = GValue()
  _ = unsafe g_value_init(&value, g_usb_device_get_type())
  defer { unsafe g_value_unset(&value) }
  unsafe g_object_get_property(object, name, &value)
  guard let usb = unsafe g_value_get_object(&value)?.assumingMemoryBound(to: GUsbDevice.self) else {
    return (0, 0)
  }
  return unsafe (g_usb_device_get_bus(usb), g_usb_device_get_address(usb))
}

extension Text {
  /// Copies a C string; what is beyond the capacity is left out, NULL is empty.
  @safe init(cString: UnsafePointer<CChar>?) {
    self.init()
    guard var place = unsafe cString else { return }
    // SAFETY: read up to the NUL that ends every C string.
    while unsafe place.pointee != 0, append(UInt8(bitPattern: unsafe place.pointee)) {
      unsafe place += 1
    }
  }
}
