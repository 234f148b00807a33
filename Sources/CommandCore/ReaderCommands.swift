// SPDX-License-Identifier: Apache-2.0

internal import ThumbturnProtocol

/// An attached reader, as the service names it.
private struct ShownReader {
  let name: Text
  let driver: Text
  let scan: ScanType
  /// Why it is not trusted, and where it is; `nil` for one that is.
  var doubt: (why: ReaderDoubt, place: Text)?

  /// `nil` for an event that names none.
  init?(_ event: ServerEvent) {
    switch event {
    case .reader(let name, let driver, let scan): (self.name, self.driver, self.scan) = (name, driver, scan)
    case .untrustedReader(let name, let driver, let scan, let why, let place):
      (self.name, self.driver, self.scan) = (name, driver, scan)
      doubt = (why, place)
    default: return nil
    }
  }

  var row: [String] {
    [driver.shown, scan.word, doubt?.why.word ?? "trusted", name.shown]
  }

  var json: JSON {
    .object([
      ("name", .string(name.raw)), ("driver", .string(driver.raw)), ("scan", .string(scan.word)),
      ("trust", .string(doubt?.why.word ?? "trusted")),
      ("place", .string(doubt?.place.raw ?? "")),
    ])
  }
}

/// Shows the attached readers.
func listReaders(json: Bool, _ service: inout Service, _ output: inout Output) throws(Failure) {
  try service.send(.readers)
  let readers = try service.collect { event -> [ShownReader]? in
    if case .waiting = event { return [] }
    return ShownReader(event).map { [$0] }
  }.flatMap { $0 }
  if json { return output.line(JSON.object([("readers", .array(readers.map(\.json)))]).text) }
  guard !readers.isEmpty else { return output.line("No fingerprint reader is attached.") }
  output.table([["DRIVER", "SCAN", "TRUST", "READER"]] + readers.map(\.row))
  for reader in readers {
    guard let doubt = reader.doubt else { continue }
    output.line("")
    output.line("\"\(reader.name.shown)\" (\(doubt.place.shown)): \(doubt.why.sentence)")
  }
}

/// Trusts the attached readers.
func trustReaders(
  _ service: inout Service, _ source: PasswordSource, _ output: inout Output
) throws(Failure) {
  try service.send(.trustReaders)
  var count = 0
  while true {
    switch try service.next() {
    case .proofWanted(let owner): try service.prove(owner, from: source)
    case .waiting(let holder, let terminal):
      output.line(waitingLine(service: holder, terminal: terminal))
    case .reader(let name, let driver, _):
      count += 1
      output.line("Trusted where it is: \"\(name.shown)\" (\(driver.shown)).")
    case .done:
      if count == 0 { output.line("Every attached reader is trusted already.") }
      return
    default: throw .confused
    }
  }
}

extension ScanType {
  fileprivate var word: String { self == .press ? "press" : "swipe" }
}

extension ReaderDoubt {
  fileprivate var word: String {
    switch self {
    case .new: "new"
    case .moved, .exchangeable: "unknown"
    }
  }

  fileprivate var sentence: String {
    switch self {
    case .new: "nothing is enrolled on it; \"thumbturn enroll\" makes it known."
    case .moved:
      "prints were made on a reader like this one, plugged in somewhere else. If you moved it, "
        + "\"thumbturn readers trust\" makes it known here."
    case .exchangeable:
      "it matches on its own chip and can be unplugged, so that another device could take its place. "
        + "If it is yours, \"thumbturn readers trust\" makes it known."
    }
  }
}
