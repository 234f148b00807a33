// SPDX-License-Identifier: Apache-2.0

/// Why something is no pattern.
public enum PatternProblem: Error, Equatable, CaseIterable, Sendable {
  /// Fewer than four cells. An error of input, never a wrong guess.
  case tooShort
  /// Something that is none of the cells 1 to 9.
  case notACell
  /// A cell that was taken before.
  case repeated
}

/// A gesture pattern: 4 to 9 cells of a 3×3 grid, none twice, in their order.
///
/// The rules are those of Android's lock screen (`LockPatternView.detectAndAddHit`):
/// a stroke between two cells whose midpoint is a cell takes that one too if it is
/// free, and passes over it if not. 389,112 patterns exist (18.57 bits): 1,624,
/// 7,152, 26,016, 72,912, 140,704 and 140,704 of 4 to 9 cells.
public struct Pattern: Equatable, Hashable, Sendable {
  /// The fewest cells.
  public static let minimum = 4

  /// All cells, those that a stroke took on its way included; 4 to 9 numbers of 1 to 9.
  public let cells: [UInt8]

  /// Joins cells by strokes. Every spelling of a pattern gives the same value: 1-3-…
  /// and 1-2-3-… are one.
  ///
  /// - Throws: ``PatternProblem/notACell`` and ``PatternProblem/repeated`` before
  ///   ``PatternProblem/tooShort``, which counts the cells taken on the way.
  public init(joining drawn: some Sequence<UInt8>) throws(PatternProblem) {
    var path = Path()
    for cell in drawn { try path.move(to: cell) }
    guard path.cells.count >= Pattern.minimum else { throw .tooShort }
    cells = path.cells
  }

  /// Takes what was typed, digits in ASCII.
  public init(typed digits: some Sequence<UInt8>) throws(PatternProblem) {
    // Below "0" the subtraction wraps to what is no cell either.
    try self.init(joining: digits.map { $0 &- 0x30 })
  }
}

/// A pattern on its way.
struct Path {
  private(set) var cells: [UInt8] = []

  mutating func move(to cell: UInt8) throws(PatternProblem) {
    guard Grid.cells.contains(cell) else { throw .notACell }
    guard !cells.contains(cell) else { throw .repeated }
    if let last = cells.last, let skipped = Grid.between(last, cell), !cells.contains(skipped) {
      cells.append(skipped)
    }
    cells.append(cell)
  }
}
