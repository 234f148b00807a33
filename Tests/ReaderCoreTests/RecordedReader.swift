// SPDX-License-Identifier: Apache-2.0

import Glibc
import System

/// A recorded reader: its folder, its driver, and how umockdev attaches what was recorded.
struct Recording: Sendable {
  let folder: String
  let driver: String
  /// `-i NODE=FILE` for an ioctl recording, `-p DEVICE=FILE` for a recording of packets.
  let attach: [String]

  static let nb1010 = Recording("nb1010", driver: "nb1010")
  static let elanmoc = Recording("elanmoc", driver: "elanmoc")
  static let synaptics = Recording("synaptics", driver: "synaptics")

  /// `nil` where the recording or umockdev is missing.
  private init?(_ name: String, driver: String) {
    // SAFETY: the environment does not change meanwhile.
    let root = unsafe getenv("THUMBTURN_RECORDINGS").map { unsafe String(cString: $0) }
    // The package lies three levels above this file, the recordings beside the package.
    var place = #filePath.split(separator: "/").dropLast(4)
    place += ["shared", "recordings"]
    let folder = (root ?? "/" + place.joined(separator: "/")) + "/" + name
    guard unsafe access("/usr/bin/umockdev-run", X_OK) == 0 else { return nil }
    self.folder = folder
    self.driver = driver
    // An ioctl recording starts `@DEV NODE ...`, a device's description `P: DEVPATH`.
    if let words = firstLine("\(folder)/capture.ioctl"), words.count >= 2, words[0] == "@DEV" {
      attach = ["-i", "\(words[1])=\(folder)/capture.ioctl"]
    } else if let words = firstLine("\(folder)/device"), words.count >= 2, words[0] == "P:" {
      attach = ["-p", "/sys\(words[1])=\(folder)/custom.pcapng"]
    } else {
      return nil
    }
  }
}

/// The words of a file's first line, `nil` when there is no such file.
private func firstLine(_ path: String) -> [Substring]? {
  guard let file = unsafe fopen(path, "r") else { return nil }
  // SAFETY: opened above, closed once.
  defer { unsafe fclose(file) }
  var line = [CChar](repeating: 0, count: 256)
  // SAFETY: at most the buffer's length is written.
  guard unsafe fgets(&line, Int32(line.count), file) != nil else { return nil }
  return String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    .split(whereSeparator: \.isWhitespace)
}

/// `umockdev-run` with one recorded reader, for as long as this lives.
final class RecordedReader {
  private var child: ChildProcess
  private let input: OwnedDescriptor
  private let folder: String
  private let driver: String

  init(_ recording: Recording) throws {
    var inputs = try DescriptorPair.pipe()
    var outputs = try DescriptorPair.pipe()
    guard let childInput = inputs.takeNear(), let input = inputs.takeFar(),
      let output = outputs.takeNear(), let childOutput = outputs.takeFar()
    else { throw ReaderTestError("no pipes") }
    var plan = ChildPlan(path: "/usr/bin/umockdev-run")
    plan.arguments =
      ["-d", "\(recording.folder)/device"] + recording.attach + [
        "--", "/bin/sh", "-c", "echo $UMOCKDEV_DIR; exec cat",
      ]
    plan.environment = ["PATH=/usr/bin:/bin"]
    plan.standardInput = childInput.number
    plan.standardOutput = childOutput.number
    child = try ChildProcess(starting: plan)
    self.input = input
    driver = recording.driver
    var line: [UInt8] = []
    var byte: UInt8 = 0
    // SAFETY: one byte.
    while unsafe read(output.number, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
    folder = String(decoding: line, as: UTF8.self)
  }

  /// The reader process as umockdev wants it; its driver's complaints are left out.
  func start(settle: Int) throws -> RunningReader {
    try RunningReader(
      ["--settle", "\(settle)", "--allow-folder", folder],
      environment: [
        "UMOCKDEV_DIR=\(folder)", "LD_PRELOAD=libumockdev-preload.so.0", "FP_DEVICE_EMULATION=1",
        "FP_DRIVERS_WHITELIST=\(driver)", "FP_DRIVERS_ALLOWLIST=\(driver)",
      ], quiet: true)
  }

  deinit {
    // umockdev-run forwards this to what it runs, and removes its folder.
    child.signal(SIGTERM)
    _ = child.wait(limit: 5_000)
  }
}
