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
///
/// The value lies inline and never on the heap, where copies could stay behind.
public struct Pattern: Equatable, Hashable, Sendable {
  /// The fewest cells.
  public static let minimum = 4

  /// The cells in one number, four bits each, the first one lowest. No two patterns
  /// have the same, as no cell is 0.
  public let code: UInt64

  /// All cells, those that a stroke took on its way included; 4 to 9 numbers of 1 to 9.
  public var cells: [UInt8] {
    var cells: [UInt8] = []
    var rest = code
    while rest != 0 {
      cells.append(UInt8(rest & 15))
      rest >>= 4
    }
    return cells
  }

  /// Joins cells by strokes. Every spelling of a pattern gives the same value: 1-3-…
  /// and 1-2-3-… are one.
  ///
  /// - Throws: ``PatternProblem/notACell`` and ``PatternProblem/repeated`` before
  ///   ``PatternProblem/tooShort``, which counts the cells taken on the way.
  public init(joining drawn: some Sequence<UInt8>) throws(PatternProblem) {
    var path = Path()
    for cell in drawn { try path.move(to: cell) }
    try self.init(path)
  }

  /// Takes what was typed, digits in ASCII.
  public init(typed digits: some Sequence<UInt8>) throws(PatternProblem) {
    var path = Path()
    for digit in digits { try path.move(toDigit: digit) }
    try self.init(path)
  }

  /// Takes what was typed, digits in ASCII, without a copy of them.
  public init(typed digits: Span<UInt8>) throws(PatternProblem) {
    var path = Path()
    for index in digits.indices { try path.move(toDigit: digits[index]) }
    try self.init(path)
  }

  private init(_ path: Path) throws(PatternProblem) {
    guard path.count >= Pattern.minimum else { throw .tooShort }
    code = path.code
  }
}

/// A pattern on its way.
private struct Path {
  private(set) var code: UInt64 = 0
  private(set) var count = 0
  private var last: UInt8?
  /// One bit for each cell that was taken.
  private var taken: UInt16 = 0

  mutating func move(toDigit digit: UInt8) throws(PatternProblem) {
    // Below "0" the subtraction wraps to what is no cell either.
    try move(to: digit &- 0x30)
  }

  mutating func move(to cell: UInt8) throws(PatternProblem) {
    guard Grid.cells.contains(cell) else { throw .notACell }
    guard !has(cell) else { throw .repeated }
    if let last, let skipped = Grid.between(last, cell), !has(skipped) { take(skipped) }
    take(cell)
  }

  private func has(_ cell: UInt8) -> Bool { taken & (1 << cell) != 0 }

  private mutating func take(_ cell: UInt8) {
    code |= UInt64(cell) << (4 * count)
    count += 1
    last = cell
    taken |= 1 << cell
  }
}
