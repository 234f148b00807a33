// SPDX-License-Identifier: Apache-2.0

internal import ThumbturnProtocol

/// How far an enrolment is, as a line of text.
struct ProgressBar: Equatable {
  /// Scans that count so far; never more than `stages`.
  private(set) var done = 0
  /// Scans the reader wants, at least 1.
  let stages: Int
  /// What the person should know of the last scan.
  private(set) var note = ""

  private let scan: ScanType

  init(stages: UInt8, scan: ScanType = .press) {
    self.stages = max(Int(stages), 1)
    self.scan = scan
  }

  /// Takes what the service says of one scan.
  mutating func take(done count: UInt8, retry: RetryReason?) {
    done = min(Int(count), stages)
    let next = scan == .press ? "lift your finger, then touch again" : "good, now once more"
    note = retry.map { "\($0.message)" } ?? (done < stages ? next : "")
  }

  /// A bar for a terminal of so many columns: `[#####-----] 1/2  note`.
  ///
  /// Notes are cut and the bar shrinks to nothing where the terminal is narrow.
  func line(columns: Int) -> String {
    let count = "\(done)/\(stages)"
    let room = columns - 1 - count.count - 3
    guard room >= 5 else { return String(count.prefix(max(columns - 1, 0))) }
    let width = min(20, room)
    let filled = width * done / stages
    let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: width - filled)
    let line = "[\(bar)] \(count)" + (note.isEmpty ? "" : "  \(note)")
    return String(line.prefix(columns - 1))
  }

  /// The same for a file or a pipe.
  var plainLine: String { "scan \(done) of \(stages)" + (note.isEmpty ? "" : ": \(note)") }
}
