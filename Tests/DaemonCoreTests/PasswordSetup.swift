// SPDX-License-Identifier: Apache-2.0

import Glibc
import System
import Testing

@testable import DaemonCore

/// The program beside this test's own.
let passwordChecker: String = {
  var characters = [CChar](repeating: 0, count: Int(PATH_MAX))
  let count = unsafe readlink("/proc/self/exe", &characters, characters.count)
  let own = String(decoding: characters.prefix(max(count, 0)).map(UInt8.init(bitPattern:)), as: UTF8.self)
  return own.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/thumbturn-pwcheck"
}()

/// An account with a password, there for one test.
final class TemporaryAccount {
  let name: String

  init(password: String) throws {
    name = "thumbturn-t\(UInt32.random(in: 0...UInt32.max))"
    try run("/usr/sbin/useradd", ["--no-create-home", "--shell", "/usr/sbin/nologin", name])
    try run("/usr/sbin/chpasswd", [], input: "\(name):\(password)\n")
  }

  /// Also where something else still runs under a number that the account was given again.
  deinit {
    do { try run("/usr/sbin/userdel", ["--force", name]) } catch { Issue.record("\(name) stays: \(error)") }
  }
}

/// The PAM service: the one of this machine, or the shipped one for one test.
final class PasswordService {
  private static let path = "/etc/pam.d/thumbturn-password"
  /// Whether this machine has none, so that a test may make its own.
  static let canBeChanged = unsafe access(path, F_OK) != 0
  private let isOurs: Bool

  init() throws {
    isOurs = PasswordService.canBeChanged
    if isOurs { try replace(try shipped()) }
  }

  deinit { if isOurs { _ = unsafe unlink(PasswordService.path) } }

  func replace(_ text: String) throws {
    let raw = unsafe open(PasswordService.path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    let file = try OwnedDescriptor(adopting: raw, from: "open")
    try FileBytes.write(Array(text.utf8), to: file.number)
  }

  func remove() throws {
    try check("unlink") { unsafe unlink(PasswordService.path) }
  }

  private func shipped() throws -> String {
    let root = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" }
    let raw = unsafe open("\(root)/config/pam.d/thumbturn-password", O_RDONLY)
    let file = try OwnedDescriptor(adopting: raw, from: "open")
    guard let bytes = FileBytes.read(file.number, limit: 1 << 16) else { throw SystemError("read") }
    return String(decoding: bytes, as: UTF8.self)
  }
}
