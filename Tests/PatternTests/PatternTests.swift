// SPDX-License-Identifier: Apache-2.0

import Pattern
import Testing

/// The rules, over all patterns there are.
@Suite struct PatternTests {
  /// Midpoints of the grid's eight lines that have one.
  static let lines: [(UInt8, UInt8, UInt8)] = [
    (1, 2, 3), (1, 4, 7), (1, 5, 9), (2, 5, 8), (3, 5, 7), (3, 6, 9), (4, 5, 6), (7, 8, 9),
  ]

  private func pattern(_ cells: [UInt8]) throws -> [UInt8] { try Pattern(joining: cells).cells }

  @Test func allPatternsAreCounted() {
    var counts = [Int](repeating: 0, count: 10)
    var path: [UInt8] = []
    func extend() {
      counts[path.count] += 1
      for cell in UInt8(1)...9 where !path.contains(cell) && reaches(cell) {
        path.append(cell)
        extend()
        path.removeLast()
      }
    }
    /// Whether a stroke from the end takes nothing on its way that is still free.
    func reaches(_ cell: UInt8) -> Bool {
      guard let last = path.last else { return true }
      let line = PatternTests.lines.first { ($0.0, $0.2) == (last, cell) || ($0.2, $0.0) == (last, cell) }
      return line.map { path.contains($0.1) } ?? true
    }
    extend()
    #expect(Array(counts[4...]) == [1_624, 7_152, 26_016, 72_912, 140_704, 140_704])
    #expect(counts[4...].reduce(0, +) == 389_112)
  }

  /// What joining makes of every order of every choice of cells.
  static let all: Set<Pattern> = {
    var patterns: Set<Pattern> = []
    var path: [UInt8] = []
    func extend() {
      if let pattern = try? Pattern(joining: path) { patterns.insert(pattern) }
      for cell in UInt8(1)...9 where !path.contains(cell) {
        path.append(cell)
        extend()
        path.removeLast()
      }
    }
    extend()
    return patterns
  }()

  @Test func joiningReachesExactlyThem() {
    #expect(PatternTests.all.count == 389_112)
    #expect(
      PatternTests.all.allSatisfy {
        Set($0.cells).count == $0.cells.count && (4...9).contains($0.cells.count)
      })
  }

  @Test(arguments: lines) func aStrokeTakesTheCellBetween(_ first: UInt8, _ middle: UInt8, _ last: UInt8)
    throws
  {
    let others = (UInt8(1)...9).filter { ![first, middle, last].contains($0) }
    for (from, to) in [(first, last), (last, first)] {
      guard let end = others.first(where: { isNeighbour($0, to) }) else { continue }
      #expect(try pattern([from, to, end]) == [from, middle, to, end])
      #expect(try pattern([from, middle, to, end]) == [from, middle, to, end])
    }
  }

  @Test(arguments: lines) func aStrokePassesOverATakenCell(_ first: UInt8, _ middle: UInt8, _ last: UInt8)
    throws
  {
    for (from, to) in [(first, last), (last, first)] {
      let end = (UInt8(1)...9).first { ![first, middle, last].contains($0) && isNeighbour($0, to) }
      let cells = [middle, from, to] + [end].compactMap(\.self)
      #expect(try pattern(cells) == cells)
    }
  }

  @Test func knightMovesTakeNothing() throws {
    #expect(try pattern([1, 6, 7, 2]) == [1, 6, 7, 2])
    #expect(try pattern([1, 8, 3, 4]) == [1, 8, 3, 4])
  }

  /// A pattern may be spelt with or without each cell that a stroke takes by itself:
  /// all spellings of all patterns.
  @Test func everySpellingIsOnePattern() {
    var spellings = 0
    for pattern in PatternTests.all {
      let cells = pattern.cells
      let optional = cells.indices.dropFirst().dropLast().filter {
        isBetween(cells[$0 - 1], cells[$0], cells[$0 + 1])
      }
      for choice in 1..<(1 << optional.count) {
        let dropped = optional.enumerated().filter { choice & (1 << $0.offset) != 0 }.map(\.element)
        // Two in a row are never both taken by one stroke.
        guard zip(dropped, dropped.dropFirst()).allSatisfy({ $1 - $0 > 1 }) else { continue }
        let spelling = cells.indices.filter { !dropped.contains($0) }.map { cells[$0] + 0x30 }
        spellings += 1
        if (try? Pattern(typed: spelling)) != pattern { Issue.record("\(spelling) is not \(cells)") }
      }
    }
    #expect(spellings == 98_160)
  }

  @Test func spellingsByHand() throws {
    #expect(try Pattern(typed: Array("1397".utf8)) == Pattern(typed: Array("1236987".utf8)))
    #expect(try Pattern(typed: Array("139".utf8)).cells == [1, 2, 3, 6, 9])
    #expect(try Pattern(typed: Array("1379".utf8)).cells == [1, 2, 3, 5, 7, 8, 9])
  }

  @Test func whatIsNoPatternSaysWhy() {
    let table: [(String, PatternProblem)] = [
      ("", .tooShort), ("1", .tooShort), ("123", .tooShort), ("13", .tooShort), ("1231", .repeated),
      ("1132", .repeated),
      ("1024", .notACell), ("12a4", .notACell), ("12 45", .notACell), ("132", .repeated),
      ("1234567891", .repeated),
    ]
    for (typed, problem) in table {
      #expect(throws: problem) { try Pattern(typed: Array(typed.utf8)) }
    }
  }

  private func isBetween(_ first: UInt8, _ middle: UInt8, _ last: UInt8) -> Bool {
    PatternTests.lines.contains {
      ($0.0, $0.1, $0.2) == (first, middle, last) || ($0.2, $0.1, $0.0) == (first, middle, last)
    }
  }

  private func isNeighbour(_ first: UInt8, _ second: UInt8) -> Bool {
    let (a, b) = (Int(first) - 1, Int(second) - 1)
    return abs(a / 3 - b / 3) <= 1 && abs(a % 3 - b % 3) <= 1
  }
}
