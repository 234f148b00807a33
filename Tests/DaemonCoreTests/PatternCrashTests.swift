// SPDX-License-Identifier: Apache-2.0

import CSystem
import Glibc
import System
import Testing
import Throttle

@testable import DaemonCore

/// A daemon that is killed, and disks that take nothing.
extension LoopedTests {
  @Suite final class PatternCrashTests {
    private let folder: TemporaryFolder
    private let data: String

    init() throws {
      folder = try TemporaryFolder()
      data = "\(folder.path)/data"
    }

    /// The right pattern is given, so a test that had ended would have cleared the count.
    @Test func whatWasCountedStaysCountedWhenTheTestIsKilled() async throws {
      let rig = try PatternRig(data)
      let gate = PatternGate(rig.store)
      let setting = try rig.answer { (done: @escaping (PatternSetting) -> Void) in
        gate.set(PatternRig.right.utf8.span, of: Sample.ada, passwordLooksLikePattern: false, done: done)
      }
      #expect(setting == .done)
      for wanted in 1...5 as ClosedRange<UInt32> {
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = data as String] in
          let gate = PatternGate(try Store(folder: path))
          gate.check(PatternRig.right.utf8.span, of: Sample.ada, from: .own) { _ in exit(0) }
          // The count is on the disk; the test runs, which takes a tenth of a second.
          kill(getpid(), SIGKILL)
        }
        #expect(gate.state(of: Sample.ada).failures == wanted)
        #expect(gate.state(of: Sample.ada).problem == nil)
      }
      guard
        case .throttled? = try? rig.answer({
          gate.check(PatternRig.right.utf8.span, of: Sample.ada, from: .own, done: $0)
        })
      else {
        Issue.record("five killed tests are five guesses")
        return
      }
    }

    @Test func whatIsKilledWhileWritingLeavesWholeFiles() async throws {
      let rig = try PatternRig(data)
      #expect(try rig.set(PatternRig.right) == .done)
      for round in 0..<6 {
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = data as String, round = round as Int] in
          alarmAfter(milliseconds: 3 + 7 * round)
          let rig = try PatternRig(path)
          while true {
            for guess in PatternRig.wrong(4) { _ = try rig.check(guess) }
            _ = try rig.check(PatternRig.right)
          }
        }
        let state = rig.gate.state(of: Sample.ada)
        #expect(state.problem == nil && state.failures <= 5)
        // Opening removes what was half written.
        _ = try Store(folder: data)
        #expect(try folder.names("data/users/ada") == ["pattern.record", "pattern.throttle"])
        #expect(try rig.set(PatternRig.right) == .done)
      }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can mount"))
    func aDiskThatTakesNothingTestsNothing() throws {
      for readOnly in [true, false] {
        let disk = try SmallDisk(kilobytes: 256)
        let rig = try PatternRig("\(disk.folder.path)/data")
        #expect(try rig.set(PatternRig.right) == .done)
        let print = try rig.store.save(try Sample.record())
        let bob = Account(name: Sample.text("bob"), uid: 1001, group: 1001)
        if readOnly { try disk.remount(readOnly: true) } else { try disk.fill() }
        for digits in [PatternRig.right, "618347"] {
          guard case .unavailable(.store) = try rig.check(digits) else {
            Issue.record("an uncounted guess was tested")
            return
          }
        }
        #expect(try rig.set("618347") != .done)
        #expect(try rig.set("618347", of: bob) != .done)
        #expect(rig.failures() == 0)
        #expect(rig.store.records(of: Sample.ada) == [.good(print)])
        if readOnly { try disk.remount(readOnly: false) } else { try disk.empty() }
        #expect(try rig.check(PatternRig.right) == .right)
        #expect(try disk.folder.names("data/users") == ["ada"])
        #expect(try disk.folder.names("data/enrolled") == ["ada"])
      }
    }
  }
}

/// Lets the kernel kill this process, wherever it is by then.
private func alarmAfter(milliseconds: Int) {
  var timer = itimerval()
  timer.it_value.tv_usec = milliseconds * 1000
  signal(SIGALRM) { _ in kill(getpid(), SIGKILL) }
  // SAFETY: the structure is ours.
  _ = unsafe setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &timer, nil)
}
