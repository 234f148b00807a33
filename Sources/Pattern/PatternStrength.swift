// SPDX-License-Identifier: Apache-2.0

/// How hard a pattern is to guess for somebody who knows people's habits. A hint
/// for whoever chooses one, no promise: meters of this kind correlate weakly with
/// what real guessers achieve (Golla et al., USEC 2019).
public enum PatternStrength: Int, Comparable, Sendable {
  case weak, medium, strong

  /// Weaker is less.
  public static func < (left: PatternStrength, right: PatternStrength) -> Bool {
    left.rawValue < right.rawValue
  }
}

extension Pattern {
  /// The score of Andriotis et al. (2014), 0 to 13: not starting at the top left, each
  /// cell beyond five, at least two changes of direction, knight's moves, and cells
  /// that a stroke passes over.
  public var score: Int {
    let away = cells.first == 1 ? 0 : 1
    let long = max(0, cells.count - 5)
    let winding = directionChanges >= 2 ? 1 : 0
    return away + long + winding + knightMoves + passedOver
  }

  /// The score in the three bands of its authors: up to 1, 2, and more.
  public var strength: PatternStrength {
    switch score {
    case ...1: .weak
    case 2: .medium
    default: .strong
    }
  }

  private var steps: [(rows: Int, columns: Int)] {
    zip(cells, cells.dropFirst()).map { first, second in
      let (from, to) = (Grid.place(of: first), Grid.place(of: second))
      return (to.row - from.row, to.column - from.column)
    }
  }

  private var directionChanges: Int {
    zip(steps, steps.dropFirst()).count { first, second in
      // Parallel and the same way, whatever the length.
      first.rows * second.columns != first.columns * second.rows
        || first.rows * second.rows + first.columns * second.columns < 0
    }
  }

  private var knightMoves: Int {
    steps.count { abs($0.rows * $0.columns) == 2 }
  }

  private var passedOver: Int {
    zip(cells, cells.dropFirst()).count { Grid.between($0, $1) != nil }
  }
}
