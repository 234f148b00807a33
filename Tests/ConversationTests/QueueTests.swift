// SPDX-License-Identifier: Apache-2.0

import Conversation
import Testing
import ThumbturnProtocol

@Suite struct QueueTests {
  private let first = Claimant(number: 1, service: text("sudo"), terminal: text("pts/1"))
  private let second = Claimant(number: 2, service: text("su"), terminal: text("pts/2"))
  private let third = Claimant(number: 3, service: text("login"), terminal: text("tty1"))

  @Test func aFreeReaderIsGivenAtOnce() {
    var queue = ReaderQueue()
    #expect(queue.isIdle)
    #expect(queue.join(first) == [.turn(1)])
    #expect(queue.current == first && !queue.isIdle)
  }

  @Test func theRestWaitInTheirOrderAndHearWhoHoldsIt() {
    var queue = ReaderQueue()
    _ = queue.join(first)
    let behindFirst = (service: text("sudo"), terminal: text("pts/1"))
    #expect(
      queue.join(second) == [.mustWait(2, service: behindFirst.service, terminal: behindFirst.terminal)])
    #expect(queue.join(third) == [.mustWait(3, service: behindFirst.service, terminal: behindFirst.terminal)])
    #expect(queue.leave(1) == true)
    #expect(queue.current == nil)
    #expect(queue.free() == [.turn(2), .mustWait(3, service: text("su"), terminal: text("pts/2"))])
    #expect(queue.leave(2) == true)
    #expect(queue.free() == [.turn(3)])
    #expect(queue.leave(3) == true)
    #expect(!queue.isIdle)
    #expect(queue.free() == [])
    #expect(queue.isIdle)
  }

  @Test func nobodyHasTheReaderBeforeTheFormerProcessEnded() {
    var queue = ReaderQueue()
    _ = queue.join(first)
    #expect(queue.leave(1) == true)
    #expect(queue.join(second) == [])
    #expect(queue.join(third) == [.mustWait(3, service: text("su"), terminal: text("pts/2"))])
    #expect(queue.free() == [.turn(2), .mustWait(3, service: text("su"), terminal: text("pts/2"))])
  }

  @Test func whoLeavesWhileWaitingIsForgotten() {
    var queue = ReaderQueue()
    for claimant in [first, second, third] { _ = queue.join(claimant) }
    #expect(queue.leave(2) == false)
    #expect(queue.leave(1) == true)
    #expect(queue.free() == [.turn(3)])
  }

  @Test func aSecondWishChangesNothing() {
    var queue = ReaderQueue()
    _ = queue.join(first)
    _ = queue.join(second)
    #expect(queue.join(first) == [] && queue.join(second) == [])
    #expect(queue.leave(1) == true)
    #expect(queue.free() == [.turn(2)])
  }

  @Test func aReaderThatIsHeldIsNotFreed() {
    var queue = ReaderQueue()
    _ = queue.join(first)
    #expect(queue.free() == [])
    #expect(queue.current == first)
    #expect(queue.leave(9) == false)
  }
}

@Suite struct AdmissionTests {
  @Test func eachUserHasAShare() {
    var admission = Admission()
    for _ in 0..<8 { #expect(admission.admit(1000) == true) }
    #expect(admission.admit(1000) == false)
    #expect(admission.admit(1001) == true)
    admission.leave(1000)
    #expect(admission.admit(1000) == true)
    #expect(admission.count == 9)
  }

  @Test func allUsersTogetherLeaveRoomForRoot() {
    var admission = Admission()
    let admitted = (0..<8 * 8).filter { admission.admit(UInt32(1000 + $0 / 8)) }
    #expect(admitted.count == 32)
    for _ in 0..<32 { #expect(admission.admit(0) == true) }
    #expect(admission.admit(0) == false)
    #expect(admission.count == 64)
    admission.leave(1000)
    #expect(admission.admit(1007) == true)
  }

  @Test func leavingTwiceCountsOnce() {
    var admission = Admission()
    #expect(admission.admit(0) == true)
    admission.leave(0)
    admission.leave(0)
    admission.leave(5)
    #expect(admission.count == 0)
  }
}
