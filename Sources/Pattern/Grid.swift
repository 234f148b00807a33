// SPDX-License-Identifier: Apache-2.0

/// The 3×3 grid. Cells are numbered 1 to 9, row by row from the top left, as on a
/// telephone and not as on a numeric keypad.
enum Grid {
  static let cells: ClosedRange<UInt8> = 1...9

  /// Row and column of a cell, 0 to 2 each.
  static func place(of cell: UInt8) -> (row: Int, column: Int) {
    ((Int(cell) - 1) / 3, (Int(cell) - 1) % 3)
  }

  static func cell(row: Int, column: Int) -> UInt8 { UInt8(row * 3 + column + 1) }

  /// The cell halfway between two cells, `nil` where there is none.
  ///
  /// Eight pairs have one: 1-3, 1-7, 1-9, 2-8, 3-7, 3-9, 4-6 and 7-9. A knight's
  /// move (1-6, say) has none, and neither have neighbours.
  static func between(_ first: UInt8, _ second: UInt8) -> UInt8? {
    let (from, to) = (place(of: first), place(of: second))
    let (rows, columns) = (from.row + to.row, from.column + to.column)
    guard first != second, rows % 2 == 0, columns % 2 == 0 else { return nil }
    return cell(row: rows / 2, column: columns / 2)
  }

  /// The eight turns and reflections of the square, each as cell to cell.
  static let symmetries: [@Sendable (UInt8) -> UInt8] = [
    { $0 },
    { turned($0, 1) },
    { turned($0, 2) },
    { turned($0, 3) },
    { mirrored($0) },
    { turned(mirrored($0), 1) },
    { turned(mirrored($0), 2) },
    { turned(mirrored($0), 3) },
  ]

  private static func turned(_ cell: UInt8, _ quarters: Int) -> UInt8 {
    var place = place(of: cell)
    for _ in 0..<quarters { place = (row: place.column, column: 2 - place.row) }
    return self.cell(row: place.row, column: place.column)
  }

  private static func mirrored(_ cell: UInt8) -> UInt8 {
    let place = place(of: cell)
    return self.cell(row: place.row, column: 2 - place.column)
  }
}
