// SPDX-License-Identifier: Apache-2.0

internal import ThumbturnProtocol

/// How the program ends. A signal's number plus 128 stands for one that ended it.
enum ExitCode: Int32, CaseIterable, Sendable {
  case done = 0
  case refused = 1
  case usage = 2
  case serviceUnavailable = 3
  case notPermitted = 4
  case readerUnavailable = 5
  case failed = 6

  /// One line for the help.
  var meaning: String {
    switch self {
    case .done: "done; the finger was recognised"
    case .refused: "refused, or the finger was not recognised"
    case .usage: "the command line makes no sense"
    case .serviceUnavailable: "the service is not running or does not answer"
    case .notPermitted: "not permitted, or the password was wrong"
    case .readerUnavailable: "the reader is missing, in use, too hot or broken"
    case .failed: "the service or its data failed"
    }
  }

  /// The one table from refusals to exit codes; none of them is `done`.
  init(_ refusal: Refusal) {
    switch refusal {
    case .nothingEnrolled, .noMatch, .poorScan, .lockedOut, .remote, .timedOut, .cancelled, .unknownUser,
      .duplicate, .notFound, .wrongPattern, .noPattern, .patternInvalid, .patternCommon, .patternLocked,
      .readerFull, .keptByReader, .passwordAfterStart, .passwordDue, .lockdown, .homeClosed, .notAtSeat,
      .factorOff:
      self = .refused
    case .daemonMissing, .overloaded, .unknownVersion: self = .serviceUnavailable
    case .notPermitted, .wrongPassword: self = .notPermitted
    case .noReader, .unknownReader, .busy, .tooHot, .lidClosed, .readerFailed: self = .readerUnavailable
    case .malformed, .storageFailed, .malfunction: self = .failed
    }
  }
}

/// Why a command ended without success.
enum Failure: Error, Equatable {
  /// The service said so.
  case refused(Refusal)
  /// The service cannot be reached; the reason.
  case unreachable(String)
  /// Somebody other than root listens at the socket.
  case impostor(user: UInt32)
  /// The service fell silent.
  case silent
  /// The service hung up in the middle.
  case hungUp
  /// The service said something that does not belong here.
  case confused
  /// What was given is no pattern, or not the same twice; why.
  case noPattern(String)
  /// Patterns are locked for so many seconds; 0 until one is set anew.
  case patternLocked(seconds: UInt64)
  /// A password is needed and cannot be asked for; why.
  case noPassword(String)
  /// A signal asked the program to end.
  case interrupted(signal: Int32)
  /// A call of the C library failed.
  case system(String)

  /// How the program ends.
  var exitCode: Int32 {
    switch self {
    case .refused(let refusal): ExitCode(refusal).rawValue
    case .unreachable, .silent, .hungUp: ExitCode.serviceUnavailable.rawValue
    case .impostor, .noPassword: ExitCode.notPermitted.rawValue
    case .noPattern, .patternLocked: ExitCode.refused.rawValue
    case .confused, .system: ExitCode.failed.rawValue
    case .interrupted(let signal): 128 + signal
    }
  }

  /// What went wrong, without a final stop.
  var message: String {
    switch self {
    case .refused(let refusal): "\(refusal.message)"
    case .unreachable(let reason): "\(Refusal.daemonMissing.message) (\(reason))"
    case .impostor(let user): "uid \(user) listens at the service's socket, not root"
    case .silent: "the fingerprint service does not answer"
    case .hungUp: "the fingerprint service ended without an answer"
    case .confused: "the fingerprint service answered something unexpected"
    case .noPattern(let reason): reason
    case .patternLocked(let seconds):
      "patterns are locked \(lockWords(seconds: seconds)) after too many wrong ones"
    case .noPassword(let reason): "the password is needed, but \(reason)"
    case .interrupted: "cancelled"
    case .system(let call): call
    }
  }
}
