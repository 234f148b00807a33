// SPDX-License-Identifier: Apache-2.0

internal import ThumbturnProtocol

/// Records one finger, with a progress bar.
func enroll(
  _ finger: Finger, of user: Text, _ service: inout Service, _ source: PasswordSource,
  _ output: inout Output
) throws(Failure) {
  output.line("Enrolling \(finger.name) of \(user.shown).")
  try service.send(.enroll(PrintRequest(user: user, finger: finger)))
  var bar: ProgressBar?
  while true {
    switch try service.next(unlimited: bar != nil) {
    case .proofWanted(let owner): try service.prove(owner, from: source)
    case .waiting(let holder, let terminal):
      output.line(waitingLine(service: holder, terminal: terminal))
    case .enrolling(let reader, let scan, let stages):
      let started = ProgressBar(stages: stages, scan: scan)
      output.line(scanAdvice(reader: reader, scan: scan, stages: started.stages))
      output.redraw(started.line(columns: output.columns))
      bar = started
    case .stage(let done, let retry):
      guard var moved = bar else { throw .confused }
      moved.take(done: done, retry: retry)
      output.show(moved)
      bar = moved
    case .done:
      output.line("Enrolled. Try it with \"thumbturn verify\".")
      return
    case .armed: break
    default: throw .confused
    }
  }
}

/// How to put a finger on this reader.
private func scanAdvice(reader: Text, scan: ScanType, stages: Int) -> String {
  switch scan {
  case .press:
    """
    Put the finger on "\(reader.shown)" \(stages) times. Lift it in between, and
    turn it a little each time, so that more of it becomes known.
    """
  case .swipe:
    """
    Swipe the finger over "\(reader.shown)" \(stages) times, flat, straight and
    not too fast, from the first joint to the tip.
    """
  }
}

extension Output {
  fileprivate mutating func show(_ bar: ProgressBar) {
    if columns > 0 {
      redraw(bar.line(columns: columns))
    } else {
      line(bar.plainLine)
    }
  }
}

/// Deletes one finger or all of them.
func delete(
  _ finger: Finger?, of user: Text, _ service: inout Service, _ source: PasswordSource,
  _ output: inout Output
) throws(Failure) {
  try service.send(.delete(PrintRequest(user: user, finger: finger)))
  while true {
    switch try service.next() {
    case .proofWanted(let owner): try service.prove(owner, from: source)
    case .waiting(let holder, let terminal):
      output.line(waitingLine(service: holder, terminal: terminal))
    case .leftOnReader(let reader, let reason):
      output.line("\"\(reader.shown)\" still holds it in its own storage: \(reason.message).")
    case .done:
      let what = finger.map { "\($0.name)" } ?? "All fingers"
      output.line("\(what) of \(user.shown) deleted.")
      return
    default: throw .confused
    }
  }
}
