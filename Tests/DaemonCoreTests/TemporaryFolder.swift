// SPDX-License-Identifier: Apache-2.0

import Glibc
import System

@testable import DaemonCore

/// A folder that is there for one test.
final class TemporaryFolder {
  let path: String

  init() throws {
    var template = Array("/tmp/thumbturn-test-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw SystemError("mkdtemp", code: errno) }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit { TemporaryFolder.remove(path) }

  /// Makes a file (0600) below the folder; answers its path.
  @discardableResult
  func write(_ name: String, bytes: [UInt8], mode: mode_t = 0o600) throws -> String {
    let file = "\(path)/\(name)"
    let raw = unsafe open(file, O_WRONLY | O_CREAT | O_TRUNC, mode)
    let output = try OwnedDescriptor(adopting: raw, from: "open")
    try FileBytes.write(bytes, to: output.number)
    return file
  }

  @discardableResult
  func write(_ name: String, _ text: String) throws -> String { try write(name, bytes: Array(text.utf8)) }

  /// Makes a folder below the folder, with those above it; answers its path.
  @discardableResult
  func makeFolder(_ name: String) -> String {
    var whole = path
    for part in name.split(separator: "/") {
      whole += "/\(part)"
      _ = unsafe mkdir(whole, 0o755)
    }
    return whole
  }

  func setMode(_ name: String, _ mode: mode_t) throws {
    try check("chmod") { unsafe chmod("\(path)/\(name)", mode) }
  }

  func give(_ name: String, to uid: uid_t) throws {
    try check("chown") { unsafe chown("\(path)/\(name)", uid, uid) }
  }

  func link(_ name: String, to target: String) throws {
    try check("symlink") { unsafe symlink(target, "\(path)/\(name)") }
  }

  func makePipe(_ name: String) throws {
    try check("mkfifo") { unsafe mkfifo("\(path)/\(name)", 0o600) }
  }

  func names(_ name: String) throws -> [String] { try FolderNames.list(path: "\(path)/\(name)") }

  func bytes(_ name: String) throws -> [UInt8] {
    let raw = unsafe open("\(path)/\(name)", O_RDONLY)
    let file = try OwnedDescriptor(adopting: raw, from: "open")
    guard let bytes = FileBytes.read(file.number, limit: 1 << 20) else { throw SystemError("read") }
    return bytes
  }

  func exists(_ name: String) -> Bool { unsafe access("\(path)/\(name)", F_OK) == 0 }

  /// Permissions and type, 0 when there is none.
  func mode(_ name: String) -> mode_t {
    var status = stat()
    return unsafe lstat("\(path)/\(name)", &status) == 0 ? status.st_mode : 0
  }

  func removeTree(_ name: String) { TemporaryFolder.remove("\(path)/\(name)") }

  /// Removes a folder and all below it; follows no link.
  private static func remove(_ path: String) {
    for name in (try? FolderNames.list(path: path)) ?? [] {
      if unsafe unlink("\(path)/\(name)") != 0 { remove("\(path)/\(name)") }
    }
    _ = unsafe rmdir(path)
  }
}
