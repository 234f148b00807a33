// SPDX-License-Identifier: Apache-2.0

import Testing
import ThumbturnProtocol

@testable import CommandCore

struct PresentationTests {
  @Test func barFillsWithTheStages() {
    var bar = ProgressBar(stages: 5)
    #expect(bar.line(columns: 80) == "[--------------------] 0/5")
    bar.take(done: 2, retry: nil)
    #expect(bar.line(columns: 80) == "[########------------] 2/5  lift your finger, then touch again")
    bar.take(done: 5, retry: nil)
    #expect(bar.line(columns: 80) == "[####################] 5/5")
  }

  @Test func barForASwipedReaderAsksForNoLifting() {
    var bar = ProgressBar(stages: 5, scan: .swipe)
    bar.take(done: 1, retry: nil)
    #expect(bar.plainLine == "scan 1 of 5: good, now once more")
  }

  @Test func barSaysWhyAScanDidNotCount() {
    var bar = ProgressBar(stages: 5)
    bar.take(done: 1, retry: .notCentred)
    #expect(
      bar.line(columns: 80) == "[####----------------] 1/5  put your finger on the middle of the reader")
    #expect(bar.plainLine == "scan 1 of 5: put your finger on the middle of the reader")
  }

  @Test func barNeverExceedsItsStagesOrTheTerminal() {
    var none = ProgressBar(stages: 0)
    none.take(done: 255, retry: nil)
    #expect(none.plainLine == "scan 1 of 1")
    for columns in 0...90 {
      for retry in [nil] + RetryReason.allCases {
        var bar = ProgressBar(stages: 20)
        bar.take(done: 10, retry: retry)
        #expect(bar.line(columns: columns).count <= max(columns - 1, 0))
      }
    }
  }

  @Test func columnsAreAligned() {
    let rows = alignedRows([["A", "LONGER", "C"], ["abc", "d", "e"], ["", "f"]])
    #expect(rows == ["A    LONGER  C", "abc  d       e", "     f"])
    #expect(alignedRows([]) == [])
  }

  @Test func textOfOthersLosesItsControls() {
    #expect(Text("a\u{1B}[2Jb\nc")?.shown == "a?[2Jb?c")
    #expect(Text("Grünspan")?.shown == "Grünspan")
    #expect(shown("a\u{7F}b\u{9B}c") == "a?b?c")
    #expect(waitingLine(service: make("su\u{7}do"), terminal: make("pts/3")).contains("su?do on pts/3"))
    #expect(waitingLine(service: Text(), terminal: Text()).contains("another request;"))
  }

  @Test func distanceCountsEdits() {
    #expect(distance(Array("verify".utf8), Array("verify".utf8)) == 0)
    #expect(distance(Array("verfy".utf8), Array("verify".utf8)) == 1)
    #expect(distance(Array("".utf8), Array("abc".utf8)) == 3)
    #expect(distance(Array("kitten".utf8), Array("sitting".utf8)) == 3)
  }

  private func make(_ string: String) -> Text { Text(name: string) ?? Text() }
}

extension Text {
  fileprivate init?(_ string: String) { self.init(name: string) }
}
