// SPDX-License-Identifier: Apache-2.0

internal import ThumbturnProtocol

/// Where a conversation stands with the pattern, whatever the finger does.
enum Answers: Equatable, Sendable {
  /// None may be answered.
  case notOffered
  /// One may be answered.
  case offered
  /// One was answered and is being tested; its verdict is still to come.
  case testing
}

// MARK: - The pattern

extension Conversation {
  mutating func begin(pattern: Bool, noFinger: Refusal?) -> [ConversationAction] {
    guard pattern else { return noFinger.map { refuse($0) } ?? claim() }
    answers = .offered
    let opening: [ConversationAction] = [
      .send(.patternOffered), .setTimer(.whole, milliseconds: limits.whole),
    ]
    guard let noFinger else { return opening + claim() }
    phase = .fingerless
    return opening + [.send(.fingerEnded(noFinger))]
  }

  /// The finger cannot be used any more: the end where nothing else is waited for.
  mutating func endFinger(_ refusal: Refusal) -> [ConversationAction] {
    if answers == .notOffered { return refuse(refusal) }
    return giveReaderUp(for: .fingerless) + [.send(.fingerEnded(refusal))]
  }

  mutating func takeAnswer() -> [ConversationAction] {
    switch answers {
    case .notOffered: return [.send(.passedOn)]
    case .offered:
      answers = .testing
      return [.checkPattern]
    case .testing: return refuse(.malformed)
    }
  }

  mutating func handle(_ verdict: PatternAnswer) -> [ConversationAction] {
    // A verdict on what nobody answered here grants nothing.
    guard answers == .testing else { return refuse(.malfunction) }
    answers = .offered
    switch verdict {
    case .right: return end(.granted)
    case .wrong: return refuse(.wrongPattern)
    case .passedOn: return [.send(.passedOn)]
    }
  }

  mutating func endWhole() -> [ConversationAction] {
    switch answers {
    case .notOffered: []
    case .offered: refuse(.timedOut)
    // Its guess is counted already; whoever gave the right one gets in.
    case .testing: [.setTimer(.whole, milliseconds: limits.testing)]
    }
  }
}
