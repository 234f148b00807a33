// SPDX-License-Identifier: Apache-2.0

import System
import Testing
import ThumbturnProtocol

@testable import DaemonCore

extension LoopedTests {
  /// How often passwords are checked; the checker itself is a script.
  @Suite final class ServerPasswordTests {
    private let folder: TemporaryFolder
    private let loop = MainLoop()
    private let desk: PasswordDesk
    private let ada = Account(name: Sample.text("ada"), uid: 1000, group: 1000)
    private let bob = Account(name: Sample.text("bob"), uid: 1001, group: 1001)
    private var results: [PasswordCheck.Result] = []

    init() throws {
      folder = try TemporaryFolder()
      let script = """
        #!/bin/sh
        read -r password
        [ "$password" = broken ] && exit 2
        [ "$1 $password" = "ada right" ]
        """
      let program = try folder.write("pwcheck", bytes: Array((script + "\n").utf8), mode: 0o755)
      desk = PasswordDesk(program: program) { _ in }
    }

    @Test(
      arguments: [("right", .right), ("wrong", .wrong), ("broken", .failed)]
        as [(String, PasswordCheck.Result)])
    func aPasswordIs(_ password: String, _ result: PasswordCheck.Result) throws {
      try check(ada, password)
      wait(for: 1)
      #expect(results == [result])
    }

    @Test func oneAtATimeForEachPerson() throws {
      try check(ada, "right")
      #expect(throws: Refusal.overloaded) { try check(ada, "right") }
      try check(bob, "right")
      wait(for: 2)
      #expect(results.sorted { "\($0)" < "\($1)" } == [.right, .wrong])
    }

    @Test func aWrongOneCostsItsOwnerASecond() throws {
      try check(ada, "wrong")
      wait(for: 1)
      #expect(throws: Refusal.overloaded) { try check(ada, "right") }
      try check(bob, "wrong")
      wait(for: 2)
      let pause = Timer(milliseconds: PasswordDesk.pause + 100) { [loop] in loop.quit() }
      loop.run()
      pause.remove()
      try check(ada, "right")
      wait(for: 3)
      #expect(results == [.wrong, .wrong, .right])
    }

    @Test func oneThatCannotBeCheckedCostsASecond() throws {
      try check(ada, "broken")
      wait(for: 1)
      #expect(throws: Refusal.overloaded) { try check(ada, "right") }
    }

    @Test func withoutTheProgram() {
      let desk = PasswordDesk(program: "\(folder.path)/none") { _ in }
      #expect(throws: Refusal.malfunction) {
        try desk.check(ada, secret: Secret(capacity: 1), at: SecretRange(offset: 0, count: 1)) { _ in }
      }
    }

    /// Runs the loop until so many checks have ended; two may end in one turn of it.
    private func wait(for count: Int) { while results.count < count { loop.run() } }

    private func check(_ account: Account, _ password: String) throws(Refusal) {
      let bytes = Array(password.utf8)
      var secret = Secret(capacity: bytes.count)
      unsafe secret.fill { unsafe $0.copyBytes(from: bytes) }
      try desk.check(account, secret: secret, at: SecretRange(offset: 0, count: bytes.count)) {
        [unowned self] in
        results.append($0)
        loop.quit()
      }
    }
  }
}
