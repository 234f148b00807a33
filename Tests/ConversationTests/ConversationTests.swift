// SPDX-License-Identifier: Apache-2.0

import Conversation
import Testing
import ThumbturnProtocol

/// One line of a table: what happened before, what happens, what must be done.
struct Row: CustomTestStringConvertible, Sendable {
  let name: String
  let before: [ConversationEvent]
  let event: ConversationEvent
  let actions: [ConversationAction]

  init(
    _ name: String, _ before: [ConversationEvent], _ event: ConversationEvent,
    _ actions: [ConversationAction]
  ) {
    self.name = name
    self.before = before
    self.event = event
    self.actions = actions
  }

  var testDescription: String { name }
}

/// Every phase with every event that means something in it.
@Suite struct ConversationTests {
  @Test(arguments: ConversationTable.rows + PatternTable.rows) func does(_ row: Row) {
    var conversation = Conversation(limits: ConversationTable.limits)
    for event in row.before { _ = conversation.handle(event) }
    #expect(conversation.handle(row.event) == row.actions)
  }

  @Test(arguments: ConversationTable.reach + PatternTable.reach) func aSecondBeginningEndsIt(
    _ before: [ConversationEvent]
  ) {
    var conversation = Conversation(limits: ConversationTable.limits)
    for event in before { _ = conversation.handle(event) }
    #expect(conversation.handle(.began()).contains(.send(.refused(.malfunction))))
    #expect(conversation.phase == .ended)
  }

  @Test(arguments: ConversationTable.reach + PatternTable.reach) func administrationHasNoPlaceInIt(
    _ before: [ConversationEvent]
  ) {
    let request = PrintRequest(user: text("ada"), finger: nil)
    let messages: [ClientMessage] = [
      .begin(Begin()), .enroll(request), .list(text("ada")), .delete(request), .status, .readers,
      .proof(SecretRange(offset: 8, count: 0)), .setPattern(text("ada")), .deletePattern(text("ada")),
      .checkPattern(text("ada")), .storage(clear: true), .trustReaders,
      .learn(user: text("ada"), service: text("su"), SecretRange(offset: 8, count: 0)),
    ]
    for message in messages {
      var conversation = Conversation(limits: ConversationTable.limits)
      for event in before { _ = conversation.handle(event) }
      #expect(conversation.handle(.message(message)).first == .send(.refused(.malformed)))
    }
  }

  @Test(arguments: ConversationTable.reach + PatternTable.reach) func hangingUpFreesTheReader(
    _ before: [ConversationEvent]
  ) {
    var conversation = Conversation(limits: ConversationTable.limits)
    for event in before { _ = conversation.handle(event) }
    let isWithout = [.away, .fingerless].contains(conversation.phase)
    let release: [ConversationAction] = isWithout ? [] : [.release]
    #expect(conversation.handle(.hungUp) == release + [.log(.hungUp), .finish])
  }

  @Test(arguments: ConversationTable.everything) func nothingFollowsTheEnd(_ event: ConversationEvent) {
    for last in [.message(.confirm(ConversationTable.nonce)), .message(.cancel)] as [ConversationEvent] {
      var conversation = Conversation(limits: ConversationTable.limits)
      for event in ConversationTable.matched + [last] { _ = conversation.handle(event) }
      #expect(conversation.handle(event) == [])
    }
  }

  @Test(arguments: ConversationTable.everything.filter { !$0.isBeginning && $0 != .hungUp })
  func nothingComesBeforeTheBeginning(_ event: ConversationEvent) {
    var conversation = Conversation(limits: ConversationTable.limits)
    let actions = conversation.handle(event)
    #expect(!actions.contains(.claim) && !actions.contains(.send(.granted)))
    if case .message = event { #expect(actions.first == .send(.refused(.malformed))) }
  }

  @Test func limitsOfNothingStillAllowOneTry() {
    var limits = ConversationTable.limits
    limits.tries = 0
    limits.poorScans = 0
    var conversation = Conversation(limits: limits)
    for event in ConversationTable.armed { _ = conversation.handle(event) }
    #expect(conversation.handle(.reader(.mismatched)).contains(.send(.refused(.noMatch))))
    conversation = Conversation(limits: limits)
    for event in ConversationTable.armed { _ = conversation.handle(event) }
    #expect(conversation.handle(.reader(.resting)).contains(.send(.refused(.poorScan))))
  }

  @Test func thirdMismatchEndsIt() {
    var conversation = Conversation(limits: ConversationTable.limits)
    for event in ConversationTable.armed { _ = conversation.handle(event) }
    for left in [2, 1] as [UInt8] {
      #expect(conversation.handle(.reader(.mismatched)) == [.send(.mismatch(triesLeft: left))])
      _ = conversation.handle(.reader(.armed))
    }
    let end = [.send(.mismatch(triesLeft: 0))] + ConversationTable.refused(.noMatch)
    #expect(conversation.handle(.reader(.mismatched)) == end)
  }

  @Test func neitherStandingBackNorVoidMatchesGiveTriesBack() {
    var conversation = Conversation(limits: ConversationTable.limits)
    for event in ConversationTable.armed + [.reader(.mismatched), .reader(.armed)] {
      _ = conversation.handle(event)
    }
    for event in ConversationTable.again + [.reader(.matched(ConversationTable.nonce))] {
      _ = conversation.handle(event)
    }
    for event in [.timer(.confirmation), .reader(.armed)] as [ConversationEvent] {
      _ = conversation.handle(event)
    }
    #expect(conversation.handle(.reader(.mismatched)) == [.send(.mismatch(triesLeft: 1))])
  }

  @Test func tenPoorScansEndIt() {
    var conversation = Conversation(limits: ConversationTable.limits)
    for event in ConversationTable.armed { _ = conversation.handle(event) }
    for _ in 1..<10 {
      #expect(conversation.handle(.reader(.retry(.tooShort))) == [.send(.retry(.tooShort))])
      _ = conversation.handle(.reader(.armed))
    }
    #expect(conversation.handle(.reader(.retry(.tooShort))) == ConversationTable.refused(.poorScan))
  }
}

extension ConversationEvent {
  var isBeginning: Bool { if case .began = self { true } else { false } }
}

/// A text of this program.
func text(_ string: StaticString) -> Text { Text(string) }
