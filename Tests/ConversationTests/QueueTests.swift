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
    #expect(queue.join(first, at: 0) == [.turn(1)])
    #expect(queue.current == first && !queue.isIdle)
  }

  @Test func theRestWaitInTheirOrderAndHearWhoHoldsIt() {
    var queue = ReaderQueue()
    _ = queue.join(first, at: 0)
    let behindFirst = (service: text("sudo"), terminal: text("pts/1"))
    for (number, claimant) in [(2, second), (3, third)] as [(UInt64, Claimant)] {
      #expect(
        queue.join(claimant, at: 0)
          == [.mustWait(number, service: behindFirst.service, terminal: behindFirst.terminal)])
    }
    #expect(queue.leave(1, at: 0) == true)
    #expect(queue.current == nil)
    #expect(queue.free(at: 0) == [.turn(2), .mustWait(3, service: text("su"), terminal: text("pts/2"))])
    #expect(queue.leave(2, at: 0) == true)
    #expect(queue.free(at: 0) == [.turn(3)])
    #expect(queue.leave(3, at: 0) == true)
    #expect(!queue.isIdle)
    #expect(queue.free(at: 0) == [])
    #expect(queue.isIdle)
  }

  @Test func nobodyHasTheReaderBeforeTheFormerProcessEnded() {
    var queue = ReaderQueue()
    _ = queue.join(first, at: 0)
    #expect(queue.leave(1, at: 0) == true)
    #expect(queue.join(second, at: 0) == [])
    #expect(queue.join(third, at: 0) == [.mustWait(3, service: text("su"), terminal: text("pts/2"))])
    #expect(queue.free(at: 0) == [.turn(2), .mustWait(3, service: text("su"), terminal: text("pts/2"))])
  }

  @Test func whoLeavesWhileWaitingIsForgotten() {
    var queue = ReaderQueue()
    for claimant in [first, second, third] { _ = queue.join(claimant, at: 0) }
    #expect(queue.leave(2, at: 0) == false)
    #expect(queue.leave(1, at: 0) == true)
    #expect(queue.free(at: 0) == [.turn(3)])
  }

  @Test func aSecondWishChangesNothing() {
    var queue = ReaderQueue()
    _ = queue.join(first, at: 0)
    _ = queue.join(second, at: 0)
    #expect(queue.join(first, at: 0) == [] && queue.join(second, at: 0) == [])
    #expect(queue.leave(1, at: 0) == true)
    #expect(queue.free(at: 0) == [.turn(2)])
  }

  @Test func aReaderThatIsHeldIsNotFreed() {
    var queue = ReaderQueue()
    _ = queue.join(first, at: 0)
    #expect(queue.free(at: 0) == [])
    #expect(queue.current == first)
    #expect(queue.leave(9, at: 0) == false)
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

  @Test func oneUsersSetuidProgramsCannotHaveAllOfRoots() {
    var admission = Admission()
    for _ in 0..<8 { #expect(admission.admit(0, real: 1000) == true) }
    #expect(admission.admit(0, real: 1000) == false)
    for number in 0..<16 as Range<UInt32> { #expect(admission.admit(0, real: 1001 + number / 8) == true) }
    #expect(admission.admit(0, real: 1003) == false)
    for _ in 0..<8 { #expect(admission.admit(0) == true) }
    #expect(admission.admit(0) == false)
    admission.leave(0, real: 1000)
    #expect(admission.admit(0, real: 1003) == true)
    #expect(admission.admit(0, real: 1000) == false && admission.count == 32)
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
