// SPDX-License-Identifier: Apache-2.0

internal import CSystem
internal import Glibc
internal import System

/// The listening socket: systemd's, or one of our own.
final class Listener {
  private static let backlog: CInt = 64
  /// How many connections are taken before others are served.
  private static let atOnce = 8
  /// How long nothing is accepted when no descriptor is left, in milliseconds.
  private static let pause = 500

  private let descriptor: OwnedDescriptor
  /// The socket's path when it is ours to remove.
  private let path: String?
  private let accepted: (consuming OwnedDescriptor) -> Void
  private var watch: ReadWatch?
  private var pausing: Timer?

  /// Listens on the socket that systemd passed, otherwise at `path`, whose folder
  /// is made if it is missing. Each connection is handed to `accepted`.
  init(path: String, accepted: @escaping (consuming OwnedDescriptor) -> Void) throws(SystemError) {
    if let passed = try Listener.passed() {
      descriptor = passed
      self.path = nil
    } else {
      descriptor = try Listener.listen(path)
      self.path = path
    }
    self.accepted = accepted
    resume()
  }

  deinit {
    // SAFETY: here and below, a path is passed as a NUL-terminated copy.
    if let path { _ = unsafe unlink(path) }
  }

  /// Takes connections that wait, not more than a few: whoever connects without an end
  /// shares the loop with everybody else. Answers whether there were any.
  @discardableResult
  func accept() -> Bool {
    var some = false
    for _ in 0..<Listener.atOnce {
      do throws(SystemError) {
        let connection = try OwnedDescriptor(adopting: csystem_accept(descriptor.number), from: "accept")
        some = true
        accepted(connection)
      } catch {
        // A client that is gone already concerns nobody.
        if error.code == EINTR || error.code == ECONNABORTED { continue }
        if error.code != EAGAIN { rest() }
        return some
      }
    }
    return some
  }

  private func resume() {
    watch = ReadWatch(descriptor.number) { [weak self] in _ = self?.accept() }
  }

  /// Without a pause the loop would only find the same failure again and again.
  private func rest() {
    watch = nil
    pausing = Timer(milliseconds: Listener.pause) { [weak self] in self?.resume() }
  }

  private static func listen(_ path: String) throws(SystemError) -> OwnedDescriptor {
    if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
      let folder = String(path[..<slash])
      if unsafe mkdir(folder, 0o755) == 0 {
        // The umask is for files of our own; this folder is everybody's way to the socket.
        try check("chmod") { unsafe chmod(folder, 0o755) }
      } else if csystem_errno() != EEXIST {
        throw SystemError("mkdir")
      }
    }
    return try OwnedDescriptor(adopting: unsafe csystem_listen(path, 0o666, backlog), from: "listen")
  }

  /// The one socket that systemd passed, `nil` without one.
  private static func passed() throws(SystemError) -> OwnedDescriptor? {
    let passed = csystem_passed_listener()
    if passed < 0, csystem_errno() == ENOENT { return nil }
    return try OwnedDescriptor(adopting: passed, from: "the socket that was passed")
  }
}
