// SPDX-License-Identifier: Apache-2.0

import Testing
import ThumbturnProtocol

@testable import CommandCore

struct InvocationTests {
  static let understood: [(String, Command)] = [
    ("enroll", .enroll(user: nil, finger: .rightIndex)),
    ("enroll --finger left-thumb", .enroll(user: nil, finger: .leftThumb)),
    ("enroll --finger=left-thumb --user=ada", .enroll(user: "ada", finger: .leftThumb)),
    ("--user ada enroll", .enroll(user: "ada", finger: .rightIndex)),
    ("verify", .verify(user: nil)),
    ("verify --user ada", .verify(user: "ada")),
    ("list --user -", .list(user: "-")),
    ("delete --finger right-ring", .delete(user: nil, finger: .rightRing)),
    ("delete --all --user ada", .delete(user: "ada", finger: nil)),
    ("pattern set", .pattern(.set, user: nil)),
    ("--user ada pattern delete", .pattern(.delete, user: "ada")),
    ("pattern check", .pattern(.check, user: nil)),
    ("status", .status(json: false)),
    ("status --json", .status(json: true)),
    ("readers", .readers(json: false)),
    ("readers --json", .readers(json: true)),
    ("storage", .storage(clear: false)),
    ("storage --clear", .storage(clear: true)),
    ("policy sudo", .policy(service: "sudo", user: nil)),
    ("policy su ada", .policy(service: "su", user: "ada")),
    ("unlock ada", .unlock(user: "ada")),
    ("lockdown", .lockdown(.oneself)),
    ("lockdown ada", .lockdown(.user("ada"))),
    ("lockdown --all", .lockdown(.everybody)),
    ("-- readers", .readers(json: false)),
    ("help", .help(nil)),
    ("--help", .help(nil)),
    ("-h", .help(nil)),
    ("help enroll", .help(.enroll)),
    ("delete --help", .help(.delete)),
    ("--version", .version),
    ("enroll --version", .version),
  ]

  @Test(arguments: understood) func understands(_ line: String, _ command: Command) throws {
    #expect(try Invocation(words(line)).command == command)
  }

  static let refused: [(String, message: String, hint: String)] = [
    ("", "a command is missing", "thumbturn help"),
    ("enrol", "no command \"enrol\"", "did you mean enroll?"),
    ("paint", "no command \"paint\"", "readers"),
    ("enroll --fingr x", "no option \"--fingr\"", "did you mean --finger?"),
    ("enroll --finger", "needs a value", "--finger FINGER"),
    ("enroll --finger right-indx", "no finger \"right-indx\"", "did you mean right-index?"),
    ("enroll --finger nose", "no finger \"nose\"", "right-little"),
    ("enroll --user ada --user bob", "twice", "thumbturn help"),
    ("enroll --user=", "--user needs", "thumbturn help"),
    ("enroll --all", "enroll takes no --all", "usage: thumbturn enroll"),
    ("enroll now", "\"now\" is too much", "usage: thumbturn enroll"),
    ("pattern", "needs set, delete or check", "usage: thumbturn pattern"),
    ("pattern sit", "\"sit\"", "did you mean set?"),
    ("pattern set 2589", "\"2589\" is too much", "usage: thumbturn pattern"),
    ("list --json", "list takes no --json", "usage: thumbturn list"),
    ("verify --finger right-index", "verify takes no --finger", "usage: thumbturn verify"),
    ("delete", "either --finger FINGER or --all", "thumbturn list"),
    ("delete --all --finger right-index", "either --finger FINGER or --all", "thumbturn list"),
    ("delete --all=yes", "--all takes no value", "thumbturn help"),
    ("status --socket=", "--socket needs", "thumbturn help"),
    ("policy", "policy needs SERVICE", "thumbturn policy SERVICE [USER]"),
    ("policy sudo ada bob", "\"bob\" is too much", "thumbturn policy SERVICE [USER]"),
    ("unlock", "unlock needs USER", "thumbturn unlock USER"),
    ("unlock --all", "unlock takes no --all", "thumbturn unlock USER"),
    ("unlock ada bob", "\"bob\" is too much", "thumbturn unlock USER"),
    ("lockdown ada --all", "either an account or --all", "thumbturn lockdown [USER | --all]"),
    ("help enroll delete", "one command at a time", "thumbturn help"),
    ("help nothing", "no command \"nothing\"", "enroll"),
  ]

  @Test(arguments: refused) func refuses(_ line: String, _ message: String, _ hint: String) {
    let error = #expect(throws: UsageError.self) { try Invocation(words(line)) }
    #expect(error?.message.contains(message) == true, "\(String(describing: error))")
    #expect(error?.hint.contains(hint) == true, "\(String(describing: error))")
  }

  @Test func takesSocketAndPasswordSource() throws {
    let given = try Invocation(words("enroll --socket /tmp/s --password-stdin"))
    #expect(given.socket == "/tmp/s")
    #expect(given.passwordSource == .standardInput)
    let standard = try Invocation(words("enroll"))
    #expect(standard.socket == "/run/thumbturn/socket")
    #expect(standard.passwordSource == .terminal)
  }

  @Test func refusesNamesThatNoTextHolds() {
    let name = String(repeating: "a", count: 256)
    #expect(throws: UsageError.self) { try Invocation(["list", "--user", name]) }
  }

  @Test func helpNamesEveryOption() {
    for command in CommandName.allCases {
      for option in command.options + OptionName.common {
        #expect(help(for: command).contains("--\(option.rawValue)"), "\(command)")
      }
      #expect(overview.contains(command.summary))
    }
  }

  private func words(_ line: String) -> [String] { line.split(separator: " ").map(String.init) }
}
