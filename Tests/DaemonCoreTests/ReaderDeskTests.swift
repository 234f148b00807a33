// SPDX-License-Identifier: Apache-2.0

import Conversation
import Glibc
import ReaderProtocol
import Records
import System
import Testing
import ThumbturnProtocol

@testable import DaemonCore

extension LoopedTests {
  /// The desk with a program in the reader's place, and clocks of the test's own.
  @Suite final class ReaderDeskTests {
    private let folder: TemporaryFolder
    private let loop = MainLoop()
    private var asleep: Int64 = 0
    private var now: Int64 = 1_000_000

    /// Lists one reader, opens what it is told to, and waits for touches that never come.
    private static let program = """
      #!/usr/bin/env python3
      import socket
      channel = socket.socket(fileno=3)
      name = bytes([1]) + b"d" + bytes([1]) + b"0" + bytes([1]) + b"n"
      while True:
          packet = channel.recv(200000)
          kind = packet[1] if packet else 7
          if kind == 1:
              channel.send(bytes([1, 1]) + name + bytes([0, 5, 1, 0, 0, 0]))
              channel.send(bytes([1, 2]))
          elif kind == 2: channel.send(bytes([1, 3]))
          elif kind == 4: channel.send(bytes([1, 4]))
          elif kind == 7: break
      """

    init() throws { folder = try TemporaryFolder() }

    private func desk() throws -> ReaderDesk {
      let path = try folder.write("reader", bytes: Array(ReaderDeskTests.program.utf8), mode: 0o755)
      var plan = ReaderPlan(path: path)
      plan.virtualReaders = true
      let desk = ReaderDesk(
        plan: plan, problem: { _ in }, clock: { [unowned self] in now }, changed: {})
      desk.sleep = SleepWatch(interval: 20, asleep: { [unowned self] in asleep }) { [weak desk] in
        desk?.wokeUnannounced()
      }
      return desk
    }

    /// Runs the loop until `condition` holds.
    private func wait(_ what: Comment, _ condition: @escaping () -> Bool) {
      let look = RepeatedLook(condition) { [loop] in loop.quit() }
      loop.run()
      #expect(look.looksLeft > 0, what)
    }

    @Test func sleepTakesTheReaderAndWakingGivesItBack() throws {
      let desk = try desk()
      let claim = TestClaim(1, desk: desk)
      desk.join(claim)
      wait("armed") { claim.heard.last == "armed" }
      var ready = false
      desk.sleeping(true) { ready = true }
      #expect(claim.heard.last == "lost" && !ready)
      wait("the process to end") { ready }
      #expect(desk.holder == nil && !desk.isIdle)
      // Who asks while the machine sleeps, or nearly, has to wait.
      let other = TestClaim(2, origin: 1001, desk: desk)
      desk.join(other)
      #expect(other.heard == ["wait"])
      desk.sleeping(false)
      wait("armed again") { claim.heard.last == "armed" }
      #expect(claim.heard == ["turn", "armed", "lost", "turn", "armed"])
      desk.leave(claim)
      wait("the next") { other.heard.last == "armed" }
      desk.leave(other)
      wait("the end") { desk.isIdle }
    }

    @Test func sleepThatNobodyAnnouncedIsNoticed() throws {
      let desk = try desk()
      let claim = TestClaim(1, desk: desk)
      desk.join(claim)
      wait("armed") { claim.heard.last == "armed" }
      asleep += 400
      var passed = 0
      wait("some looks") {
        passed += 1
        return passed > 30
      }
      #expect(claim.heard.last == "armed")
      asleep += 3_600_000
      wait("lost and armed again") { claim.heard.count == 5 && claim.heard.last == "armed" }
      #expect(claim.heard == ["turn", "armed", "lost", "turn", "armed"])
      desk.leave(claim)
      wait("the end") { desk.isIdle }
    }

    @Test func anEnrolmentIsNotLaidAside() throws {
      let desk = try desk()
      let claim = TestClaim(1, canWait: false, desk: desk)
      desk.join(claim)
      wait("armed") { claim.heard.last == "armed" }
      var ready = false
      desk.sleeping(true) { ready = true }
      #expect(claim.heard.last == "failed(readerFailed)")
      wait("the process to end") { ready && desk.isIdle }
    }

    @Test func withoutAReaderInUseSleepIsReadyAtOnce() throws {
      let desk = try desk()
      var ready = false
      desk.sleeping(true) { ready = true }
      #expect(ready)
      desk.sleeping(false)
    }

    @Test func whoWaitsGetsItWhenTheSliceIsOver() throws {
      let desk = try desk()
      let first = TestClaim(1, origin: 1000, desk: desk)
      let second = TestClaim(2, origin: 1001, desk: desk)
      desk.join(first)
      wait("armed") { first.heard.last == "armed" }
      now += ReaderQueue.slice
      desk.join(second)
      wait("the other one's turn") { second.heard.last == "armed" }
      #expect(first.heard == ["turn", "armed", "lost", "wait"])
      desk.leave(second)
      wait("the first one's") { first.heard.last == "armed" }
      desk.leave(first)
      wait("the end") { desk.isIdle }
    }

    @Test func aShareThatIsUsedUpEndsTheClaim() throws {
      let desk = try desk()
      let claim = TestClaim(1, origin: 1000, desk: desk)
      desk.join(claim)
      wait("armed") { claim.heard.last == "armed" }
      now += 120_000
      // Somebody comes, so that the desk looks at its clock.
      let other = TestClaim(2, origin: 1000, desk: desk)
      desk.join(other)
      wait("too hot") { claim.heard.last == "failed(tooHot)" }
      wait("both refused") { other.heard.last == "failed(tooHot)" }
      wait("the end") { desk.isIdle }
    }
  }
}

/// Looks every few milliseconds until something holds, 10 s at most.
private final class RepeatedLook {
  private let condition: () -> Bool
  private let done: () -> Void
  private var timer: DaemonCore.Timer?
  private(set) var looksLeft = 2_000

  init(_ condition: @escaping () -> Bool, done: @escaping () -> Void) {
    self.condition = condition
    self.done = done
    wait()
  }

  private func wait() {
    timer = DaemonCore.Timer(milliseconds: 5) { [weak self] in self?.look() }
  }

  private func look() {
    looksLeft -= 1
    if condition() || looksLeft == 0 { done() } else { wait() }
  }
}

/// A claim that goes as far as an armed reader and says what it heard.
private final class TestClaim: ReaderClaim {
  let claimant: Claimant
  private let desk: ReaderDesk
  var heard: [String] = []
  var enrolledOn: [USBIdentity] { [] }

  init(_ number: UInt64, origin: UInt32 = 1000, canWait: Bool = true, desk: ReaderDesk) {
    claimant = Claimant(
      number: number, service: Text("sudo"), terminal: Text(), origin: origin, isOwn: true, canWait: canWait)
    self.desk = desk
  }

  func hear(_ news: ClaimNews) {
    switch news {
    case .mustWait: heard.append("wait")
    case .turn: heard.append("turn")
    case .lost: heard.append("lost")
    case .report(.found): break
    case .report(.listed): desk.send(.open(driver: Text("d"), device: Text("0")), for: self)
    case .report(.opened): desk.send(.verify, for: self)
    case .report(.failed(let refusal)):
      heard.append("failed(\(refusal))")
      desk.leave(self)
    case .report(let report): heard.append("\(report)")
    }
  }
}
