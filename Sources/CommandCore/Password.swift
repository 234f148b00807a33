// SPDX-License-Identifier: Apache-2.0

internal import CSystem
internal import System
internal import ThumbturnProtocol

/// Where a password comes from.
enum PasswordSource: Equatable {
  /// The terminal the program runs on, whatever its standard input is.
  case terminal
  /// One line of standard input.
  case standardInput
}

/// A password that somebody gave. Its bytes are wiped with it.
struct Password: ~Copyable {
  private var secret = Secret(capacity: Wire.maximumSecret + 1)
  private var count = 0

  init(from source: PasswordSource, prompt: String, signals: borrowing Signals) throws(Failure) {
    switch source {
    case .terminal: try askOnTerminal(prompt, signals)
    case .standardInput: try readLine(from: STDIN_FILENO, signals)
    }
  }

  /// Lends the password for the length of one call.
  borrowing func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    secret.withBytes { body($0.extracting(first: count)) }
  }

  /// Whether it could be taken for a pattern: 4 to 9 of the digits 1 to 9.
  var looksLikePattern: Bool {
    withBytes { bytes in
      guard (4...9).contains(bytes.count) else { return false }
      for index in bytes.indices where !(0x31...0x39).contains(bytes[index]) { return false }
      return true
    }
  }

  /// Whether the same was given twice.
  borrowing func isSame(as other: borrowing Password) -> Bool {
    withBytes { mine in
      other.withBytes { theirs in
        guard mine.count == theirs.count else { return false }
        for index in mine.indices where mine[index] != theirs[index] { return false }
        return true
      }
    }
  }

  private mutating func askOnTerminal(_ prompt: String, _ signals: borrowing Signals) throws(Failure) {
    let terminal = try openTerminal()
    // Silent before the prompt is seen, or what is typed at once would show.
    let silence = Silence(terminal.number)
    write(prompt, to: terminal.number)
    defer { write("\n", to: terminal.number) }
    try readLine(from: terminal.number, signals, silence: silence)
  }

  private mutating func readLine(
    from number: CInt, _ signals: borrowing Signals, silence: borrowing Silence = Silence(-1)
  ) throws(Failure) {
    while true {
      switch try signals.wait(for: number, beforeStop: { silence.lift() }) {
      case .nothing: continue
      case .resumed: silence.impose()
      case .readable:
        guard let byte = try readByte(from: number) else {
          guard count > 0 else { throw .noPassword("the input ended before one came") }
          return
        }
        if byte == 0x0A { return }
        try append(byte)
      }
    }
  }

  private func readByte(from number: CInt) throws(Failure) -> UInt8? {
    var byte: UInt8 = 0
    // SAFETY: one byte, which lives through the call.
    let got = unsafe read(number, &byte, 1)
    if got < 0 { throw .system("\(SystemError("read"))") }
    return got == 0 ? nil : byte
  }

  private mutating func append(_ byte: UInt8) throws(Failure) {
    guard count < Wire.maximumSecret else { throw .noPassword("what was given is too long") }
    let place = count
    // SAFETY: the place is below the capacity, which the guard keeps.
    unsafe secret.fill { storage in unsafe storage[place] = byte }
    count += 1
  }
}

private func openTerminal() throws(Failure) -> OwnedDescriptor {
  do throws(SystemError) {
    // SAFETY: the literal's bytes live through the call.
    return try OwnedDescriptor(adopting: unsafe csystem_open("/dev/tty", O_RDWR | O_NOCTTY, 0), from: "open")
  } catch {
    throw .noPassword("there is no terminal to ask on")
  }
}

/// Keeps a terminal from showing what is typed, until it is given up.
struct Silence: ~Copyable {
  private let terminal: CInt
  private let before: termios?

  /// Silences `terminal`; what is no terminal stays as it is.
  init(_ terminal: CInt) {
    self.terminal = terminal
    var settings = termios()
    // SAFETY: one structure for the call to fill.
    before = unsafe tcgetattr(terminal, &settings) == 0 ? settings : nil
    impose()
  }

  deinit { restore(terminal, before) }

  /// Silences the terminal, once more after the program was stopped.
  func impose() {
    guard var settings = before else { return }
    settings.c_lflag &= ~tcflag_t(ECHO)
    // SAFETY: a whole structure, which the call only reads.
    _ = unsafe tcsetattr(terminal, TCSADRAIN, &settings)
  }

  /// Lets it speak again.
  func lift() { restore(terminal, before) }
}

private func restore(_ terminal: CInt, _ before: termios?) {
  guard var before else { return }
  // SAFETY: a whole structure, which the call only reads.
  _ = unsafe tcsetattr(terminal, TCSAFLUSH, &before)
}
