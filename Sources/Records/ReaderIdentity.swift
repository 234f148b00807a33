// SPDX-License-Identifier: Apache-2.0

public import ThumbturnProtocol

/// What the firmware says about where a USB device sits (sysfs `removable`,
/// Documentation/ABI/testing/sysfs-bus-usb of the kernel).
public enum Removable: UInt8, CaseIterable, Sendable {
  /// The firmware does not say.
  case unknown = 0
  /// Built in.
  case fixed = 1
  /// In a port that people can reach.
  case removable = 2
}

/// A USB reader as the kernel describes it, never as libfprint or the reader
/// process does: they parse what the device sends.
public struct USBIdentity: Equatable, Sendable {
  /// The vendor's number (`idVendor`).
  public var vendor: UInt16
  /// The product's number (`idProduct`).
  public var product: UInt16
  /// The serial number (`serial`), empty when the device has none.
  public var serial: Text
  /// Where it is plugged in; only compared, so its form is the finder's choice.
  public var port: Text
  /// Whether it is built in.
  public var removable: Removable

  /// Takes the kernel's description.
  public init(vendor: UInt16, product: UInt16, serial: Text, port: Text, removable: Removable) {
    self.vendor = vendor
    self.product = product
    self.serial = serial
    self.port = port
    self.removable = removable
  }

  /// Whether both describe one device, as far as the kernel can tell.
  ///
  /// - Vendor and product are the same.
  /// - The serial numbers are the same; one that has none is not the one that has.
  /// - Built in and removable exclude each other: a device plugged in from outside,
  ///   with copied numbers, is not the built-in reader.
  /// - Without serial numbers, a built-in reader also stays where it is.
  ///
  /// A device can copy all of this but the port, so it is a hurdle and no proof:
  /// who can replace a built-in device has the machine.
  public func isSameDevice(as other: USBIdentity) -> Bool {
    guard vendor == other.vendor, product == other.product, serial == other.serial else { return false }
    let places = [removable, other.removable]
    guard places.contains(.fixed) else { return true }
    return !places.contains(.removable) && (!serial.isEmpty || port == other.port)
  }
}

/// The reader a print was made on.
///
/// libfprint 1.94.5 compares neither driver nor device id of a print when it
/// verifies or identifies, and a USB device with a known reader's numbers may
/// answer "match" to everything; so a print counts only on its own reader.
public struct ReaderIdentity: Equatable, Sendable {
  /// libfprint's driver, `nb1010`.
  public var driver: Text
  /// libfprint's device id; tells readers of one driver apart.
  public var device: Text
  /// The name for people; never compared.
  public var name: Text
  /// What the kernel says; `nil` for a reader that is not on USB.
  public var usb: USBIdentity?

  /// Names a reader.
  public init(driver: Text, device: Text, name: Text, usb: USBIdentity?) {
    self.driver = driver
    self.device = device
    self.name = name
    self.usb = usb
  }

  /// Whether both are one reader: same driver and device id, and on USB the same
  /// device (``USBIdentity/isSameDevice(as:)``). On USB and not on USB are never one.
  public func isSameReader(as other: ReaderIdentity) -> Bool {
    guard driver == other.driver, device == other.device else { return false }
    switch (usb, other.usb) {
    case (nil, nil): return true
    case (let usb?, let other?): return usb.isSameDevice(as: other)
    case (nil, _), (_, nil): return false
    }
  }

  /// Tells the files of several readers apart; the record inside decides.
  ///
  /// Covers driver, device id, vendor, product and serial, and the port of a
  /// reader that is built in and has no serial.
  public var tag: UInt32 {
    var sum = Checksum()
    var texts = [driver, device]
    if let usb {
      for number in [usb.vendor, usb.product] {
        sum.add([UInt8(number >> 8), UInt8(truncatingIfNeeded: number)])
      }
      texts.append(usb.serial)
      if usb.serial.isEmpty, usb.removable == .fixed { texts.append(usb.port) }
    }
    for text in texts {
      sum.add(UInt8(text.count))
      for index in 0..<text.count { sum.add(text[index]) }
    }
    return sum.value
  }
}
