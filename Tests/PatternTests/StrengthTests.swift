// SPDX-License-Identifier: Apache-2.0

import Pattern
import Testing

@Suite struct StrengthTests {
  /// Vectors published for the score of Andriotis et al. (cells there count from 0).
  @Test(
    arguments: [
      ([1, 2, 3, 6], 0), ([1, 2, 3, 6, 9], 0), ([1, 4, 7, 8, 9, 6], 2), ([1, 4, 7, 8, 9, 6, 3], 3),
      ([1, 2, 3, 5], 0),
      ([7, 4, 1, 2], 1), ([1, 2, 3, 6, 9, 8, 7, 4], 4),
    ] as [([UInt8], Int)])
  func scoresAreThosePublished(_ cells: [UInt8], _ score: Int) throws {
    #expect(try Pattern(joining: cells).score == score)
  }

  @Test func bands() throws {
    #expect(try Pattern(joining: [1, 2, 3, 6]).strength == .weak)
    #expect(try Pattern(joining: [1, 4, 7, 8, 9, 6]).strength == .medium)
    #expect(try Pattern(joining: [6, 1, 8, 3, 4, 9]).strength == .strong)
  }

  @Test func theCommonestAreRefusedHoweverTurned() throws {
    #expect((100...600).contains(Pattern.common.count))
    for cells in [
      [1, 2, 3, 5, 7, 8, 9], [7, 8, 9, 5, 1, 2, 3], [3, 2, 1, 5, 9, 8, 7], [1, 4, 7, 8, 9], [9, 6, 3, 2, 1],
    ]
      as [[UInt8]]
    {
      #expect(try Pattern(joining: cells).isCommon, "\(cells)")
    }
    #expect(try Pattern(typed: Array("1379".utf8)).isCommon)
    #expect(try !Pattern(joining: [6, 1, 8, 3, 4, 9]).isCommon)
  }
}
