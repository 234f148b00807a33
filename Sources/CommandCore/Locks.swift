// SPDX-License-Identifier: Apache-2.0

internal import ThumbturnProtocol

/// Shows what a request of a service would be allowed now, and why.
func showPolicy(
  of service: Text, for user: Text, _ connection: inout Service, _ output: inout Output
) throws(Failure) {
  try connection.send(.policy(service: service, user: user))
  let lines = try connection.collect { event in
    if case .status(let key, let value) = event { [key.shown, value.shown] } else { nil }
  }
  for line in alignedRows(lines) { output.line(line) }
}

/// Forgets an account's failed tries.
func unlock(_ user: Text, _ service: inout Service, _ output: inout Output) throws(Failure) {
  try service.send(.unlock(user))
  try service.wait()
  output.line("The failed tries of \(user.shown) are forgotten.")
}

/// Lets only the password count.
func lockDown(
  _ whom: Locked, account: (String?) throws(Failure) -> Text, _ service: inout Service,
  _ output: inout Output
) throws(Failure) {
  let user: Text
  switch whom {
  case .oneself: user = try account(nil)
  case .user(let name): user = try account(name)
  // An empty name stands for everybody.
  case .everybody: user = Text()
  }
  try service.send(.lockdown(user))
  try service.wait()
  let who = user.isEmpty ? "everybody" : user.shown
  output.line("Only the password counts for \(who) until it was given.")
}

extension Service {
  /// Takes the end, before which nothing is said.
  fileprivate mutating func wait() throws(Failure) {
    guard try next() == .done else { throw .confused }
  }
}
