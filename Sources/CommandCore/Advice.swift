// SPDX-License-Identifier: Apache-2.0

internal import ThumbturnProtocol

/// What somebody can do about a failure, `nil` where there is nothing to say.
func advice(for failure: Failure, of command: Command) -> String? {
  switch failure {
  case .refused(let refusal): advice(for: refusal, of: command)
  case .unreachable, .silent:
    "start it with \"systemctl start thumbturn.socket\", or run thumbturnd as root where there is no systemd"
  case .impostor: "nothing was sent to it; check --socket"
  case .noPassword: "run it on a terminal, or give the password with --password-stdin"
  case .hungUp, .confused, .system: "the service's log may tell more: journalctl -u thumbturn"
  case .noPattern: "see \"thumbturn help pattern\"; nothing was changed"
  case .patternLocked: advice(for: .patternLocked, of: command)
  case .interrupted: nil
  }
}

private func advice(for refusal: Refusal, of command: Command) -> String? {
  switch refusal {
  case .duplicate:
    if case .enroll(_, let finger) = command {
      "delete it first (thumbturn delete --finger \(finger.name)), or enrol another with --finger"
    } else {
      nil
    }
  case .readerFull: "\"thumbturn list\" shows yours; root sees all that it holds with \"thumbturn storage\""
  case .keptByReader: "another finger, account or system has it; see \"thumbturn help storage\""
  case .nothingEnrolled: "record a finger with \"thumbturn enroll\""
  case .notFound: "\"thumbturn list\" shows what there is"
  case .unknownReader: "see \"thumbturn readers\"; if it is yours, \"thumbturn readers trust\" or enrol on it"
  case .noReader: "attach one; \"thumbturn readers\" shows what is found"
  case .notPermitted: "only root may do this for another account"
  case .unknownVersion: "restart it with \"systemctl restart thumbturn.service\""
  case .busy, .tooHot, .overloaded: "try again in a minute"
  case .readerFailed: "try again; if it stays so, plug the reader in anew"
  case .lockedOut, .passwordAfterStart, .passwordDue, .lockdown, .homeClosed:
    "sign in with the password once"
  case .factorOff, .notAtSeat: "\"thumbturn policy SERVICE\" tells what is allowed, and why"
  case .noPattern: "set one with \"thumbturn pattern set\""
  case .patternInvalid, .patternCommon: "see \"thumbturn help pattern\"; nothing was changed"
  case .patternLocked: "wait, or set it anew with \"thumbturn pattern set\" and the password"
  case .storageFailed, .malformed, .malfunction:
    "the service's log may tell more: journalctl -u thumbturn"
  case .noMatch, .poorScan, .remote, .lidClosed, .timedOut, .cancelled, .daemonMissing, .unknownUser,
    .wrongPassword, .wrongPattern:
    nil
  }
}
