// SPDX-License-Identifier: Apache-2.0

internal import CSystem
internal import System

/// What a wait ended with.
enum Awaited: Equatable {
  case readable
  case nothing
  /// The program was stopped (Ctrl-Z) and goes on.
  case resumed
}

/// The signals that end or stop the program, taken as events, so that a terminal
/// is restored and a reader given back before they have their effect.
struct Signals: ~Copyable {
  private let descriptor: OwnedDescriptor

  init() throws(Failure) {
    do throws(SystemError) {
      descriptor = try OwnedDescriptor(adopting: csystem_signals(), from: "signalfd")
    } catch {
      throw .system("\(error)")
    }
  }

  /// Waits until `number` can be read, at most `limit` milliseconds (-1: for ever).
  ///
  /// `beforeStop` runs before Ctrl-Z stops the program.
  func wait(
    for number: CInt, limit: Int32 = -1, beforeStop: () throws(Failure) -> Void = {}
  ) throws(Failure) -> Awaited {
    var watched = [
      pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0),
      pollfd(fd: number, events: Int16(POLLIN), revents: 0),
    ]
    // SAFETY: the array has the two places that are named.
    let ready = unsafe poll(&watched, 2, limit)
    if ready < 0, csystem_errno() != EINTR { throw .system("\(SystemError("poll"))") }
    switch csystem_next_signal(descriptor.number) {
    case 0: break
    case SIGTSTP:
      try beforeStop()
      _ = kill(getpid(), SIGSTOP)
      return .resumed
    case let signal: throw .interrupted(signal: signal)
    }
    return watched[1].revents != 0 ? .readable : .nothing
  }
}
