// SPDX-License-Identifier: Apache-2.0

internal import CSystem
internal import System
internal import ThumbturnProtocol

/// Runs `thumbturn` with the words behind its name; answers the exit status.
public func runThumbturn(_ words: [String]) -> Int32 {
  let invocation: Invocation
  do throws(UsageError) {
    invocation = try Invocation(words)
  } catch {
    complain(shown(error.message), hint: shown(error.hint))
    return ExitCode.usage.rawValue
  }
  var output = Output()
  do throws(Failure) {
    try perform(invocation, &output)
    return ExitCode.done.rawValue
  } catch {
    output.finish()
    complain(error.message, hint: advice(for: error, of: invocation.command))
    return error.exitCode
  }
}

private func perform(_ invocation: Invocation, _ output: inout Output) throws(Failure) {
  switch invocation.command {
  case .help(let topic): write(topic.map(help(for:)) ?? overview, to: STDOUT_FILENO)
  case .version: output.line("thumbturn \(Product.version)")
  case .enroll(let user, let finger):
    var service = try Service.open(at: invocation.socket)
    try enroll(finger, of: try account(user), &service, invocation.passwordSource, &output)
  case .verify(let user):
    var service = try Service.open(at: invocation.socket)
    try verify(try account(user), &service, &output)
  case .list(let user):
    var service = try Service.open(at: invocation.socket)
    try list(of: try account(user), &service, &output)
  case .delete(let user, let finger):
    var service = try Service.open(at: invocation.socket)
    try delete(finger, of: try account(user), &service, invocation.passwordSource, &output)
  case .pattern(let action, let user):
    var service = try Service.open(at: invocation.socket)
    try work(action, of: try account(user), &service, invocation.passwordSource, &output)
  case .status(let json):
    var service = try Service.open(at: invocation.socket)
    try reportStatus(json: json, &service, &output)
  case .readers(let json):
    var service = try Service.open(at: invocation.socket)
    try listReaders(json: json, &service, &output)
  case .policy(let name, let user):
    var service = try Service.open(at: invocation.socket)
    try showPolicy(of: Text(name: name) ?? Text(), for: try account(user), &service, &output)
  case .unlock(let user):
    var service = try Service.open(at: invocation.socket)
    try unlock(try account(user), &service, &output)
  case .lockdown(let whom):
    var service = try Service.open(at: invocation.socket)
    try lockDown(whom, account: account, &service, &output)
  case .storage(let clear):
    var service = try Service.open(at: invocation.socket)
    try showStorage(clear: clear, &service, &output)
  }
}

/// The account that is meant; without a name that of the real uid.
private func account(_ name: String?) throws(Failure) -> Text {
  if let name {
    guard let text = Text(name: name) else { throw .refused(.unknownUser) }
    return text
  }
  // SAFETY: the entry stays until the next call of its family; its name is copied at once.
  guard let entry = unsafe getpwuid(getuid()),
    let owner = unsafe Text(name: String(cString: entry.pointee.pw_name))
  else { throw .refused(.unknownUser) }
  return owner
}

extension Invocation {
  /// Where a password is taken from when the service wants one.
  var passwordSource: PasswordSource { passwordOnInput ? .standardInput : .terminal }
}

extension Service {
  /// Answers a wish for proof with the password of the account it names.
  ///
  /// Answers whether the password could be taken for a pattern.
  @discardableResult
  func prove(_ user: Text, from source: PasswordSource) throws(Failure) -> Bool {
    let password = try password(from: source, prompt: "Password of \(user.shown): ")
    try send(proof: password)
    return password.looksLikePattern
  }
}

/// Says who holds the reader.
func waitingLine(service: Text, terminal: Text) -> String {
  let place = terminal.isEmpty ? "" : " on \(terminal.shown)"
  return
    "The reader is in use by \(service.isEmpty ? "another request" : service.shown)\(place); waiting for it."
}
