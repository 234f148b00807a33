// SPDX-License-Identifier: Apache-2.0

import CSystem
import Glibc
import System
import Testing
import ThumbturnProtocol

@testable import DaemonCore

/// `thumbturn-pwcheck` with the real PAM, for accounts made for one test.
@Suite(.serialized, .enabled(if: geteuid() == 0, "only root can make accounts"))
struct PasswordCheckTests {
  private let service: PasswordService
  private let person: TemporaryAccount

  init() throws {
    service = try PasswordService()
    person = try TemporaryAccount(password: "correct horse; £9")
  }

  @Test func theRightPasswordIsRight() throws {
    #expect(try ask("correct horse; £9") == .right)
  }

  @Test(arguments: ["wrong", "correct horse; £", "correct horse; £9\n"]) func everythingElseIsWrong(
    _ secret: String
  ) throws {
    #expect(try ask(secret) == .wrong)
  }

  /// No password is ever empty, also not that of an account without one.
  @Test func anEmptyPasswordIsWrong() throws {
    #expect(try ask("") == .wrong)
    try run("/usr/bin/passwd", ["-d", person.name])
    #expect(try ask("") == .wrong)
    #expect(try ask("anything") == .wrong)
  }

  @Test func somebodyUnknownHasNoPassword() throws {
    #expect(try ask("correct horse; £9", of: "no-such-user") == .wrong)
    #expect(try ask("correct horse; £9", of: "root") != .right)
  }

  @Test func aLockedPasswordIsWrong() throws {
    try run("/usr/sbin/usermod", ["-L", person.name])
    #expect(try ask("correct horse; £9") == .wrong)
  }

  @Test func aPasswordThatMustBeChangedIsStillRight() throws {
    try run("/usr/bin/chage", ["-d", "0", person.name])
    #expect(try ask("correct horse; £9") == .right)
  }

  @Test func anAccountThatHasEndedMayDoNothing() throws {
    try run("/usr/bin/chage", ["-E", "1", person.name])
    #expect(try ask("correct horse; £9") == .wrong)
  }

  @Test func theLongestPasswordIsRightAndOneByteMoreIsRefused() throws {
    let longest = String(repeating: "x", count: Wire.maximumSecret)
    try run("/usr/sbin/chpasswd", [], input: "\(person.name):\(longest)\n")
    #expect(try ask(longest) == .right)
    #expect(throws: SystemError("write", code: EINVAL)) { try ask(longest + "x") }
    #expect(try exitStatus([person.name], input: longest + "x") == 2)
  }

  @Test func aNulIsRefused() throws {
    #expect(try ask("correct horse; £9\0") == .failed)
    #expect(try exitStatus([person.name], input: "correct horse; £9\0") == 2)
  }

  @Test func wrongCallsAreRefused() throws {
    for arguments in [[], [""], [person.name, "more"], [String(repeating: "x", count: 256)]] {
      #expect(try exitStatus(arguments, input: "correct horse; £9") == 2)
    }
  }

  /// Stacks that say yes without having asked for the password.
  @Test(
    .enabled(if: PasswordService.canBeChanged, "the service is set up on this machine"),
    arguments: [
      "auth required pam_permit.so", "auth sufficient pam_rootok.so\nauth required pam_unix.so",
    ])
  func aSuccessWithoutThePasswordIsNone(_ stack: String) throws {
    try service.replace("\(stack)\naccount required pam_permit.so\n")
    #expect(try ask("correct horse; £9") != .right)
    #expect(try ask("wrong") != .right)
  }

  /// PAM would use the service "other" instead.
  @Test(.enabled(if: PasswordService.canBeChanged, "the service is set up on this machine"))
  func withoutItsServiceNothingIsChecked() throws {
    try service.remove()
    #expect(try ask("correct horse; £9") == .failed)
    #expect(try exitStatus([person.name], input: "correct horse; £9") == 3)
  }

  private func ask(_ secret: String, of user: String? = nil) throws -> PasswordCheck.Result {
    try outcome(of: secret, user: user ?? person.name, program: passwordChecker)
  }

  private func exitStatus(_ arguments: [String], input: String) throws -> Int32 {
    do {
      try run(passwordChecker, arguments, input: input)
      return 0
    } catch let failure as ProgramFailed {
      guard case .exited(let status) = failure.state else { return -1 }
      return status
    }
  }
}

/// How the daemon treats the program, with programs that misbehave.
@Suite struct PasswordCheckProcessTests {
  @Test func aCheckThatHangsIsKilled() throws {
    var secret = Secret(capacity: 16)
    secret.set("xx")
    let range = SecretRange(offset: 0, count: 2)
    var check = try PasswordCheck(
      of: Sample.text("60"), secret: secret, at: range, program: "/usr/bin/sleep", limit: 100)
    #expect(check.result() == nil)
    #expect(!isReadable(check.watch, within: 110))
    #expect(check.result() == .failed)
    #expect(isReadable(check.watch, within: 10_000), "it has ended")
    #expect(check.result() == .failed)
  }

  @Test(arguments: [("/bin/true", PasswordCheck.Result.right), ("/bin/false", .wrong)])
  func onlyTheExitStatusCounts(_ program: String, _ result: PasswordCheck.Result) throws {
    #expect(try outcome(of: "secret", user: "ada", program: program) == result)
  }

  @Test func aProgramThatCannotBeStartedIsAnError() throws {
    #expect(throws: SystemError("start", code: ENOENT)) {
      try outcome(of: "secret", user: "ada", program: "/nowhere/thumbturn-pwcheck")
    }
    #expect(throws: SystemError("pwcheck", code: EINVAL)) {
      try outcome(of: "secret", user: "", program: "/bin/true")
    }
  }

  @Test(arguments: [(-1, 1), (0, -1), (0, 17), (16, 1), (Int.max, 1), (0, Int.max)])
  func whatIsNoPartOfTheSecretIsRefused(_ offset: Int, _ count: Int) throws {
    let secret = Secret(capacity: 16)
    let range = SecretRange(offset: offset, count: count)
    #expect(
      refused { () throws(SystemError) in
        _ = try PasswordCheck(of: Sample.text("ada"), secret: secret, at: range, program: "/bin/true")
      })
  }

  private func refused(_ body: () throws(SystemError) -> Void) -> Bool {
    do throws(SystemError) {
      try body()
      return false
    } catch {
      return error == SystemError("write", code: EINVAL)
    }
  }
}

/// Runs a check to its end, the secret standing inside a larger frame.
private func outcome(of text: String, user: String, program: String) throws -> PasswordCheck.Result {
  var secret = Secret(capacity: 1024)
  secret.set("frame:\(text):frame")
  let range = SecretRange(offset: 6, count: text.utf8.count)
  var check = try PasswordCheck(of: Sample.text(user), secret: secret, at: range, program: program)
  while true {
    _ = isReadable(check.watch, within: 1000)
    if let result = check.result() { return result }
  }
}

private func isReadable(_ number: Int32, within limit: Int32) -> Bool {
  var entry = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
  return unsafe poll(&entry, 1, limit) == 1
}

extension Secret {
  fileprivate mutating func set(_ text: String) {
    unsafe fill { buffer in
      for (index, byte) in text.utf8.enumerated() { unsafe buffer[index] = byte }
    }
  }
}
