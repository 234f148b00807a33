// SPDX-License-Identifier: Apache-2.0

internal import CSystem
internal import Glibc
public import System
public import ThumbturnProtocol

/// One run of `thumbturn-pwcheck`, which asks PAM whether a password is right.
///
/// PAM's modules take seconds, may hang and may crash, so they run in a process of
/// their own that is killed after ``limit``. Only an exit status of 0 means right.
/// Watch ``watch`` and ask ``result()`` when it is readable, or at ``deadline``.
public struct PasswordCheck: ~Copyable {
  /// How a check ended.
  public enum Result: Equatable, Sendable {
    /// It is this person's password.
    case right
    /// It is not.
    case wrong
    /// PAM could not say: not set up, hung, crashed.
    case failed
  }

  /// The most milliseconds of a check.
  public static let limit: Int64 = 20_000

  /// When the check is given up, on the clock of `csystem_milliseconds`.
  public let deadline: Int64
  private var child: ChildProcess

  /// Starts a check of the bytes at `range` of `secret`.
  ///
  /// The password goes through a pipe: an argument or a variable could be read in
  /// `/proc`. It lies in the pipe before the child is started, so nothing here waits
  /// and a child that reads nothing raises no SIGPIPE.
  ///
  /// - Throws: what failed; `EINVAL` for a password above 511 bytes or outside
  ///   `secret`, and for a name that is no argument.
  public init(
    of user: Text, secret: borrowing Secret, at range: SecretRange, program: String,
    limit: Int64 = PasswordCheck.limit
  ) throws(SystemError) {
    guard let name = user.string, !name.isEmpty else { throw SystemError("pwcheck", code: EINVAL) }
    var pipe = try DescriptorPair.pipe()
    guard let reading = pipe.takeNear(), let writing = pipe.takeFar() else {
      throw SystemError("pipe", code: EINVAL)
    }
    let written = secret.withBytes { PasswordCheck.write($0, range, to: writing.number) }
    guard written == range.count else { throw SystemError("write", code: EINVAL) }
    // The child reads to the end, which comes when no writer is left.
    _ = consume writing
    var plan = ChildPlan(path: program)
    plan.arguments = [name]
    plan.standardInput = reading.number
    child = try ChildProcess(starting: plan)
    deadline = csystem_milliseconds() + limit
  }

  /// Writes at most 511 bytes, which a pipe takes at once; says how many it
  /// took, `nil` for a range that is none of `bytes`.
  private static func write(_ bytes: Span<UInt8>, _ range: SecretRange, to number: CInt) -> Int? {
    guard range.count >= 0, range.count <= Wire.maximumSecret, range.offset >= 0,
      range.offset <= bytes.count - range.count
    else { return nil }
    if range.count == 0 { return 0 }
    let part = bytes.extracting(range.offset..<(range.offset + range.count))
    return unsafe part.withUnsafeBytes { buffer in
      // SAFETY: the span's memory lives through the call, which only reads it.
      unsafe Glibc.write(number, buffer.baseAddress, buffer.count)
    }
  }

  /// The descriptor that becomes readable when the check has ended.
  public var watch: Int32 { child.watch }

  /// How the check ended, `nil` while it runs. Never waits; kills the check when its
  /// time is over.
  public mutating func result() -> Result? {
    switch child.poll() {
    case .exited(0): return .right
    case .exited(1): return .wrong
    case .exited, .killed: return .failed
    case .running:
      guard csystem_milliseconds() >= deadline else { return nil }
      child.signal(SIGKILL)
      return .failed
    }
  }
}

extension Text {
  /// The text as a string; `nil` when it is not UTF-8.
  var string: String? {
    String(validating: (0..<count).map { self[$0] }, as: UTF8.self)
  }
}
