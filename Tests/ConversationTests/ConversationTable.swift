// SPDX-License-Identifier: Apache-2.0

import Conversation
import ThumbturnProtocol

/// Ways into each phase, and what must happen there.
enum ConversationTable {
  static let limits = ConversationLimits()
  static let nonce = Nonce(high: 1, low: 2)
  static let other = Nonce(high: 1, low: 3)
  static let found = ReaderNews.found(
    reader: text("NB"), scan: .press, fingers: FingerSet([.rightIndex]))
  static let accepted = ServerEvent.accepted(
    reader: text("NB"), scan: .press, fingers: FingerSet([.rightIndex]))

  static let queued: [ConversationEvent] = [.began()]
  static let starting: [ConversationEvent] = queued + [.turn]
  static let arming: [ConversationEvent] = starting + [.reader(found)]
  static let armed: [ConversationEvent] = arming + [.reader(.armed)]
  static let matched: [ConversationEvent] = armed + [.reader(.matched(nonce))]
  static let held: [ConversationEvent] = matched + [.message(.hold)]
  static let voided: [ConversationEvent] = matched + [.timer(.confirmation)]
  static let away: [ConversationEvent] = armed + [.message(.foreground(false))]
  /// From the front to the back and to the front again.
  static let again: [ConversationEvent] =
    [.message(.foreground(false)), .message(.foreground(true)), .turn, .reader(found), .reader(.armed)]
  static let reach = [queued, starting, arming, armed, matched, held, voided, away]

  static let everything: [ConversationEvent] =
    [
      .began(), .mustWait(service: text("su"), terminal: text("tty1")), .turn, .timer(.turn), .timer(.touch),
      .timer(.confirmation), .timer(.whole), .hungUp, .began(pattern: true),
      .began(pattern: true, noFinger: .noReader), .patternVerdict(.right), .patternVerdict(.wrong),
      .patternVerdict(.passedOn), .reader(found), .reader(.armed), .reader(.matched(nonce)),
      .reader(.mismatched), .reader(.lockedOut), .reader(.retry(.general)), .reader(.resting),
      .reader(.failed(.tooHot)),
    ]
    + [
      .foreground(true), .foreground(false), .confirm(nonce), .hold, .cancel,
      .answer(SecretRange(offset: 8, count: 0)), .status,
    ].map { .message($0) }

  static func refused(_ refusal: Refusal, holding: Bool = true) -> [ConversationAction] {
    [.send(.refused(refusal))] + (holding ? [.release] : []) + [.log(.refused(refusal)), .finish]
  }

  static let claim: [ConversationAction] = [.setTimer(.turn, milliseconds: 30_000), .claim]
  static let touch = ConversationAction.setTimer(.touch, milliseconds: 60_000)
  static let stepBack: [ConversationAction] =
    [.cancelTimer(.turn), .cancelTimer(.touch), .cancelTimer(.confirmation), .release]
  static let void: [ConversationAction] =
    [.cancelTimer(.confirmation), .send(.voided), .arm, touch]
  static let match: [ConversationAction] = [
    .send(.matched(nonce)), .cancelTimer(.touch), .setTimer(.confirmation, milliseconds: 500),
  ]
  static let granted: [ConversationAction] = [.send(.granted), .release, .log(.granted), .finish]

  static let rows = queueRows + readerRows + matchRows + clientRows

  static let queueRows = [
    Row("the beginning joins the queue", [], .began(), claim),
    Row(
      "a holder is named", queued, .mustWait(service: text("su"), terminal: text("tty1")),
      [.send(.waiting(service: text("su"), terminal: text("tty1")))]),
    Row("nobody is named to who has the reader", armed, .mustWait(service: text("su"), terminal: Text()), []),
    Row("the turn ends the wait", queued, .turn, [.cancelTimer(.turn)]),
    Row("the wait has an end", queued, .timer(.turn), refused(.busy)),
    Row("a late end of the wait means nothing", starting, .timer(.turn), []),
    Row("a second turn is a fault", armed, .turn, refused(.malfunction)),
    Row("a turn in the background is a fault", away, .turn, refused(.malfunction, holding: false)),
  ]

  static let readerRows = [
    Row("a reader that can serve it is accepted", starting, .reader(found), [.send(accepted)]),
    Row("no reader", starting, .reader(.failed(.noReader)), refused(.noReader)),
    Row("another reader", starting, .reader(.failed(.unknownReader)), refused(.unknownReader)),
    Row("a match before the reader was found", starting, .reader(.matched(nonce)), refused(.readerFailed)),
    Row("armed before the reader was found", starting, .reader(.armed), refused(.readerFailed)),
    Row("armed", arming, .reader(.armed), [.send(.armed), touch]),
    Row("a match before it was armed", arming, .reader(.matched(nonce)), refused(.readerFailed)),
    Row("a mismatch before it was armed", arming, .reader(.mismatched), refused(.readerFailed)),
    Row("nobody armed it in time", voided, .timer(.touch), refused(.timedOut)),
    Row("nobody touched it in time", armed, .timer(.touch), refused(.timedOut)),
    Row("found twice", armed, .reader(found), refused(.readerFailed)),
    Row("armed twice", armed, .reader(.armed), refused(.readerFailed)),
    Row("a mismatch costs a try", armed, .reader(.mismatched), [.send(.mismatch(triesLeft: 2))]),
    Row(
      "one mismatch too many in a row", armed, .reader(.lockedOut),
      [.send(.mismatch(triesLeft: 0))] + refused(.lockedOut)),
    Row("a lock before it was armed", arming, .reader(.lockedOut), refused(.readerFailed)),
    Row("a poor scan costs none", armed, .reader(.retry(.notCentred)), [.send(.retry(.notCentred))]),
    Row("a resting finger must be lifted", armed, .reader(.resting), [.send(.retry(.liftFinger))]),
    Row("too hot", armed, .reader(.failed(.tooHot)), refused(.tooHot)),
    Row("the reader's process died", arming, .reader(.failed(.readerFailed)), refused(.readerFailed)),
    Row("late words of a claim given up", away, .reader(.matched(nonce)), []),
    Row("late failure of a claim given up", away, .reader(.failed(.readerFailed)), []),
    Row("late words while queued again", away + [.message(.foreground(true))], .reader(.armed), []),
  ]

  static let matchRows = [
    Row("a match is told with its nonce", armed, .reader(.matched(nonce)), match),
    Row("the confirmed match grants", matched, .message(.confirm(nonce)), granted),
    Row("the wrong nonce voids the match", matched, .message(.confirm(other)), void),
    Row("an unconfirmed match is void", matched, .timer(.confirmation), void),
    Row("a touch's time means nothing to a match", matched, .timer(.touch), []),
    Row(
      "in the background a match is void", matched, .message(.foreground(false)),
      [.send(.voided)] + stepBack),
    Row(
      "holding gives it eight seconds", matched, .message(.hold),
      [.setTimer(.confirmation, milliseconds: 8_000)]),
    Row("once", held, .message(.hold), []),
    Row("a held match is confirmed", held, .message(.confirm(nonce)), granted),
    Row("a held match ends too", held, .timer(.confirmation), void),
    Row("a second match", matched, .reader(.matched(other)), refused(.readerFailed)),
    Row(
      "the reader fails before the confirmation", matched, .reader(.failed(.readerFailed)),
      refused(.readerFailed)),
    Row("a void match arms again", voided, .reader(.armed), [.send(.armed), touch]),
    Row("a confirmation that crossed the void", voided, .message(.confirm(nonce)), []),
    Row("a hold that crossed the void", voided, .message(.hold), []),
    Row(
      "a void match is not confirmed when armed again", voided + [.reader(.armed)],
      .message(.confirm(nonce)), []),
    Row("nor by the nonce of none", voided, .message(.confirm(other)), refused(.malformed)),
    Row(
      "and says nothing of the next match", voided + [.reader(.armed), .reader(.matched(other))],
      .message(.confirm(nonce)), []),
    Row("nor after the background", matched + again, .message(.confirm(nonce)), []),
  ]

  static let clientRows = [
    Row("confirming no match", armed, .message(.confirm(nonce)), refused(.malformed)),
    Row(
      "confirming in the background", away, .message(.confirm(nonce)),
      refused(.malformed, holding: false)),
    Row("holding no match", armed, .message(.hold), refused(.malformed)),
    Row("stepping back frees the reader", armed, .message(.foreground(false)), stepBack),
    Row("stepping back leaves the queue", queued, .message(.foreground(false)), stepBack),
    Row("stepping back twice", away, .message(.foreground(false)), []),
    Row("in front again claims again", away, .message(.foreground(true)), claim),
    Row("in front already", armed, .message(.foreground(true)), []),
    Row("in front keeps a match", matched, .message(.foreground(true)), []),
    Row("cancelled with the reader", armed, .message(.cancel), refused(.cancelled)),
    Row("cancelled without", away, .message(.cancel), refused(.cancelled, holding: false)),
    Row(
      "an answer is for the next module", armed, .message(.answer(SecretRange(offset: 8, count: 4))),
      [.send(.passedOn)]),
  ]
}
