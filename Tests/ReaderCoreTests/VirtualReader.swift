// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

/// One of the virtual readers in Debian's libfprint.
struct VirtualReader {
  let driver: String
  let folder: ScratchFolder
  var socket: String { "\(folder.path)/\(name)" }
  private let name: String

  static func device() throws -> VirtualReader { try VirtualReader("virtual_device", "device") }
  static func storage() throws -> VirtualReader { try VirtualReader("virtual_device_storage", "storage") }
  static func image() throws -> VirtualReader { try VirtualReader("virtual_image", "image") }

  private init(_ driver: String, _ name: String) throws {
    self.driver = driver
    self.name = name
    folder = try ScratchFolder()
  }

  /// What makes libfprint offer this reader and no other.
  var environment: [String] {
    let variable =
      switch name {
      case "device": "FP_VIRTUAL_DEVICE"
      case "storage": "FP_VIRTUAL_DEVICE_STORAGE"
      default: "FP_VIRTUAL_IMAGE"
      }
    return [
      "\(variable)=\(socket)", "FP_DRIVERS_WHITELIST=\(driver)", "FP_DRIVERS_ALLOWLIST=\(driver)",
    ]
  }

  func start(settle: Int = 0) throws -> RunningReader {
    try RunningReader(
      ["--settle", "\(settle)", "--allow-folder", folder.path], environment: environment)
  }

  /// Sends text commands, one a connection, each taken when this returns.
  func command(_ commands: String...) throws {
    for command in commands { try send(Array(command.utf8)) }
  }

  /// Shows a picture to the image reader.
  func show(_ picture: Picture) throws {
    try send(number(picture.width) + number(picture.height) + picture.pixels)
  }

  /// Gives the image reader a command: -1 retries, -2 errors, -3 automatic finger, -4 finger.
  func imageCommand(_ command: Int, _ argument: Int) throws { try send(number(command) + number(argument)) }

  private func number(_ value: Int) -> [UInt8] {
    let bits = UInt32(bitPattern: Int32(value))
    return (0..<4).map { UInt8(truncatingIfNeeded: bits >> ($0 * 8)) }
  }

  /// Delivers bytes on a connection of their own and waits until the reader hangs up.
  private func send(_ bytes: [UInt8]) throws {
    let connection = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(connection) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // SAFETY: the path is shorter than the field, which starts as zeros; sizes are the structures' own.
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: socket.utf8) }
    let connected = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(connection, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard connected == 0 else { throw ReaderTestError("cannot reach \(socket)") }
    guard unsafe Glibc.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
      throw ReaderTestError("cannot write to \(socket)")
    }
    shutdown(connection, Int32(SHUT_WR))
    var byte: UInt8 = 0
    // SAFETY: one byte.
    _ = unsafe read(connection, &byte, 1)
  }
}

/// A grey picture with ridges and minutiae, the same for the same seed: the ridge phase is a
/// distance plus one spiral for each minutia. Enough for libfprint to find and match minutiae.
struct Picture {
  let width = 256
  let height = 288
  let pixels: [UInt8]

  init(seed: UInt64) {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    func random(_ limit: Int) -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Double((state >> 33) % UInt64(limit))
    }
    let centre = (x: 128 + random(40) - 20, y: 190 + random(40) - 20)
    let minutiae = (0..<36).map { (x: 20 + random(216), y: 20 + random(248), sign: $0 % 2 == 0 ? 1.0 : -1.0) }
    var pixels: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width {
        let place = (x: Double(x), y: Double(y))
        var phase = 2 * Double.pi * hypot(place.x - centre.x, place.y - centre.y) / 9
        for minutia in minutiae { phase += minutia.sign * atan2(place.y - minutia.y, place.x - minutia.x) }
        pixels.append(UInt8(128 + 110 * cos(phase)))
      }
    }
    self.pixels = pixels
  }
}
