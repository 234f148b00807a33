// SPDX-License-Identifier: Apache-2.0

/// A process as `/proc/PID/stat` shows it (proc_pid_stat(5)).
public struct ProcessStatus: Equatable, Sendable {
  /// Its number.
  public var process: Int32
  /// Its short name, at most 15 bytes. Everybody names their own processes, so a name
  /// only ever takes something away.
  public var name: String
  /// Whether it has ended and waits to be reaped.
  public var isDead: Bool
  /// The number of its parent, 0 when there is none to be seen.
  public var parent: Int32
  /// The N of its controlling terminal /dev/ttyN; `nil` for another terminal or none.
  public var console: UInt32?
  /// When it was started, in clock ticks since boot. With the number it names a process
  /// for ever; the number alone may be given to another.
  public var start: UInt64

  /// Understands the file's text; `nil` when it is not one.
  public init?(_ text: String) {
    // The name may hold spaces and brackets; the last bracket ends it.
    guard let open = text.firstIndex(of: "("), let close = text.lastIndex(of: ")"), open < close else {
      return nil
    }
    let fields = text[text.index(after: close)...].split(whereSeparator: \.isWhitespace)
    guard let process = Int32(text[..<open].split(separator: " ").first ?? ""), fields.count >= 20,
      let parent = Int32(fields[1]), let terminal = Int32(fields[4]), let start = UInt64(fields[19])
    else { return nil }
    self.process = process
    name = String(text[text.index(after: open)..<close])
    isDead = ["Z", "X", "x"].contains(fields[0])
    self.parent = parent
    console = ProcessStatus.console(UInt32(bitPattern: terminal))
    self.start = start
  }

  /// Virtual consoles have major number 4 and minor 1 to 63 (devices.txt of the kernel).
  private static func console(_ device: UInt32) -> UInt32? {
    let major = device >> 8 & 0xFFF
    let minor = device & 0xFF | device >> 12 & 0xFFF00
    return major == 4 && (1...63).contains(minor) ? minor : nil
  }

  /// The N of a text `ttyN`, as `/sys/class/tty/tty0/active` has it; `nil` for another text.
  public static func console(named text: String) -> UInt32? {
    let name = text.split(whereSeparator: \.isWhitespace).first ?? ""
    guard name.hasPrefix("tty"), let number = UInt32(name.dropFirst(3)), (1...63).contains(number) else {
      return nil
    }
    return number
  }

  /// Whether `/proc/PID/status` tells of a namespace of process numbers below ours:
  /// `NSpid:` then has more than one number. Without that line it is not known, so `true`.
  public static func isNested(status text: String) -> Bool {
    for line in text.split(separator: "\n") where line.hasPrefix("NSpid:") {
      return line.split(whereSeparator: \.isWhitespace).count != 2
    }
    return true
  }

  /// The real uid in `/proc/PID/status`.
  public static func realUser(status text: String) -> UInt32? {
    for line in text.split(separator: "\n") where line.hasPrefix("Uid:") {
      return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { UInt32($0) }
    }
    return nil
  }

  /// A number of `/proc/PID/loginuid` or `sessionid`; `nil` when none was ever set.
  public static func audit(_ text: String) -> UInt32? {
    let number = UInt32(text.split(whereSeparator: \.isWhitespace).first ?? "")
    return number == .max ? nil : number
  }
}
