// SPDX-License-Identifier: Apache-2.0

/// The subcommands, in the order of the help.
enum CommandName: String, CaseIterable, Sendable {
  case enroll, verify, list, delete, pattern, status, policy, lockdown, unlock, readers, storage, help

  /// One line for the help.
  var summary: String {
    switch self {
    case .enroll: "record a finger, so that its touch signs you in"
    case .verify: "try an enrolled finger, changing nothing"
    case .list: "show the enrolled fingers"
    case .delete: "delete enrolled fingers"
    case .pattern: "set, delete or try a pattern to type instead of the password"
    case .status: "show how the service is"
    case .policy: "show what a service may use now, and why"
    case .lockdown: "let only the password count until it is given"
    case .unlock: "forget the failed tries of an account"
    case .readers: "show the attached fingerprint readers"
    case .storage: "show what a reader keeps in its own storage"
    case .help: "explain a command"
    }
  }

  /// What may stand behind it, in order.
  var operands: [String] {
    switch self {
    case .pattern: ["set, delete or check"]
    case .policy: ["SERVICE", "USER"]
    case .unlock, .lockdown: ["USER"]
    case .help: ["COMMAND"]
    case .enroll, .verify, .list, .delete, .status, .readers, .storage: []
    }
  }

  /// The options it takes besides those that every command takes.
  var options: [OptionName] {
    switch self {
    case .enroll: [.finger, .user, .passwordStdin]
    case .verify, .list: [.user]
    case .delete: [.finger, .all, .user, .passwordStdin]
    case .pattern: [.user, .passwordStdin]
    case .status, .readers: [.json]
    case .policy, .unlock: []
    case .lockdown: [.all]
    case .storage: [.clear]
    case .help: []
    }
  }

  /// What else belongs into its help.
  var details: String {
    switch self {
    case .enroll:
      """
      Follow the progress bar: the reader wants several scans of the same finger.
      Anyone but root is asked for their password first. Ctrl-C leaves everything
      as it was.

      \(fingerNames)
      """
    case .delete:
      """
      Name one finger, or --all of them. Anyone but root is asked for their
      password first.

      \(fingerNames)
      """
    case .verify: "Says whether the touch is recognised; the exit code is 0 only then."
    case .pattern:
      """
      A pattern joins 4 to 9 cells of a grid, none of them twice, and is typed as
      their digits, without being shown:

        1 2 3
        4 5 6
        7 8 9

      A stroke takes a free cell on its way: 1397 is the same as 1236987. "check" counts
      as a guess when it is wrong; after five, patterns are locked for a minute,
      then for longer, and after 20 until one is set anew. To set or delete one,
      anyone but root is asked for their password first.
      """
    case .list, .status, .readers: ""
    case .policy:
      """
      Name a service as its file in /etc/pam.d is called, and an account if it is not
      you: what would a request from here be allowed at this moment? Only root may
      ask for another account.
      """
    case .lockdown:
      """
      No finger and no pattern counts for the account any more, you without a name,
      until its password was given once. Only root may name another account, or --all.
      """
    case .unlock:
      """
      Forgets how often the finger was not recognised and the pattern was wrong, and
      mends counts that are damaged. A lockdown stays. Only for root.
      """
    case .storage:
      """
      Some readers keep prints themselves, those of other systems included. --clear
      deletes them all; what was enrolled on the reader must then be deleted and
      enrolled anew. Only for root.
      """
    case .help: "Name one of the commands, as in \"thumbturn help enroll\"."
    }
  }
}

/// The names of the ten fingers, for the help.
private let fingerNames = """
  A finger is named left- or right- and thumb, index, middle, ring or little:
  right-index, left-thumb.
  """

/// The options, without their dashes.
enum OptionName: String, CaseIterable, Sendable {
  case finger, all, user, clear, json
  case passwordStdin = "password-stdin"
  case socket, help, version

  /// Those that stand with any command, or with none.
  static let common: [OptionName] = [.socket, .help, .version]

  /// What its value is called, `nil` for an option without one.
  var value: String? {
    switch self {
    case .finger: "FINGER"
    case .user: "NAME"
    case .socket: "PATH"
    case .all, .clear, .json, .passwordStdin, .help, .version: nil
    }
  }

  /// One line for the help.
  var summary: String {
    switch self {
    case .finger: "the finger (enroll without one takes right-index)"
    case .all: "every finger of the account; with lockdown, everybody"
    case .user: "the account (yourself)"
    case .clear: "delete everything from the reader's own storage"
    case .json: "write JSON, for programs"
    case .passwordStdin: "read the password from standard input, not from the terminal"
    case .socket: "where the service listens (\(Invocation.standardSocket))"
    case .help: "show this help"
    case .version: "show the version"
    }
  }

  /// As one writes it: `--finger FINGER`.
  var usage: String { value.map { "--\(rawValue) \($0)" } ?? "--\(rawValue)" }
}
