// SPDX-License-Identifier: Apache-2.0

import Conversation
import ThumbturnProtocol

/// What a conversation does that may take a pattern.
enum PatternTable {
  typealias Table = ConversationTable

  static let answer = ConversationEvent.message(.answer(SecretRange(offset: 8, count: 4)))
  static let offered: [ConversationEvent] = [.began(pattern: true)]
  static let armed: [ConversationEvent] = offered + Table.armed.dropFirst()
  static let matched: [ConversationEvent] = armed + [.reader(.matched(Table.nonce))]
  static let away: [ConversationEvent] = armed + [.message(.foreground(false))]
  static let fingerless: [ConversationEvent] = [.began(pattern: true, noFinger: .nothingEnrolled)]
  static let testing = armed + [answer]
  static let testingAlone = fingerless + [answer]
  static let testingAway = away + [answer]
  static let testingMatched = matched + [answer]
  static let reach = [
    offered, armed, matched, away, fingerless, testing, testingAlone, testingAway, testingMatched,
  ]

  static let opening: [ConversationAction] =
    [.send(.patternOffered), .setTimer(.whole, milliseconds: 300_000)]
  static let ungrip: [ConversationAction] =
    [.cancelTimer(.turn), .cancelTimer(.touch), .cancelTimer(.confirmation), .release]
  static let grantedWithoutReader: [ConversationAction] = [.send(.granted), .log(.granted), .finish]

  static func fingerEnded(_ refusal: Refusal) -> [ConversationAction] {
    ungrip + [.send(.fingerEnded(refusal))]
  }

  static let rows = openingRows + fingerRows + answerRows + crossingRows

  static let openingRows = [
    Row("it is offered first", [], .began(pattern: true), opening + Table.claim),
    Row(
      "without a finger it is waited for alone", [], .began(pattern: true, noFinger: .remote),
      opening + [.send(.fingerEnded(.remote))]),
    Row(
      "neither finger nor pattern", [], .began(noFinger: .nothingEnrolled),
      [.send(.refused(.nothingEnrolled)), .log(.refused(.nothingEnrolled)), .finish]),
  ]

  static let fingerRows = [
    Row("no reader ends the finger", offered + [.turn], .reader(.failed(.noReader)), fingerEnded(.noReader)),
    Row("a busy reader", offered, .timer(.turn), fingerEnded(.busy)),
    Row("nobody touches it", armed, .timer(.touch), fingerEnded(.timedOut)),
    Row(
      "the last mismatch",
      armed + [.reader(.mismatched), .reader(.armed), .reader(.mismatched), .reader(.armed)],
      .reader(.mismatched), [.send(.mismatch(triesLeft: 0))] + fingerEnded(.noMatch)),
    Row(
      "one mismatch too many in a row", armed, .reader(.lockedOut),
      [.send(.mismatch(triesLeft: 0))] + fingerEnded(.lockedOut)),
    Row("a reader that says what it cannot", armed, .reader(.armed), fingerEnded(.readerFailed)),
    Row(
      "a reader that fails takes its match along", matched, .reader(.failed(.readerFailed)),
      [.send(.voided)] + fingerEnded(.readerFailed)),
    Row(
      "a confirmation that crossed this", matched + [.reader(.failed(.readerFailed))],
      .message(.confirm(Table.nonce)), []),
    Row(
      "the nonce of no match", fingerless, .message(.confirm(Table.nonce)),
      Table.refused(.malformed, holding: false)),
    Row("late words of the reader", fingerless, .reader(.matched(Table.nonce)), []),
    Row("a turn that is nobody's", fingerless, .turn, Table.refused(.malfunction, holding: false)),
    Row("in front again", fingerless, .message(.foreground(true)), []),
    Row("in the background", fingerless, .message(.foreground(false)), []),
    Row("the reader is given up, the pattern not", armed, .message(.foreground(false)), ungrip),
    Row("cancelled", fingerless, .message(.cancel), Table.refused(.cancelled, holding: false)),
  ]

  static let answerRows = [
    Row("an answer is tested", armed, answer, [.checkPattern]),
    Row("without a finger, too", fingerless, answer, [.checkPattern]),
    Row("and in the background", away, answer, [.checkPattern]),
    Row("the right one grants", testing, .patternVerdict(.right), Table.granted),
    Row("without a finger, too", testingAlone, .patternVerdict(.right), grantedWithoutReader),
    Row("a wrong one ends it", testing, .patternVerdict(.wrong), Table.refused(.wrongPattern)),
    Row("or is passed on", testing, .patternVerdict(.passedOn), [.send(.passedOn)]),
    Row("a second answer at once", testing, answer, Table.refused(.malformed)),
    Row("one after another", testing + [.patternVerdict(.passedOn)], answer, [.checkPattern]),
    Row("a verdict nobody waits for", armed, .patternVerdict(.right), Table.refused(.malfunction)),
    Row(
      "a second verdict", testing + [.patternVerdict(.passedOn)], .patternVerdict(.right),
      Table.refused(.malfunction)),
    Row(
      "a verdict where no pattern is offered", Table.armed + [answer], .patternVerdict(.right),
      Table.refused(.malfunction)),
    Row("none is answered for ever", fingerless, .timer(.whole), Table.refused(.timedOut, holding: false)),
    Row("with a reader", armed, .timer(.whole), Table.refused(.timedOut)),
    Row(
      "what is being tested is waited for", testing, .timer(.whole),
      [.setTimer(.whole, milliseconds: 10_000)]),
    Row("a finger alone has no such end", Table.armed, .timer(.whole), []),
  ]

  /// An answer is being tested while the finger goes on.
  static let crossingRows = [
    Row("a finger matches meanwhile", testing, .reader(.matched(Table.nonce)), Table.match),
    Row("and is confirmed", testingMatched, .message(.confirm(Table.nonce)), Table.granted),
    Row(
      "then the verdict says nothing more", testingMatched + [.message(.confirm(Table.nonce))],
      .patternVerdict(.wrong), []),
    Row("the verdict is first", testingMatched, .patternVerdict(.right), Table.granted),
    Row(
      "a wrong pattern takes the match along", testingMatched, .patternVerdict(.wrong),
      Table.refused(.wrongPattern)),
    Row("one passed on does not", testingMatched, .patternVerdict(.passedOn), [.send(.passedOn)]),
    Row("the match is void", testingMatched, .timer(.confirmation), Table.void),
    Row("the finger ends", testing, .reader(.failed(.tooHot)), fingerEnded(.tooHot)),
    Row(
      "then the right one grants", testing + [.reader(.failed(.tooHot))], .patternVerdict(.right),
      grantedWithoutReader),
    Row("cancelled meanwhile", testing, .message(.cancel), Table.refused(.cancelled)),
    Row("the right one comes too late then", testing + [.message(.cancel)], .patternVerdict(.right), []),
    Row("so it does for who is gone", testing + [.hungUp], .patternVerdict(.right), []),
    Row("the reader is given up meanwhile", testing, .message(.foreground(false)), ungrip),
    Row("right in the background", testingAway, .patternVerdict(.right), grantedWithoutReader),
  ]
}
