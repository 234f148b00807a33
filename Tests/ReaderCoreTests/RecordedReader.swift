// SPDX-License-Identifier: Apache-2.0

import Glibc
import System

/// A recorded reader: its folder, and the device node it was recorded at.
struct Recording: Sendable {
  let folder: String
  let node: String

  static let nb1010 = Recording("nb1010")

  private init?(_ name: String) {
    // SAFETY: the environment does not change meanwhile.
    let root = unsafe getenv("THUMBTURN_RECORDINGS").map { unsafe String(cString: $0) }
    // The package lies three levels above this file, the recordings beside the package.
    var place = #filePath.split(separator: "/").dropLast(4)
    place += ["shared", "recordings"]
    folder = (root ?? "/" + place.joined(separator: "/")) + "/" + name
    let capture = "\(folder)/capture.ioctl"
    guard unsafe access("/usr/bin/umockdev-run", X_OK) == 0, let file = unsafe fopen(capture, "r") else {
      return nil
    }
    defer { unsafe fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    // SAFETY: at most the buffer's length is written.
    guard unsafe fgets(&line, Int32(line.count), file) != nil else { return nil }
    // The first line is `@DEV NODE ...`.
    let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      .split(whereSeparator: \.isWhitespace)
    guard words.count >= 2, words[0] == "@DEV" else { return nil }
    node = String(words[1])
  }
}

/// `umockdev-run` with one recorded reader, for as long as this lives.
final class RecordedReader {
  private var child: ChildProcess
  private let input: OwnedDescriptor
  private let folder: String

  init(_ recording: Recording) throws {
    var inputs = try DescriptorPair.pipe()
    var outputs = try DescriptorPair.pipe()
    guard let childInput = inputs.takeNear(), let input = inputs.takeFar(),
      let output = outputs.takeNear(), let childOutput = outputs.takeFar()
    else { throw ReaderTestError("no pipes") }
    var plan = ChildPlan(path: "/usr/bin/umockdev-run")
    plan.arguments = [
      "-d", "\(recording.folder)/device", "-i", "\(recording.node)=\(recording.folder)/capture.ioctl", "--",
      "/bin/sh", "-c", "echo $UMOCKDEV_DIR; exec cat",
    ]
    plan.environment = ["PATH=/usr/bin:/bin"]
    plan.standardInput = childInput.number
    plan.standardOutput = childOutput.number
    child = try ChildProcess(starting: plan)
    self.input = input
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
        "FP_DRIVERS_WHITELIST=nb1010", "FP_DRIVERS_ALLOWLIST=nb1010",
      ], quiet: true)
  }

  deinit {
    // umockdev-run forwards this to what it runs, and removes its folder.
    child.signal(SIGTERM)
    _ = child.wait(limit: 5_000)
  }
}
