// SPDX-License-Identifier: Apache-2.0

internal import CSystem

/// What a child program is started with.
public struct ChildPlan: Sendable {
  /// The program's file; nothing is searched for.
  public var path: String
  /// What follows the program's name.
  public var arguments: [String] = []
  /// The whole environment, each `NAME=value`.
  public var environment: [String] = []
  /// What becomes descriptor 0, `nil`: `/dev/null`. It stays the caller's.
  public var standardInput: Int32?
  /// What becomes descriptor 1, `nil`: `/dev/null`. It stays the caller's.
  public var standardOutput: Int32?
  /// What becomes descriptor 3, `nil`: `/dev/null`. It stays the caller's.
  public var channel: Int32?
  /// Uid and gid to take, without other groups; `nil`: the parent's.
  public var identity: (user: UInt32, group: UInt32)?
  /// No new privileges, a network namespace of its own where possible, tight limits.
  public var isolated = false
  /// The most address space in MiB; 0: no limit.
  public var memoryMegabytes = 0

  /// Plans to start the program at `path`.
  public init(path: String) { self.path = path }
}

/// How a child stands.
public enum ChildState: Equatable, Sendable {
  /// It has not ended.
  case running
  /// It ended by itself with this status.
  case exited(status: Int32)
  /// A signal ended it, or its status is lost.
  case killed
}

/// Sole owner of one child process, which is killed with its owner.
///
/// The child runs in a session of its own with every other descriptor closed, and
/// the kernel kills it when the thread that started it ends.
public struct ChildProcess: ~Copyable {
  /// Its process number; means nothing once it was reaped.
  public let process: Int32
  private let watched: OwnedDescriptor
  private var state = ChildState.running

  /// Starts the program.
  ///
  /// - Throws: what failed before the program ran, `execve` included.
  public init(starting plan: ChildPlan) throws(SystemError) {
    let arguments = CStrings([plan.path] + plan.arguments)
    let environment = CStrings(plan.environment)
    // SAFETY: the strings live until the call returns; the child has its own copy by then.
    let started = unsafe plan.path.withCString { path in
      withExtendedLifetime((arguments, environment)) {
        var child = unsafe csystem_child(
          path: path, arguments: arguments.list, environment: environment.list,
          standard_input: plan.standardInput ?? -1, standard_output: plan.standardOutput ?? -1,
          channel: plan.channel ?? -1, uid: plan.identity?.user ?? .max, gid: plan.identity?.group ?? .max,
          isolated: plan.isolated ? 1 : 0, memory_megabytes: CInt(clamping: plan.memoryMegabytes))
        return unsafe csystem_start(&child)
      }
    }
    guard started > 0 else { throw SystemError("start") }
    let descriptor = csystem_pidfd_open(started)
    guard descriptor >= 0 else {
      let failure = SystemError("pidfd_open")
      end(started)
      throw failure
    }
    watched = try OwnedDescriptor(adopting: descriptor, from: "pidfd_open")
    process = started
  }

  deinit {
    if state == .running, csystem_reap(process) == -2 { end(process) }
  }

  /// The descriptor that becomes readable when the child has ended.
  public var watch: Int32 { watched.number }

  /// Asks how the child stands, and reaps it if it has ended; never waits.
  public mutating func poll() -> ChildState {
    guard state == .running else { return state }
    switch csystem_reap(process) {
    case -2: state = .running
    case -1: state = .killed
    case let status: state = .exited(status: status)
    }
    return state
  }

  /// Waits at most `limit` milliseconds for the child's end.
  public mutating func wait(limit: Int) -> ChildState {
    var entry = pollfd(fd: watched.number, events: Int16(POLLIN), revents: 0)
    // SAFETY: one entry, for the length of the call.
    _ = unsafe CSystem.poll(&entry, 1, CInt(clamping: limit))
    return poll()
  }

  /// Sends a signal unless the child was reaped already.
  public func signal(_ number: Int32) {
    if state == .running { _ = kill(process, number) }
  }
}

/// Kills a child, and waits for its end; a killed one is not long in ending.
private func end(_ process: Int32) {
  _ = kill(process, SIGKILL)
  while waitpid(process, nil, 0) < 0, csystem_errno() == EINTR {}
}

/// A NULL-terminated list of C strings, as `execve` takes them.
@safe private final class CStrings {
  let list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private let count: Int

  init(_ texts: [String]) {
    count = texts.count
    unsafe list = .allocate(capacity: count + 1)
    for index in 0..<count {
      // SAFETY: within what was allocated; strdup's copy is freed in deinit.
      unsafe (list + index).initialize(to: strdup(texts[index]))
    }
    unsafe (list + count).initialize(to: nil)
  }

  deinit {
    // SAFETY: the copies made above, each freed once.
    for index in 0..<count { unsafe free(list[index]) }
    unsafe list.deallocate()
  }
}
