// SPDX-License-Identifier: Apache-2.0

import Conversation
import Testing
import ThumbturnProtocol

@Suite struct TrustingTests {
  private static let proof = ErrandEvent.message(.proof(SecretRange(offset: 8, count: 4)))
  private static let asked: [ErrandEvent] = [.began(proofNeeded: true)]
  private static let proven: [ErrandEvent] = asked + [proof, .checked(right: true)]
  private static let queued: [ErrandEvent] = [.began(proofNeeded: false)]
  private static let listing: [ErrandEvent] = queued + [.turn]
  private static let storing: [ErrandEvent] = listing + [.listed]
  private static let claim: [ErrandAction] = [.setTimer(.turn, milliseconds: 30_000), .claim]
  private static let done: [ErrandAction] = [.send(.done), .release, .log(.done), .finish]

  private static func refused(_ refusal: Refusal, holding: Bool = true) -> [ErrandAction] {
    [.send(.refused(refusal))] + (holding ? [.release] : []) + [.log(.refused(refusal)), .finish]
  }

  static let rows = [
    ErrandRow("root has proved enough", [], .began(proofNeeded: false), claim),
    ErrandRow(
      "others are asked", [], .began(proofNeeded: true),
      [.setTimer(.proof, milliseconds: 120_000), .wantProof]),
    ErrandRow("their password is checked", asked, proof, [.cancelTimer(.proof), .check]),
    ErrandRow("a right one leads on", asked + [proof], .checked(right: true), claim),
    ErrandRow(
      "a wrong one is answered late", asked + [proof], .checked(right: false),
      [.setTimer(.penalty, milliseconds: 1_000)]),
    ErrandRow(
      "and changes nothing", asked + [proof, .checked(right: false)], .timer(.penalty),
      refused(.wrongPassword, holding: false)),
    ErrandRow("no reader without proof", asked, .turn, refused(.malfunction, holding: false)),
    ErrandRow("nor a list", asked, .listed, refused(.malfunction, holding: false)),
    ErrandRow(
      "a holder is named", proven, .mustWait(service: text("su"), terminal: text("tty1")),
      [.send(.waiting(service: text("su"), terminal: text("tty1")))]),
    ErrandRow("the wait has an end", queued, .timer(.turn), refused(.busy)),
    ErrandRow("the turn", queued, .turn, [.cancelTimer(.turn)]),
    ErrandRow("all were named", listing, .listed, [.store]),
    ErrandRow("a late end of the wait", listing, .timer(.turn), []),
    ErrandRow("stored", storing, .stored, done),
    ErrandRow("named twice", storing, .listed, refused(.malfunction)),
    ErrandRow("what it did not ask for", listing, .enrolled, refused(.readerFailed)),
    ErrandRow("no reader", storing, .failed(.noReader), refused(.noReader)),
    ErrandRow("the disk is full", storing, .failed(.storageFailed), refused(.storageFailed)),
    ErrandRow("cancelled", queued, .message(.cancel), refused(.cancelled)),
    ErrandRow("cancelled at the proof", asked, .message(.cancel), refused(.cancelled, holding: false)),
    ErrandRow("a second wish", listing, .message(.trustReaders), refused(.malformed)),
    ErrandRow("hung up", listing, .hungUp, [.release, .log(.hungUp), .finish]),
    ErrandRow("nothing follows the end", storing + [.stored], .turn, []),
  ]

  @Test(arguments: rows) func trusting(_ row: ErrandRow) {
    var errand = Trusting(limits: ErrandLimits())
    for event in row.before { _ = errand.handle(event) }
    #expect(errand.handle(row.event) == row.actions)
  }
}
