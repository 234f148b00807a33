// SPDX-License-Identifier: Apache-2.0

import Conversation
import Testing
import ThumbturnProtocol

/// Random events with a clock of their own, against what must never happen.
@Suite struct RandomWalkTests {
  @Test(arguments: 0..<10) func grantedNeedsTheMatchAtHandConfirmedInTimeAndInFront(_ seed: UInt64) {
    var walk = Walk(seed: seed)
    for _ in 0..<100_000 { walk.step() }
    // A walk that never comes to these would show nothing.
    #expect(walk.grants > 20 && walk.voids > 200 && walk.conversations > 1_000)
    #expect(walk.patternGrants > 20 && walk.answers > 200)
  }
}

/// One driver of conversations that does by chance what clients and readers can do.
private struct Walk {
  var random: SplitMix
  var conversation = Conversation(limits: ConversationTable.limits)
  var conversations = 0
  var grants = 0
  var voids = 0
  /// Grants for a right pattern; they are none of ``grants``.
  var patternGrants = 0
  var answers = 0
  /// Whether an answer of this conversation is being tested, as the driver knows it.
  private var testing = false
  private var offered = false
  private var clock = 0
  private var timers: [ConversationTimer: Int] = [:]
  private var inFront = true
  private var holdsReader = false
  private var ended = false
  private var match: (nonce: Nonce, deadline: Int, held: Bool)?
  private var formerNonce = ConversationTable.other
  private var nonces: UInt64 = 0

  init(seed: UInt64) { random = SplitMix(state: seed) }

  mutating func step() {
    if ended { startAnew() }
    clock += Int(random.next() % 400)
    // A driver reports due timers before it reports anything else.
    for (timer, due) in timers where due <= clock {
      timers[timer] = nil
      perform(.timer(timer))
    }
    perform(choose())
  }

  private mutating func startAnew() {
    let random = self.random
    let counts = (conversations + 1, grants, voids, nonces)
    let more = (patternGrants, answers)
    self = Walk(seed: 0)
    self.random = random
    (conversations, grants, voids, nonces) = counts
    (patternGrants, answers) = more
  }

  private mutating func choose() -> ConversationEvent {
    // Mostly what leads on, so that matches are reached; sometimes anything.
    if random.next() % 8 == 0 {
      let all = ConversationTable.everything
      return all[Int(random.next() % UInt64(all.count))]
    }
    // What is being tested gets its verdict sooner or later.
    if testing, random.next() % 6 == 0 { return verdict() }
    if offered, !testing, random.next() % 20 == 0 { return PatternTable.answer }
    switch conversation.phase {
    case .fresh: return beginning()
    case .fingerless: return testing ? verdict() : PatternTable.answer
    case .away: return .message(.foreground(true))
    case .queued: return .turn
    case .starting: return .reader(ConversationTable.found)
    case .arming: return .reader(.armed)
    case .armed: return random.next() % 2 == 0 ? .reader(.mismatched) : .reader(.matched(freshNonce()))
    case .matched(let nonce, _): return confirmation(of: nonce)
    case .ended: return .hungUp
    }
  }

  private mutating func confirmation(of nonce: Nonce) -> ConversationEvent {
    switch random.next() % 6 {
    case 0: .message(.confirm(formerNonce))
    case 1: .message(.hold)
    case 2: .message(.foreground(false))
    case 3: .message(.foreground(true))
    default: .message(.confirm(nonce))
    }
  }

  private mutating func beginning() -> ConversationEvent {
    switch random.next() % 4 {
    case 0: .began()
    case 1: .began(pattern: true, noFinger: .noReader)
    default: .began(pattern: true)
    }
  }

  private mutating func verdict() -> ConversationEvent {
    .patternVerdict([.right, .wrong, .passedOn, .passedOn][Int(random.next() % 4)])
  }

  private mutating func freshNonce() -> Nonce {
    nonces += 1
    return Nonce(high: 7, low: nonces)
  }

  private mutating func perform(_ event: ConversationEvent) {
    if ended { return }
    note(event)
    let wasTesting = testing
    let actions = conversation.handle(event)
    if case .patternVerdict = event { testing = false }
    if actions.contains(.send(.granted)), event == .patternVerdict(.right) {
      patternGrants += 1
      #expect(wasTesting && offered, "granted for an answer that was not tested")
    }
    for action in actions { check(action, after: event) }
  }

  private mutating func note(_ event: ConversationEvent) {
    switch event {
    case .message(.foreground(let front)): inFront = front
    case .message(.hold):
      if let known = match, !known.held { match = (known.nonce, clock + 8_000, true) }
    default: break
    }
  }

  private mutating func check(_ action: ConversationAction, after event: ConversationEvent) {
    #expect(!ended, "nothing follows the end")
    switch action {
    case .send(.matched(let nonce)): match = (nonce, clock + 500, false)
    case .send(.voided):
      voids += 1
      formerNonce = match?.nonce ?? formerNonce
      match = nil
    case .send(.patternOffered): offered = true
    case .checkPattern:
      #expect(offered && !testing, "one at a time, and only where one was offered")
      testing = true
      answers += 1
    case .send(.granted) where event == .patternVerdict(.right): break
    case .send(.granted): checkGrant(event)
    case .setTimer(let timer, let milliseconds): timers[timer] = clock + milliseconds
    case .cancelTimer(let timer): timers[timer] = nil
    case .claim:
      #expect(!holdsReader, "no claim while one stands")
      holdsReader = true
    case .release:
      #expect(holdsReader, "only what was claimed is released")
      holdsReader = false
    case .finish:
      #expect(!holdsReader, "the end frees the reader")
      ended = true
    case .send, .arm, .log: break
    }
  }

  private mutating func checkGrant(_ event: ConversationEvent) {
    grants += 1
    guard let match, case .message(.confirm(let nonce)) = event else {
      Issue.record("granted without a confirmed match")
      return
    }
    #expect(nonce == match.nonce && clock < match.deadline && inFront)
  }
}

/// A small generator, so that every run walks the same way (Steele, Lea and Flood 2014).
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
