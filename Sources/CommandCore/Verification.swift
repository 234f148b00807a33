// SPDX-License-Identifier: Apache-2.0

internal import CSystem
internal import ThumbturnProtocol

/// Tries a finger as a sign-in would; returns only when it was recognised.
func verify(_ user: Text, _ service: inout Service, _ output: inout Output) throws(Failure) {
  try service.send(.begin(request(for: user)))
  var isPersonsTurn = false
  while true {
    switch try service.next(unlimited: isPersonsTurn, whenStopped: .giveReaderUp) {
    case .waiting(let holder, let terminal):
      output.line(waitingLine(service: holder, terminal: terminal))
    case .accepted(let reader, let scan, let fingers):
      output.line(touchPrompt(reader: reader, scan: scan, fingers: fingers))
    case .armed: isPersonsTurn = true
    // Here a finger is tried; "thumbturn pattern check" tries the pattern.
    case .patternOffered: break
    case .fingerEnded(let reason):
      try service.send(.cancel)
      throw .refused(reason)
    case .mismatch(let left) where left > 0: output.line("Fingerprint not recognised; \(tries(left)) left.")
    case .mismatch: break
    case .retry(let reason): output.line("That scan does not count: \(reason.message).")
    case .matched(let nonce): try service.send(.confirm(nonce))
    case .voided: output.line("That touch came too late to count; touch again.")
    case .granted:
      output.line("Fingerprint recognised: \(user.shown).")
      return
    default: throw .confused
    }
  }
}

private func touchPrompt(reader: Text, scan: ScanType, fingers: FingerSet) -> String {
  let finger = fingers.only.map { "your \($0.name) finger" } ?? "an enrolled finger"
  return switch scan {
  case .press: "Waiting for a touch: put \(finger) on \"\(reader.shown)\"."
  case .swipe: "Waiting for a touch: swipe \(finger) over \"\(reader.shown)\"."
  }
}

private func tries(_ count: UInt8) -> String { count == 1 ? "1 try" : "\(count) tries" }

private func request(for user: Text) -> Begin {
  var begin = Begin()
  begin.service = Text("thumbturn")
  begin.user = user
  begin.terminal = terminalName()
  begin.realUser = getuid()
  return begin
}

/// The terminal at standard input without "/dev/", `pts/3`; empty without one.
private func terminalName() -> Text {
  // SAFETY: the name stays until the next call; it is copied at once.
  guard let path = unsafe ttyname(STDIN_FILENO) else { return Text() }
  let name = unsafe String(cString: path)
  return Text(name: name.hasPrefix("/dev/") ? String(name.dropFirst(5)) : name) ?? Text()
}
