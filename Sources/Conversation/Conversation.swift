// SPDX-License-Identifier: Apache-2.0

public import ThumbturnProtocol

/// One request to recognise a person, as a value: events in, actions out.
///
/// It opens nothing, reads no clock and draws no random number. Whoever drives
/// it performs the actions in order and reports what happens. `granted` comes out
/// of two places only: the confirmation of the match at hand, and the verdict that
/// the answer being tested is the right pattern.
public struct Conversation: Equatable, Sendable {
  /// Where a conversation stands with the finger. All but `fresh`, `away`, `fingerless`
  /// and `ended` are in front.
  public enum Phase: Equatable, Sendable {
    /// Nothing was asked yet.
    case fresh
    /// The client is not in front; the reader is others'.
    case away
    /// Waits for its turn at the reader.
    case queued
    /// Has the reader, which is being looked for.
    case starting
    /// The reader gets ready for a finger.
    case arming
    /// The reader waits for a finger.
    case armed
    /// A match waits for its confirmation.
    case matched(Nonce, held: Bool)
    /// The finger cannot be used any more; a pattern is waited for.
    case fingerless
    /// Everything was said.
    case ended
  }

  /// Where it stands.
  public internal(set) var phase = Phase.fresh
  /// Where it stands with the pattern.
  var answers = Answers.notOffered
  let limits: ConversationLimits
  private var triesLeft: UInt8
  private var poorScansLeft: UInt8
  /// The latest void match. A confirmation of it may be under way still: it is no
  /// error and says nothing of the next match.
  var voided: Nonce?

  /// A conversation that nothing was said in.
  public init(limits: ConversationLimits) {
    self.limits = limits
    triesLeft = max(limits.tries, 1)
    poorScansLeft = max(limits.poorScans, 1)
  }

  /// Takes what happened and answers what must be done, in this order.
  public mutating func handle(_ event: ConversationEvent) -> [ConversationAction] {
    if phase == .ended { return [] }
    switch event {
    case .hungUp: return end(.hungUp)
    case .began(let pattern, let noFinger):
      return phase == .fresh ? begin(pattern: pattern, noFinger: noFinger) : refuse(.malfunction)
    case .message(let message): return phase == .fresh ? refuse(.malformed) : handle(message)
    case .mustWait(let service, let terminal):
      return phase == .queued ? [.send(.waiting(service: service, terminal: terminal))] : []
    case .turn: return takeTurn()
    case .reader(let news): return handle(news)
    case .patternVerdict(let verdict): return handle(verdict)
    case .timer(let timer): return handle(timer)
    }
  }

  mutating func claim() -> [ConversationAction] {
    phase = .queued
    return [.setTimer(.turn, milliseconds: limits.queueWait), .claim]
  }

  private mutating func takeTurn() -> [ConversationAction] {
    guard phase == .queued else { return refuse(.malfunction) }
    phase = .starting
    return [.cancelTimer(.turn)]
  }

  private mutating func handle(_ timer: ConversationTimer) -> [ConversationAction] {
    switch (timer, phase) {
    case (.turn, .queued): return endFinger(.busy)
    case (.touch, .armed), (.touch, .arming): return endFinger(.timedOut)
    case (.confirmation, .matched(let nonce, _)): return void(nonce)
    // It was due at the same moment as what made it pointless.
    case (.turn, _), (.touch, _), (.confirmation, _): return []
    case (.whole, _): return endWhole()
    }
  }
}

// MARK: - The client

extension Conversation {
  private mutating func handle(_ message: ClientMessage) -> [ConversationAction] {
    switch message {
    case .foreground(true): return phase == .away ? claim() : []
    case .foreground(false): return stepBack()
    case .confirm(let nonce): return confirm(nonce)
    case .hold: return hold()
    case .cancel: return refuse(.cancelled)
    case .answer: return takeAnswer()
    case .begin, .learn, .enroll, .list, .delete, .status, .readers, .proof, .setPattern, .deletePattern,
      .checkPattern, .storage, .unlock, .lockdown, .policy:
      return refuse(.malformed)
    }
  }

  /// Gives the reader up, since nobody in front would see what a touch does.
  private mutating func stepBack() -> [ConversationAction] {
    phase == .away || phase == .fingerless ? [] : giveReaderUp(for: .away)
  }

  /// Gives the reader back; a match at hand is void.
  mutating func giveReaderUp(for next: Phase) -> [ConversationAction] {
    var actions: [ConversationAction] = []
    if case .matched(let nonce, _) = phase {
      voided = nonce
      actions.append(.send(.voided))
    }
    phase = next
    return actions + ConversationTimer.ofFinger.map { .cancelTimer($0) } + [.release]
  }

  private mutating func confirm(_ nonce: Nonce) -> [ConversationAction] {
    if nonce == voided { return [] }
    guard case .matched(let expected, _) = phase else { return refuse(.malformed) }
    guard nonce == expected else { return void(expected) }
    return end(.granted)
  }

  private mutating func hold() -> [ConversationAction] {
    guard case .matched(let nonce, let held) = phase else {
      return voided != nil ? [] : refuse(.malformed)
    }
    if held { return [] }
    phase = .matched(nonce, held: true)
    return [.setTimer(.confirmation, milliseconds: limits.holding)]
  }

  private mutating func void(_ nonce: Nonce) -> [ConversationAction] {
    voided = nonce
    phase = .arming
    return [
      .cancelTimer(.confirmation), .send(.voided), .arm,
      .setTimer(.touch, milliseconds: limits.timeout),
    ]
  }
}

// MARK: - The reader

extension Conversation {
  private mutating func handle(_ news: ReaderNews) -> [ConversationAction] {
    switch (phase, news) {
    // The last words of a claim that was given up.
    case (.fresh, _), (.away, _), (.queued, _), (.fingerless, _), (.ended, _): return []
    case (_, .failed(let refusal)): return endFinger(refusal)
    case (.starting, .found(let reader, let scan, let fingers)):
      phase = .arming
      return [.send(.accepted(reader: reader, scan: scan, fingers: fingers))]
    case (.arming, .armed):
      phase = .armed
      return [.send(.armed), .setTimer(.touch, milliseconds: limits.timeout)]
    case (.armed, .matched(let nonce)): return match(nonce)
    case (.armed, .mismatched): return mismatch()
    case (.armed, .lockedOut): return [.send(.mismatch(triesLeft: 0))] + endFinger(.lockedOut)
    case (.armed, .retry(let reason)): return poorScan(reason)
    case (.armed, .resting): return poorScan(.liftFinger)
    // A result nobody asked for is never a match.
    case (.starting, _), (.arming, _), (.armed, _), (.matched, _): return endFinger(.readerFailed)
    }
  }

  private mutating func match(_ nonce: Nonce) -> [ConversationAction] {
    phase = .matched(nonce, held: false)
    return [
      .send(.matched(nonce)), .cancelTimer(.touch),
      .setTimer(.confirmation, milliseconds: limits.confirmation),
    ]
  }

  private mutating func mismatch() -> [ConversationAction] {
    triesLeft -= 1
    let news = ConversationAction.send(.mismatch(triesLeft: triesLeft))
    if triesLeft == 0 { return [news] + endFinger(.noMatch) }
    phase = .arming
    return [news]
  }

  private mutating func poorScan(_ reason: RetryReason) -> [ConversationAction] {
    poorScansLeft -= 1
    if poorScansLeft == 0 { return endFinger(.poorScan) }
    phase = .arming
    return [.send(.retry(reason))]
  }
}

// MARK: - The end

extension Conversation {
  mutating func refuse(_ refusal: Refusal) -> [ConversationAction] { end(.refused(refusal)) }

  mutating func end(_ outcome: Outcome) -> [ConversationAction] {
    var actions: [ConversationAction] = []
    switch outcome {
    case .granted: actions.append(.send(.granted))
    case .refused(let refusal): actions.append(.send(.refused(refusal)))
    case .done, .hungUp: break
    }
    if ![.fresh, .away, .fingerless].contains(phase) { actions.append(.release) }
    phase = .ended
    return actions + [.log(outcome), .finish]
  }
}
