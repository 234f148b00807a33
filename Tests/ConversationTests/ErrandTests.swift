// SPDX-License-Identifier: Apache-2.0

import Conversation
import Testing
import ThumbturnProtocol

/// One line of an errand's table.
struct ErrandRow: CustomTestStringConvertible, Sendable {
  let name: String
  let before: [ErrandEvent]
  let event: ErrandEvent
  let actions: [ErrandAction]

  init(_ name: String, _ before: [ErrandEvent], _ event: ErrandEvent, _ actions: [ErrandAction]) {
    self.name = name
    self.before = before
    self.event = event
    self.actions = actions
  }

  var testDescription: String { name }
}

@Suite struct ErrandTests {
  @Test(arguments: ErrandTable.enrolling) func enrolment(_ row: ErrandRow) {
    var errand = Enrollment(limits: ErrandLimits())
    for event in row.before { _ = errand.handle(event) }
    #expect(errand.handle(row.event) == row.actions)
  }

  @Test(arguments: ErrandTable.deleting) func deletion(_ row: ErrandRow) {
    var errand = Deletion(limits: ErrandLimits())
    for event in row.before { _ = errand.handle(event) }
    #expect(errand.handle(row.event) == row.actions)
  }

  @Test(arguments: ErrandTable.everything) func nothingFollowsTheEnd(_ event: ErrandEvent) {
    var enrollment = Enrollment(limits: ErrandLimits())
    var deletion = Deletion(limits: ErrandLimits())
    for event in [.began(proofNeeded: false), .message(.cancel)] as [ErrandEvent] {
      _ = enrollment.handle(event)
      _ = deletion.handle(event)
    }
    #expect(enrollment.handle(event) == [] && deletion.handle(event) == [])
  }

  /// The data of an account changes only behind the right password of its owner.
  @Test(arguments: 0..<4) func nothingIsStoredWithoutProof(_ seed: UInt64) {
    var random = SplitMix(state: seed)
    var stored = 0
    for _ in 0..<10_000 {
      var deletion = Deletion(limits: ErrandLimits())
      var proven = false
      for action in deletion.handle(.began(proofNeeded: true)) { #expect(action != .store) }
      for _ in 0..<4 {
        let event = ErrandTable.everything[Int(random.next() % UInt64(ErrandTable.everything.count))]
        let actions = deletion.handle(event)
        if event == .checked(right: true) { proven = true }
        if actions.contains(.store) {
          stored += 1
          #expect(proven)
        }
      }
    }
    #expect(stored > 0)
  }
}

/// Ways into each phase of an errand, and what must happen there.
enum ErrandTable {
  static let proof = ErrandEvent.message(.proof(SecretRange(offset: 8, count: 3)))
  static let proving: [ErrandEvent] = [.began(proofNeeded: true)]
  static let checking = proving + [proof]
  static let punished = checking + [.checked(right: false)]
  static let queued: [ErrandEvent] = [.began(proofNeeded: false)]
  static let opening = queued + [.turn]
  static let enrolling1 = opening + [.opened(reader: text("NB"), scan: .swipe, stages: 5)]
  static let storing = enrolling1 + [.enrolled]

  static let everything: [ErrandEvent] = [
    .began(proofNeeded: true), .began(proofNeeded: false), proof, .message(.cancel), .message(.status),
    .checked(right: true), .checked(right: false), .failed(.storageFailed), .turn, .enrolled, .stored,
    .mustWait(service: text("su"), terminal: text("tty1")), .stage(done: 1, retry: nil),
    .opened(reader: text("NB"), scan: .press, stages: 5), .timer(.proof), .timer(.penalty), .timer(.turn),
    .timer(.scan), .hungUp, .storedElsewhereToo, .erased(more: true), .erased(more: false),
  ]

  static func refused(_ refusal: Refusal, holding: Bool) -> [ErrandAction] {
    [.send(.refused(refusal))] + (holding ? [.release] : []) + [.log(.refused(refusal)), .finish]
  }

  static let claim: [ErrandAction] = [.setTimer(.turn, milliseconds: 30_000), .claim]
  static let ask: [ErrandAction] = [.setTimer(.proof, milliseconds: 120_000), .wantProof]
  static let scanTimer = ErrandAction.setTimer(.scan, milliseconds: 60_000)

  static func proofRows(then: [ErrandAction]) -> [ErrandRow] {
    [
      ErrandRow("a password is asked for", [], .began(proofNeeded: true), ask),
      ErrandRow("none comes", proving, .timer(.proof), refused(.timedOut, holding: false)),
      ErrandRow("one comes", proving, proof, [.cancelTimer(.proof), .check]),
      ErrandRow("a second one", checking, proof, refused(.malformed, holding: false)),
      ErrandRow("the right one", checking, .checked(right: true), then),
      ErrandRow(
        "a wrong one costs time", checking, .checked(right: false),
        [.setTimer(.penalty, milliseconds: 1_000)]),
      ErrandRow("and is refused", punished, .timer(.penalty), refused(.wrongPassword, holding: false)),
      ErrandRow("it cannot be checked", checking, .failed(.overloaded), refused(.overloaded, holding: false)),
      ErrandRow("cancelled", checking, .message(.cancel), refused(.cancelled, holding: false)),
      ErrandRow("another timer", checking, .timer(.proof), []),
      ErrandRow(
        "right before it was asked", proving, .checked(right: true),
        refused(.malfunction, holding: false)),
      ErrandRow(
        "right after it was wrong", punished, .checked(right: true),
        refused(.malfunction, holding: false)),
      ErrandRow("gone", checking, .hungUp, [.log(.hungUp), .finish]),
      ErrandRow("before the beginning", [], .stored, refused(.malfunction, holding: false)),
      ErrandRow("a message before the beginning", [], .message(.status), refused(.malformed, holding: false)),
    ]
  }

  static let enrolling =
    proofRows(then: claim) + [
      ErrandRow("no password is needed", [], .began(proofNeeded: false), claim),
      ErrandRow(
        "a holder is named", queued, .mustWait(service: text("su"), terminal: text("tty1")),
        [.send(.waiting(service: text("su"), terminal: text("tty1")))]),
      ErrandRow("the wait has an end", queued, .timer(.turn), refused(.busy, holding: true)),
      ErrandRow("its turn", queued, .turn, [.cancelTimer(.turn)]),
      ErrandRow("enrolled already", opening, .failed(.duplicate), refused(.duplicate, holding: true)),
      ErrandRow(
        "the reader is open", opening, .opened(reader: text("NB"), scan: .swipe, stages: 5),
        [.send(.enrolling(reader: text("NB"), scan: .swipe, stages: 5)), .enroll, scanTimer]),
      ErrandRow("a template out of nothing", opening, .enrolled, refused(.readerFailed, holding: true)),
      ErrandRow(
        "a scan", enrolling1, .stage(done: 1, retry: nil),
        [.send(.stage(done: 1, retry: nil)), scanTimer]),
      ErrandRow(
        "a poor scan", enrolling1, .stage(done: 1, retry: .tooShort),
        [.send(.stage(done: 1, retry: .tooShort)), scanTimer]),
      ErrandRow("no scan", enrolling1, .timer(.scan), refused(.timedOut, holding: true)),
      ErrandRow("the template is saved", enrolling1, .enrolled, [.cancelTimer(.scan), .store]),
      ErrandRow("done", storing, .stored, [.send(.done), .release, .log(.done), .finish]),
      ErrandRow("not saved", storing, .failed(.storageFailed), refused(.storageFailed, holding: true)),
      ErrandRow(
        "a scan after the end", storing, .stage(done: 1, retry: nil),
        refused(.malfunction, holding: true)),
      ErrandRow("a late timer", storing, .timer(.scan), []),
      ErrandRow("cancelled", enrolling1, .message(.cancel), refused(.cancelled, holding: true)),
      ErrandRow("another message", enrolling1, .message(.hold), refused(.malformed, holding: true)),
      ErrandRow("the client is gone", enrolling1, .hungUp, [.release, .log(.hungUp), .finish]),
    ]

  static let deleting =
    proofRows(then: [.store]) + [
      ErrandRow("no password is needed", [], .began(proofNeeded: false), [.store]),
      ErrandRow("done", queued, .stored, [.send(.done), .log(.done), .finish]),
      ErrandRow("no such print", queued, .failed(.notFound), refused(.notFound, holding: false)),
      ErrandRow("a late timer", queued, .timer(.proof), []),
      ErrandRow("a reader has no part in it", queued, .turn, refused(.malfunction, holding: false)),
    ] + erasingRows

  static let kept = queued + [.storedElsewhereToo]
  static let erasing = kept + [.turn]

  static func left(_ reason: Refusal) -> [ErrandAction] {
    [.tellLeft(reason), .send(.done), .release, .log(.done), .finish]
  }

  static let erasingRows = [
    ErrandRow("a reader keeps it, too", queued, .storedElsewhereToo, claim),
    ErrandRow(
      "somebody uses that reader", kept, .mustWait(service: text("su"), terminal: text("tty1")),
      [.send(.waiting(service: text("su"), terminal: text("tty1")))]),
    ErrandRow("for too long", kept, .timer(.turn), left(.busy)),
    ErrandRow("the reader's turn", kept, .turn, [.cancelTimer(.turn)]),
    ErrandRow("erased", erasing, .erased(more: false), left(.noReader)),
    ErrandRow("another reader keeps some", erasing, .erased(more: true), [.release] + claim),
    ErrandRow("the reader is not there", erasing, .failed(.noReader), left(.noReader)),
    ErrandRow("nobody wants to wait", erasing, .message(.cancel), left(.cancelled)),
    ErrandRow("another message", kept, .message(.hold), left(.malformed)),
    ErrandRow("a late timer there", erasing, .timer(.turn), []),
    ErrandRow("erased out of turn", kept, .erased(more: false), left(.readerFailed)),
    ErrandRow(
      "gone meanwhile", erasing, .hungUp, [.tellLeft(.cancelled), .release, .log(.hungUp), .finish]),
  ]
}
