// SPDX-License-Identifier: Apache-2.0

import Glibc
import Records
import System
import Testing
import ThumbturnProtocol

@testable import DaemonCore

/// Conversations with the real daemon and the real reader process.
@Suite(.serialized, .enabled(if: geteuid() == 0, "only root may ask for root"))
struct ServerConversationTests {
  private let rig: ServerRig

  init() throws { rig = try ServerRig() }

  @Test func aConfirmedTouchGrants() throws {
    try rig.enrol()
    let client = try rig.connect()
    try client.begin()
    let accepted = try client.next()
    let fingers = FingerSet([.rightIndex])
    #expect(
      accepted == .accepted(reader: Text("Virtual device for debugging"), scan: .swipe, fingers: fingers))
    #expect(try client.next() == .armed)
    try rig.touch("SCAN ada")
    try client.send(.confirm(try client.matched()))
    #expect(try client.next() == .granted)
    #expect(client.ends())
  }

  @Test func twentyTouchesBackToBack() throws {
    try rig.enrol()
    for _ in 0..<20 {
      let client = try rig.armed()
      try rig.touch("SCAN ada")
      try client.send(.confirm(try client.matched()))
      #expect(try client.next() == .granted)
    }
    #expect(try rig.readerProcesses().count <= 1)
  }

  @Test func threeMismatchesEndIt() throws {
    try rig.enrol()
    let client = try rig.armed()
    for left in [2, 1] as [UInt8] {
      try rig.touch("SCAN bob")
      #expect(try client.next() == .mismatch(triesLeft: left))
      #expect(try client.next() == .armed)
    }
    try rig.touch("SCAN bob")
    #expect(try client.next() == .mismatch(triesLeft: 0))
    #expect(try client.next() == .refused(.noMatch))
    #expect(client.ends())
  }

  @Test func anUnconfirmedMatchIsVoidAndTheReaderIsArmedAgain() throws {
    try rig.enrol()
    let client = try rig.armed()
    try rig.touch("SCAN ada")
    let late = try client.matched()
    #expect(try client.next() == .voided)
    #expect(try client.next() == .armed)
    try client.send(.confirm(late))
    try rig.touch("RETRY 1")
    #expect(try client.next() == .retry(.tooShort))
    #expect(try client.next() == .armed)
    try rig.touch("SCAN ada")
    try client.send(.confirm(try client.matched()))
    let last = try client.next()
    #expect(last == .granted)
  }

  @Test func aWrongNonceVoidsTheMatch() throws {
    try rig.enrol()
    let client = try rig.armed()
    try rig.touch("SCAN ada")
    let nonce = try client.matched()
    try client.send(.confirm(Nonce(high: nonce.high, low: nonce.low ^ 1)))
    #expect(try client.next() == .voided)
  }

  @Test func theReaderGoesToTheNextWhenTheHostStepsBack() throws {
    try rig.enrol()
    let first = try rig.armed(service: "su")
    let second = try rig.connect()
    try second.begin()
    #expect(try second.next() == .waiting(service: Text("su"), terminal: Text("pts/7")))
    try first.send(.foreground(false))
    guard case .accepted = try second.next() else { throw Surprise() }
    #expect(try second.next() == .armed)
    try first.send(.foreground(true))
    #expect(try first.next() == .waiting(service: Text("sudo"), terminal: Text("pts/7")))
    try second.send(.cancel)
    #expect(try second.next() == .refused(.cancelled))
    guard case .accepted = try first.next() else { throw Surprise() }
    #expect(try first.next() == .armed)
  }

  @Test func aDeadReaderProcessCostsOneConversation() throws {
    try rig.enrol()
    let client = try rig.armed()
    for process in try rig.readerProcesses() { kill(process, SIGKILL) }
    #expect(try client.next() == .refused(.readerFailed))
    _ = try rig.armed()
  }

  @Test func aHangingReaderProcessIsKilledBeforeTheNextClaim() throws {
    try rig.enrol()
    let stopped = try rig.armed()
    let former = try rig.readerProcesses()
    for process in former { kill(process, SIGSTOP) }
    try stopped.send(.cancel)
    #expect(try stopped.next() == .refused(.cancelled))
    _ = try rig.armed()
    #expect(former.count == 1)
    #expect(try rig.readerProcesses().count == 1)
    #expect(try rig.readerProcesses() != former)
  }

  @Test func printsOfAnotherReaderAreNotCompared() throws {
    try rig.enrol()
    let store = try Store(folder: "\(rig.folder.path)/data")
    guard let root = Account(uid: 0), let record = store.records(of: root).first?.usable else {
      throw Surprise()
    }
    #expect(try store.delete(of: root, finger: nil) == 1)
    var other = record.reader
    other.device = Text("another")
    try store.save(
      try .init(
        user: record.user, uid: 0, finger: .leftThumb, reader: other, created: 1, template: record.template))
    let client = try rig.connect()
    try client.begin()
    #expect(try client.next() == .refused(.unknownReader))
  }

  @Test func aPrintThatIsDeletedWhileTheReaderIsArmedOpensNothing() throws {
    try rig.enrol()
    let client = try rig.armed()
    let other = try rig.connect()
    try other.send(.delete(PrintRequest(user: Text("root"), finger: nil)))
    #expect(try other.next() == .done)
    try rig.touch("SCAN ada")
    #expect(try client.next() == .refused(.nothingEnrolled))
  }
}
