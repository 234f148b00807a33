// SPDX-License-Identifier: Apache-2.0

import Testing
import ThumbturnProtocol

@testable import CommandCore

struct ExitCodeTests {
  @Test(arguments: Refusal.allCases) func noRefusalIsSuccess(_ refusal: Refusal) {
    #expect(ExitCode(refusal) != .done)
    #expect(ExitCode(refusal) != .usage)
    #expect(Failure.refused(refusal).message == "\(refusal.message)")
  }

  static let table: [(Failure, Int32)] = [
    (.refused(.noMatch), 1),
    (.refused(.duplicate), 1),
    (.refused(.timedOut), 1),
    (.unreachable("x"), 3),
    (.silent, 3),
    (.hungUp, 3),
    (.refused(.overloaded), 3),
    (.impostor(user: 7), 4),
    (.refused(.wrongPassword), 4),
    (.refused(.notPermitted), 4),
    (.noPassword("x"), 4),
    (.noPattern("x"), 1),
    (.patternLocked(seconds: 60), 1),
    (.refused(.noReader), 5),
    (.refused(.busy), 5),
    (.refused(.storageFailed), 6),
    (.confused, 6),
    (.system("x"), 6),
    (.interrupted(signal: 2), 130),
    (.interrupted(signal: 15), 143),
  ]

  @Test(arguments: table) func exits(_ failure: Failure, _ code: Int32) {
    #expect(failure.exitCode == code)
  }

  @Test func codesAreDocumented() {
    for code in ExitCode.allCases { #expect(overview.contains("  \(code.rawValue)  \(code.meaning)")) }
  }

  @Test func duplicatesAdviceNamesTheFinger() {
    let enroll = Command.enroll(user: nil, finger: .leftThumb)
    let hint = advice(for: .refused(.duplicate), of: enroll)
    #expect(hint?.contains("thumbturn delete --finger left-thumb") == true)
  }

  @Test func aMissingServiceSaysHowToStartIt() {
    for failure in [Failure.unreachable("x"), .silent] {
      let hint = advice(for: failure, of: .status(json: false))
      #expect(hint?.contains("systemctl start thumbturn.socket") == true)
      #expect(hint?.contains("thumbturnd") == true)
    }
  }
}
