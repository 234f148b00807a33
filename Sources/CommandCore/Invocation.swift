// SPDX-License-Identifier: Apache-2.0

internal import ThumbturnProtocol

/// What the person asks for. A user of `nil` is the person.
enum Command: Equatable, Sendable {
  case enroll(user: String?, finger: Finger)
  case verify(user: String?)
  case list(user: String?)
  /// A finger of `nil` stands for all of them.
  case delete(user: String?, finger: Finger?)
  case pattern(PatternAction, user: String?)
  case status(json: Bool)
  case readers(json: Bool)
  case storage(clear: Bool)
  case policy(service: String, user: String?)
  case unlock(user: String)
  case lockdown(Locked)
  case help(CommandName?)
  case version
}

/// What is done to a pattern.
enum PatternAction: String, CaseIterable, Sendable {
  case set, delete, check
}

/// Whom a lockdown is for.
enum Locked: Equatable, Sendable {
  case oneself
  case user(String)
  case everybody
}

/// A command line that makes no sense: why, and what would.
struct UsageError: Error, Equatable {
  let message: String
  let hint: String

  init(_ message: String, hint: String = "see \"thumbturn help\"") {
    self.message = message
    self.hint = hint
  }
}

/// A command line, understood.
struct Invocation: Equatable, Sendable {
  static let standardSocket = "/run/thumbturn/socket"

  let command: Command
  var socket = standardSocket
  var passwordOnInput = false

  /// Takes the words behind the program's name.
  init(_ words: [String]) throws(UsageError) {
    var given = try GivenWords(words)
    command = try Invocation.command(&given)
    if let path = given.values[.socket] {
      guard !path.isEmpty else { throw UsageError("--socket needs the path of a socket") }
      socket = path
    }
    passwordOnInput = given.values[.passwordStdin] != nil
  }

  private static func command(_ given: inout GivenWords) throws(UsageError) -> Command {
    if given.values[.version] != nil { return .version }
    guard let word = given.operands.first else {
      if given.values[.help] != nil { return .help(nil) }
      throw UsageError("a command is missing", hint: "try \"thumbturn enroll\", or see \"thumbturn help\"")
    }
    let name = try commandName(word)
    if name == .help { return .help(try helpTopic(given.operands)) }
    if given.values[.help] != nil { return .help(name) }
    let most = 1 + name.operands.count
    guard given.operands.count <= most else {
      throw UsageError("\"\(given.operands[most])\" is too much", hint: usage(of: name))
    }
    try given.refuseStrangers(to: name)
    return try command(name, given)
  }

  private static func command(_ name: CommandName, _ given: GivenWords) throws(UsageError) -> Command {
    let user = given.values[.user]
    if let user, user.isEmpty || user.utf8.count > Text.capacity {
      throw UsageError("--user needs the name of an account")
    }
    switch name {
    case .enroll: return .enroll(user: user, finger: try given.finger() ?? .rightIndex)
    case .verify: return .verify(user: user)
    case .list: return .list(user: user)
    case .delete: return .delete(user: user, finger: try given.deletedFinger())
    case .pattern: return .pattern(try given.patternAction(), user: user)
    case .status: return .status(json: given.values[.json] != nil)
    case .readers: return .readers(json: given.values[.json] != nil)
    case .policy:
      return .policy(service: try given.operand(1, of: name), user: try given.account(2))
    case .unlock: return .unlock(user: try given.operand(1, of: name))
    case .lockdown: return .lockdown(try given.locked())
    case .storage: return .storage(clear: given.values[.clear] != nil)
    case .help: return .help(nil)
    }
  }

  private static func helpTopic(_ operands: [String]) throws(UsageError) -> CommandName? {
    guard operands.count > 1 else { return nil }
    guard operands.count == 2 else { throw UsageError("help explains one command at a time") }
    return try commandName(operands[1])
  }

  private static func commandName(_ word: String) throws(UsageError) -> CommandName {
    if let name = CommandName(rawValue: word) { return name }
    throw UsageError(
      "there is no command \"\(word)\"",
      hint: suggestion(for: word, among: CommandName.allCases.map(\.rawValue)))
  }
}

extension GivenWords {
  func finger() throws(UsageError) -> Finger? {
    guard let name = values[.finger] else { return nil }
    if let finger = Finger(named: name) { return finger }
    throw UsageError(
      "there is no finger \"\(name)\"",
      hint: suggestion(for: name, among: Finger.allCases.map { "\($0.name)" }))
  }

  /// An operand that must be there, fit for a name.
  func operand(_ index: Int, of command: CommandName) throws(UsageError) -> String {
    guard operands.count > index, !operands[index].isEmpty else {
      throw UsageError("\(command.rawValue) needs \(command.operands[index - 1])", hint: usage(of: command))
    }
    guard operands[index].utf8.count <= Text.capacity else { throw UsageError("that name is too long") }
    return operands[index]
  }

  /// The name of an account, if there is one.
  func account(_ index: Int) throws(UsageError) -> String? {
    guard operands.count > index else { return nil }
    guard !operands[index].isEmpty, operands[index].utf8.count <= Text.capacity else {
      throw UsageError("that is not the name of an account")
    }
    return operands[index]
  }

  func locked() throws(UsageError) -> Locked {
    let user = try account(1)
    guard values[.all] != nil else { return user.map { .user($0) } ?? .oneself }
    guard user == nil else {
      throw UsageError("either an account or --all", hint: usage(of: .lockdown))
    }
    return .everybody
  }

  func patternAction() throws(UsageError) -> PatternAction {
    guard operands.count > 1 else {
      throw UsageError("pattern needs set, delete or check", hint: usage(of: .pattern))
    }
    if let action = PatternAction(rawValue: operands[1]) { return action }
    throw UsageError(
      "a pattern cannot be \"\(operands[1])\"",
      hint: suggestion(for: operands[1], among: PatternAction.allCases.map(\.rawValue)))
  }

  /// One finger or all of them, and which is meant must be said.
  func deletedFinger() throws(UsageError) -> Finger? {
    let finger = try finger()
    let all = values[.all] != nil
    guard (finger != nil) != all else {
      throw UsageError(
        "delete needs either --finger FINGER or --all", hint: "see \"thumbturn list\" for what there is")
    }
    return finger
  }
}
