// SPDX-License-Identifier: Apache-2.0

internal import CSystem
internal import Glibc
internal import Policy
internal import System
internal import ThumbturnProtocol

/// Whose place is asked about.
struct PresenceQuestion {
  /// The process that asks, or the one on whose behalf a helper of root's does.
  var process: Int32
  /// The uid at the other end of the connection.
  var peer: UInt32
  /// The uid of the account.
  var target: UInt32
  /// The PAM service; only root's word counts.
  var service: Text
  /// The terminal without "/dev/", likewise.
  var terminal: Text
  /// The host that is named, likewise.
  var remoteHost: Text
}

/// Where a request comes from, and how the machine stands.
struct Surroundings: Equatable {
  var place: Place
  var lid: LidState
}

/// Tells where requests come from.
protocol PresenceJudge: AnyObject {
  /// Answers once, on the main loop and within 250 ms; maybe before this returns.
  func judge(_ question: PresenceQuestion, done: @escaping (Surroundings) -> Void)
}

/// Judges without a session manager: a console that is in front is a seat, another
/// machine is remote, and of everything else nothing is known.
final class ConsoleJudge: PresenceJudge {
  private let consoleFile: String

  /// `consoleFile` names the console in front, `tty2`.
  init(consoleFile: String = "/sys/class/tty/tty0/active") { self.consoleFile = consoleFile }

  func judge(_ question: PresenceQuestion, done: @escaping (Surroundings) -> Void) {
    done(Surroundings(place: place(of: question), lid: .unknown))
  }

  private func place(of question: PresenceQuestion) -> Place {
    guard Standing.isLocal(question.remoteHost) else { return .remote }
    guard question.peer == 0, let front, question.terminal == Text(cut: front) else { return .unknown }
    return .seat
  }

  private var front: String? {
    // SAFETY: the path is passed as a NUL-terminated copy.
    let raw = unsafe csystem_open(consoleFile, O_RDONLY, 0)
    guard let file = try? OwnedDescriptor(adopting: raw, from: "open"),
      let bytes = FileBytes.read(file.number, limit: 64)
    else { return nil }
    let name = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first.map(String.init)
    guard let name, name.hasPrefix("tty"), name.count > 3 else { return nil }
    return name
  }
}
