// SPDX-License-Identifier: Apache-2.0

/// Why a request ended without success. Codes are append-only.
///
/// Closed on purpose: a new case breaks every `switch` that must decide what it
/// means to PAM and what to tell the person.
public enum Refusal: UInt8, Error, CaseIterable, Sendable {
  /// No reader is attached.
  case noReader = 1
  /// A reader is attached, but not the one the prints were made on, or it is not trusted.
  case unknownReader = 2
  /// Somebody else holds the reader and the wait for it ran out.
  case busy = 3
  /// The reader must cool down.
  case tooHot = 4
  /// The person has no print that this request could use.
  case nothingEnrolled = 5
  /// Another finger, as often as is allowed.
  case noMatch = 6
  /// No usable scan, as often as is allowed.
  case poorScan = 7
  /// The finger is locked until the password was given.
  case lockedOut = 8
  /// The request comes from another machine.
  case remote = 9
  /// The reader is under a closed lid.
  case lidClosed = 10
  /// Nobody touched the reader in time.
  case timedOut = 11
  /// The client took the request back.
  case cancelled = 12
  /// The daemon cannot be reached.
  case daemonMissing = 13
  /// The reader, or the process that drives it, failed.
  case readerFailed = 14
  /// The peer sent something that is not the protocol.
  case malformed = 15
  /// The peer speaks another version of the protocol.
  case unknownVersion = 16
  /// The peer may not ask for this.
  case notPermitted = 17
  /// There is no such user.
  case unknownUser = 18
  /// Too many requests at once from this user.
  case overloaded = 19
  /// The data could not be written; nothing was changed.
  case storageFailed = 20
  /// The password was not right.
  case wrongPassword = 21
  /// That finger is enrolled already.
  case duplicate = 22
  /// There is no such print.
  case notFound = 23
  /// Thumbturn itself failed.
  case malfunction = 24
  /// The pattern was not right.
  case wrongPattern = 25
  /// No pattern is set.
  case noPattern = 26
  /// The pattern is not one: too short, a cell twice, or none of the nine.
  case patternInvalid = 27
  /// The pattern is among those that are guessed first.
  case patternCommon = 28
  /// Too many wrong patterns; wait, or use the password.
  case patternLocked = 29
  /// The reader keeps prints itself and has no room left.
  case readerFull = 30
  /// The reader keeps prints itself and has this finger already.
  case keptByReader = 31
  /// Nothing but the password counts since the machine started.
  case passwordAfterStart = 32
  /// The password was last given too long ago.
  case passwordDue = 33
  /// Nothing but the password counts, because somebody said so.
  case lockdown = 34
  /// The home folder is not mounted; the password is what opens it.
  case homeClosed = 35
  /// The request does not come from the session in front of the reader.
  case notAtSeat = 36
  /// The configuration allows no fingerprint for this service.
  case factorOff = 37
}

/// The PAM return values a refusal can become, as Linux-PAM numbers them
/// (`_pam_types.h`). Success and "ignore" are not among them.
public enum PAMFailure: Int32, CaseIterable, Sendable {
  /// `PAM_SYSTEM_ERR`
  case systemError = 4
  /// `PAM_AUTH_ERR`
  case authError = 7
  /// `PAM_AUTHINFO_UNAVAIL`: this factor cannot be used now, ask the next one.
  case authInfoUnavailable = 9
  /// `PAM_USER_UNKNOWN`
  case userUnknown = 10
}

extension Refusal {
  /// What the refusal means to PAM. The only such table; a finger that cannot
  /// be used never blocks a password that can.
  public var pamFailure: PAMFailure {
    switch self {
    case .noMatch, .wrongPattern: .authError
    case .unknownUser: .userUnknown
    case .malfunction: .systemError
    case .noReader, .unknownReader, .busy, .tooHot, .nothingEnrolled, .poorScan, .lockedOut, .remote,
      .lidClosed, .timedOut, .cancelled, .daemonMissing, .readerFailed, .malformed, .unknownVersion,
      .notPermitted, .overloaded, .storageFailed, .wrongPassword, .duplicate, .notFound, .noPattern,
      .patternInvalid, .patternCommon, .patternLocked, .readerFull, .keptByReader, .passwordAfterStart,
      .passwordDue, .lockdown, .homeClosed, .notAtSeat, .factorOff:
      .authInfoUnavailable
    }
  }

  /// What it means in a stack that asks the reader alone, beside one that asks for
  /// the password. Desktops never ask such a stack again, until the next lock, once
  /// it answered `authInfoUnavailable`; so what another try may mend is a failed try.
  public var pamFailureAlone: PAMFailure {
    switch self {
    case .noMatch, .poorScan, .timedOut, .busy: .authError
    default: pamFailure
    }
  }

  /// One sentence for the person or the log, without a final stop.
  public var message: StaticString {
    switch self {
    case .noReader: "no fingerprint reader is attached"
    case .unknownReader: "the attached fingerprint reader is not a known one"
    case .busy: "the fingerprint reader is in use"
    case .tooHot: "the fingerprint reader must cool down"
    case .nothingEnrolled: "no fingerprint is enrolled"
    case .noMatch: "fingerprint not recognised"
    case .poorScan: "the fingerprint could not be read"
    case .lockedOut: "fingerprints are locked until the password is given"
    case .remote: "the reader is not used for requests from another machine"
    case .lidClosed: "the fingerprint reader is under the closed lid"
    case .timedOut: "nobody touched the fingerprint reader in time"
    case .cancelled: "cancelled"
    case .daemonMissing: "the fingerprint service is not running"
    case .readerFailed: "the fingerprint reader is unavailable"
    case .malformed: "the fingerprint service was sent something it does not understand"
    case .unknownVersion: "module and service are of different versions; restart the service"
    case .notPermitted: "you may not ask for this"
    case .unknownUser: "there is no such user"
    case .overloaded: "too many fingerprint requests at once"
    case .storageFailed: "the fingerprint data could not be written; nothing was changed"
    case .wrongPassword: "the password is not right"
    case .duplicate: "this finger is enrolled already"
    case .notFound: "there is no such fingerprint"
    case .malfunction: "the fingerprint service failed"
    case .wrongPattern: "the pattern is not right"
    case .noPattern: "no pattern is set"
    case .patternInvalid: "a pattern joins 4 to 9 of the cells 1 to 9, none of them twice"
    case .patternCommon: "that pattern is among the first that are guessed; choose another"
    case .patternLocked: "patterns are locked after too many wrong ones; use the password"
    case .readerFull: "the reader's own storage is full; delete a fingerprint first"
    case .keptByReader: "the reader's own storage has this finger already"
    case .passwordAfterStart: "after a start of the machine the password is needed once"
    case .passwordDue: "the password is needed again"
    case .lockdown: "only the password is taken until it is given once"
    case .homeClosed: "the password is needed to open the home folder"
    case .notAtSeat: "the reader is only used for the session in front of it"
    case .factorOff: "fingerprints are not used for this"
    }
  }
}
