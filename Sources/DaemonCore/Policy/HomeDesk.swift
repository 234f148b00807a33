// SPDX-License-Identifier: Apache-2.0

internal import CSystem
internal import Glibc
internal import ThumbturnProtocol

/// Looks whether home folders are there, on threads: a folder on the network may hang.
final class HomeDesk {
  /// How long anybody waits, in milliseconds; a folder that does not answer counts as missing.
  static let limit = 200

  private final class Waiter {
    var done: ((Bool) -> Void)?
    var timer: Timer?

    func answer(_ isThere: Bool) {
      timer = nil
      done?(isThere)
      done = nil
    }
  }

  private var waiters: [String: [Waiter]] = [:]

  /// Answers once, on the main loop; maybe before this returns. An account that names no
  /// folder needs none.
  func look(for account: Account, done: @escaping (Bool) -> Void) {
    guard let path = account.home.string, !path.isEmpty else { return done(true) }
    let waiter = Waiter()
    waiter.done = done
    waiter.timer = Timer(milliseconds: HomeDesk.limit) { [weak waiter] in waiter?.answer(false) }
    // One thread for a folder, however many ask and however long it hangs.
    let isRunning = waiters[path] != nil
    waiters[path, default: []].append(waiter)
    if isRunning { return }
    let look = HomeLook(path) { [weak self] isThere in
      for waiter in self?.waiters.removeValue(forKey: path) ?? [] { waiter.answer(isThere) }
    }
    if !look.start() { look.finished() }
  }
}

/// One look at a folder.
private final class HomeLook: BackgroundWork {
  /// `AT_NO_AUTOMOUNT` of linux/fcntl.h, which Swift's Glibc does not show.
  private static let noAutomount: CInt = 0x800

  private let path: String
  private var isThere = false
  private let done: (Bool) -> Void

  init(_ path: String, done: @escaping (Bool) -> Void) {
    self.path = path
    self.done = done
  }

  override func work() {
    var status = stat()
    // SAFETY: the path is passed as a NUL-terminated copy, the structure is ours.
    if unsafe fstatat(AT_FDCWD, path, &status, HomeLook.noAutomount) == 0 {
      isThere = status.st_mode & S_IFMT == S_IFDIR
    } else {
      // What may not be seen is there.
      isThere = csystem_errno() != ENOENT && csystem_errno() != ENOTDIR
    }
  }

  override func finished() { done(isThere) }
}
