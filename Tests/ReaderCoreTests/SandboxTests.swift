// SPDX-License-Identifier: Apache-2.0

import CSandbox
import Glibc
import ReaderProtocol
import System
import Testing
import ThumbturnProtocol

@testable import ReaderCore

/// What is left to a reader process. The sandbox takes one thread, so a thread of its own tries it.
@Suite(.enabled(if: csandbox_version() >= 1, "this kernel has no Landlock"))
struct SandboxTests {
  /// Tries calls inside; each answers an errno, 0 for success.
  private func inside(_ folders: [String], _ body: @escaping @Sendable () -> [Int32]) throws -> [Int32] {
    final class Attempt {
      let folders: [String]
      let body: @Sendable () -> [Int32]
      var results: [Int32] = []
      init(_ folders: [String], _ body: @escaping @Sendable () -> [Int32]) {
        self.folders = folders
        self.body = body
      }
    }
    let attempt = Attempt(folders, body)
    var thread = pthread_t()
    // SAFETY: the object lives until the thread was joined below.
    let context = unsafe Unmanaged.passUnretained(attempt).toOpaque()
    let started = unsafe pthread_create(
      &thread, nil,
      { context in
        guard let context = unsafe context else { return nil }
        let attempt = unsafe Unmanaged<Attempt>.fromOpaque(context).takeUnretainedValue()
        if (try? Sandbox.enter(folders: attempt.folders)) != nil { attempt.results = attempt.body() }
        return nil
      }, context)
    guard started == 0 else { throw ReaderTestError("pthread_create") }
    pthread_join(thread, nil)
    return withExtendedLifetime(attempt) { attempt.results }
  }

  @Test func filesOutsideAreOutOfReach() throws {
    let folder = try ScratchFolder()
    let other = "\(folder.path)/device"
    let results = try inside([]) {
      [
        opened("/etc/shadow", O_RDONLY), opened("/root", O_RDONLY | O_DIRECTORY), opened("/home", O_RDONLY),
        opened("/var/lib", O_RDONLY), opened("/proc/1/status", O_RDONLY), opened(other, O_WRONLY | O_CREAT),
        opened("/usr/bin/env", O_WRONLY),
      ]
    }
    #expect(results == [EACCES, EACCES, EACCES, EACCES, EACCES, EACCES, EACCES])
  }

  @Test func whatDriversNeedIsThere() throws {
    let results = try inside([]) {
      [
        opened("/usr/lib", O_RDONLY), opened("/sys/bus", O_RDONLY), opened("/proc/self/maps", O_RDONLY),
        opened("/dev/null", O_RDWR), opened("/dev/urandom", O_RDONLY),
      ]
    }
    #expect(results == [0, 0, 0, 0, 0])
  }

  @Test func onlyNamedFoldersTakeFiles() throws {
    let folder = try ScratchFolder()
    let file = "\(folder.path)/device"
    let results = try inside([folder.path]) {
      [opened(file, O_WRONLY | O_CREAT), unsafe unlink(file) == 0 ? 0 : errno]
    }
    #expect(results == [0, 0])
  }

  @Test(.enabled(if: csandbox_version() >= 6, "this kernel's Landlock knows no signals"))
  func networkAndOtherProcessesAreOutOfReach() throws {
    let parent = getppid()
    let results = try inside([]) {
      let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(socket) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      // SAFETY: the size is the structure's own.
      let bound = unsafe withUnsafePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      return [bound == 0 ? 0 : errno, kill(parent, 0) == 0 ? 0 : errno]
    }
    #expect(results == [EACCES, EPERM])
  }

  /// A child would outlive the claim, with the reader in its hands.
  @Test func threadsAreAllowedAndProcessesAreNot() throws {
    let results = try inside([]) {
      var child = pid_t()
      var words: [UnsafeMutablePointer<CChar>?] = unsafe [strdup("true"), nil]
      // SAFETY: the list ends with NULL and lives through both calls.
      let spawned = unsafe posix_spawn(&child, "/usr/bin/true", nil, nil, &words, environ)
      let became = unsafe execv("/usr/bin/true", &words) == 0 ? 0 : errno
      unsafe free(words[0])
      var thread = pthread_t()
      // SAFETY: the thread is given nothing and joined at once.
      let started = unsafe pthread_create(&thread, nil, { _ in nil }, nil)
      if started == 0 { pthread_join(thread, nil) }
      return [spawned, became, started]
    }
    #expect(results == [EPERM, EPERM, 0])
  }

  @Test func theProgramIsInside() throws {
    let virtual = try VirtualReader.device()
    let reader = try RunningReader([], environment: virtual.environment)
    try reader.send(.open(driver: Text("virtual_device"), device: Text("0")))
    try reader.expect(.failed(.readerFailed))
    try reader.expectEnd()
  }
}

/// Opens and closes; answers the errno, 0 for success.
private func opened(_ path: String, _ flags: Int32) -> Int32 {
  let descriptor = unsafe open(path, flags, 0o600)
  if descriptor < 0 { return errno }
  close(descriptor)
  return 0
}
