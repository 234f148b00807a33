// SPDX-License-Identifier: Apache-2.0

internal import CSystem

/// Standard output: lines, and on a terminal one line that is redrawn.
struct Output {
  /// The width of the terminal, 0 when lines go to a file or a pipe.
  let columns: Int
  private var unfinished = false

  init() {
    let isTerminal = isatty(STDOUT_FILENO) == 1 && !terminalIsDumb()
    let width = Int(csystem_columns(STDOUT_FILENO))
    columns = isTerminal ? (width > 0 ? width : 80) : 0
  }

  /// Writes a line of its own.
  mutating func line(_ text: String) {
    finish()
    write(text + "\n", to: STDOUT_FILENO)
  }

  /// Redraws the moving line; only on a terminal.
  mutating func redraw(_ text: String) {
    guard columns > 0 else { return }
    write("\r" + text + "\u{1B}[K", to: STDOUT_FILENO)
    unfinished = true
  }

  /// Ends the moving line, so that the next text starts below it.
  mutating func finish() {
    guard unfinished else { return }
    unfinished = false
    write("\n", to: STDOUT_FILENO)
  }
}

private func terminalIsDumb() -> Bool {
  // SAFETY: getenv answers NULL or a string that stays while nobody changes the environment.
  guard let name = unsafe getenv("TERM") else { return true }
  return unsafe String(cString: name) == "dumb"
}

/// Writes all of `text`; what cannot be written is lost, as nobody reads it.
func write(_ text: String, to descriptor: CInt) {
  var rest = Array(text.utf8)[...]
  while !rest.isEmpty {
    let written = unsafe rest.withUnsafeBytes { buffer in
      // SAFETY: the buffer lives through the call, which only reads it.
      unsafe write(descriptor, buffer.baseAddress, buffer.count)
    }
    if written < 0, csystem_errno() != EINTR { return }
    rest = rest.dropFirst(max(written, 0))
  }
}

/// Writes an error and what can be done about it to standard error.
func complain(_ message: String, hint: String?) {
  write("thumbturn: \(message)\n", to: STDERR_FILENO)
  if let hint { write("  \(hint)\n", to: STDERR_FILENO) }
}
