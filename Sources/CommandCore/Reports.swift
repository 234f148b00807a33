// SPDX-License-Identifier: Apache-2.0

internal import System
internal import ThumbturnProtocol

/// Shows the enrolled fingers of an account.
func list(of user: Text, _ service: inout Service, _ output: inout Output) throws(Failure) {
  try service.send(.list(user))
  let prints = try service.collect { event in
    if case .listed(let print) = event { print } else { nil }
  }
  guard !prints.isEmpty else { return output.line("No finger of \(user.shown) is enrolled.") }
  let rows = prints.map { print in
    [
      print.finger.map { "\($0.name)" } ?? "?", localTime(print.created), print.state.shown,
      print.reader.shown,
    ]
  }
  output.table([["FINGER", "ENROLLED", "STATE", "READER"]] + rows)
}

/// Shows how the service is.
func reportStatus(json: Bool, _ service: inout Service, _ output: inout Output) throws(Failure) {
  try service.send(.status)
  let lines = try service.collect { event -> (key: Text, value: Text)? in
    guard case .status(let key, let value) = event else { return nil }
    return (key, value)
  }
  if json {
    let report = CommandCore.json(ofStatus: lines.map { ($0.key.raw, $0.value.raw) })
    return output.line(report.text)
  }
  output.table(lines.map { [$0.key.shown, $0.value.shown] })
}

/// Shows what a reader keeps itself, or empties it.
func showStorage(clear: Bool, _ service: inout Service, _ output: inout Output) throws(Failure) {
  try service.send(.storage(clear: clear))
  let rows = try service.collect { event -> [String]? in
    switch event {
    case .status(let reader, let state): [reader.shown, state.shown]
    case .waiting: []
    default: nil
    }
  }.filter { !$0.isEmpty }
  guard !rows.isEmpty else { return output.line("No attached reader keeps prints itself.") }
  output.table([["READER", "STORAGE"]] + rows)
}

extension Service {
  /// Takes events until `done`; `nil` from `body` means that one does not belong here.
  mutating func collect<Item>(_ body: (ServerEvent) -> Item?) throws(Failure) -> [Item] {
    var items: [Item] = []
    while true {
      let event = try next()
      if event == .done { return items }
      guard let item = body(event) else { throw .confused }
      items.append(item)
    }
  }
}

extension Output {
  mutating func table(_ rows: [[String]]) {
    for row in alignedRows(rows) { line(row) }
  }
}

extension ListedPrint.State {
  fileprivate var shown: String {
    switch self {
    case .good: "good"
    case .damaged: "damaged"
    case .foreign: "foreign"
    }
  }
}
