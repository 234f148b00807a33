// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Writes the frames that the unit tests freeze as files to begin with, a selecting byte in
/// front of each, into the folders `decoders` and `shim` below the folder it is given.
@main enum Seeds {
  static func main() {
    let folder = CommandLine.arguments.count > 1 ? CommandLine.arguments[1] : "."
    for (number, (_, frame)) in Golden.server.enumerated() {
      write([0] + frame, "\(folder)/decoders/event-\(number)")
      for before in [0, 1, 3] as [UInt8] {
        write([before] + frame, "\(folder)/shim/event-\(before)-\(number)")
      }
    }
    for (number, (_, frame)) in Golden.client.enumerated() {
      write([1] + frame, "\(folder)/decoders/message-\(number)")
    }
    for (number, report) in reports.enumerated() {
      write([2] + report.packet, "\(folder)/decoders/report-\(number)")
    }
    for (number, command) in commands.enumerated() {
      write([3] + command.packet, "\(folder)/decoders/command-\(number)")
    }
    for (number, record) in records.enumerated() {
      write([4] + record.bytes, "\(folder)/decoders/record-\(number)")
      write([5] + record.bytes.dropLast(4), "\(folder)/decoders/sealed-\(number)")
    }
  }

  static let commands: [ReaderCommand] = [
    .list, .open(driver: Text("nb1010"), device: Text("0")), .template(index: 5, bytes: [9, 0, 255]), .verify,
    .enroll(finger: .rightIndex, user: Text("ada")), .pause, .close, .erase(index: 5),
    .listStored, .clearStored,
  ]

  static let reports: [ReaderReport] = [
    .found(ReaderDescription()), .listed, .opened, .armed, .matched(index: 3), .mismatched,
    .retry(.notCentred), .resting, .stage(done: 2, retry: .tooShort),
    .enrolled(template: [70, 80, 51]), .idle, .failed(.tooHot), .erased(index: 5), .missing(index: 5),
    .stored(index: 5), .stored(index: nil), .storedListed, .cleared,
  ]

  static var records: [PrintRecord] {
    let usb = USBIdentity(
      vendor: 0x1C7A, product: 0x0570, serial: Text("S1"), port: Text("1-4"), removable: .fixed)
    let template = Array("FP3".utf8) + [1, 0, 0, 0, 0x64, 0, 0x30, 0, 1]
    return [usb, nil].compactMap { usb in
      let reader = ReaderIdentity(driver: Text("d"), device: Text("0"), name: Text("N"), usb: usb)
      return try? PrintRecord(
        user: Text("ada"), uid: 1000, finger: .rightIndex, reader: reader, generation: 3, created: 60,
        template: template)
    }
  }

  private static func write(_ bytes: some Collection<UInt8>, _ path: String) {
    guard let file = unsafe fopen(path, "w") else { fatalError("cannot write \(path)") }
    let bytes = Array(bytes)
    // SAFETY: as many bytes as are named.
    _ = unsafe fwrite(bytes, 1, bytes.count, file)
    unsafe fclose(file)
  }
}
