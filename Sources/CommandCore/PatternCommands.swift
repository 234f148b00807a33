// SPDX-License-Identifier: Apache-2.0

internal import Pattern
internal import ThumbturnProtocol

/// Sets, deletes or tries an account's pattern.
func work(
  _ action: PatternAction, of user: Text, _ service: inout Service, _ source: PasswordSource,
  _ output: inout Output
) throws(Failure) {
  switch action {
  case .set: try service.send(.setPattern(user))
  case .delete: try service.send(.deletePattern(user))
  case .check: try service.send(.checkPattern(user))
  }
  var isMistakable = false
  var locked: UInt64?
  var strength: PatternStrength?
  while true {
    switch try next(&service, locked: locked) {
    case .proofWanted(let owner): isMistakable = try service.prove(owner, from: source)
    case .patternWanted(let owner):
      if action == .set, isMistakable { output.line(mistakableWarning) }
      strength = try service.answer(action, owner, from: source)
    case .lockedFor(let seconds): locked = seconds
    case .done: return output.line(success(of: action, user, strength))
    default: throw .confused
    }
  }
}

/// The next event; a refusal for the lock tells how long it lasts.
private func next(_ service: inout Service, locked: UInt64?) throws(Failure) -> ServerEvent {
  do throws(Failure) {
    return try service.next()
  } catch {
    guard error == .refused(.patternLocked), let locked else { throw error }
    throw .patternLocked(seconds: locked)
  }
}

private let mistakableWarning = """
  Note: your password looks like a pattern. Where a pattern may be typed, a wrong one is
  tried as the password, too, and your password counts as a wrong pattern.
  """

private func success(of action: PatternAction, _ user: Text, _ strength: PatternStrength?) -> String {
  switch action {
  case .set:
    switch strength {
    case .weak: "Pattern of \(user.shown) set. It is easy to guess; a longer, winding one is better."
    default: "Pattern of \(user.shown) set. Try it with \"thumbturn pattern check\"."
    }
  case .delete: "Pattern of \(user.shown) deleted."
  case .check: "That is the pattern of \(user.shown)."
  }
}

extension Service {
  /// Asks for the pattern, twice for a new one on a terminal, and sends it.
  ///
  /// What cannot be a pattern is refused here, with the reason; the service
  /// decides for itself. Answers how hard the pattern is to guess.
  fileprivate func answer(
    _ action: PatternAction, _ user: Text, from source: PasswordSource
  ) throws(Failure) -> PatternStrength {
    let prompt = action == .set ? "New pattern of \(user.shown): " : "Pattern of \(user.shown): "
    do throws(Failure) {
      let typed = try password(from: source, prompt: prompt)
      let pattern = try typed.pattern()
      if action == .set, source == .terminal {
        let again = try password(from: source, prompt: "Once more: ")
        guard typed.isSame(as: again) else { throw .noPattern("the two patterns differ") }
      }
      try send(answer: typed)
      return pattern.strength
    } catch {
      try? send(.cancel)
      throw error
    }
  }
}

extension Password {
  fileprivate func pattern() throws(Failure) -> Pattern {
    let result: Result<Pattern, PatternProblem> = withBytes { bytes in
      do throws(PatternProblem) { return .success(try Pattern(typed: bytes)) } catch {
        return .failure(error)
      }
    }
    switch result {
    case .success(let pattern): return pattern
    case .failure(.tooShort): throw .noPattern("a pattern has at least \(Pattern.minimum) cells")
    case .failure(.notACell): throw .noPattern("a pattern is typed as the digits 1 to 9")
    case .failure(.repeated): throw .noPattern("a pattern takes no cell twice")
    }
  }
}

/// How long patterns stay locked, in words.
func lockWords(seconds: UInt64) -> String {
  switch seconds {
  case 0: "until one is set anew"
  case 1..<120: "for \(seconds) s"
  case ..<7200: "for \((seconds - 1) / 60 + 1) minutes"
  case ..<172_800: "for \((seconds - 1) / 3600 + 1) hours"
  default: "for \((seconds - 1) / 86_400 + 1) days"
  }
}
