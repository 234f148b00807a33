// SPDX-License-Identifier: Apache-2.0

internal import ThumbturnProtocol

/// Lines with aligned columns, two blanks apart; the last column is as long as it is.
func alignedRows(_ rows: [[String]]) -> [String] {
  let columns = rows.map(\.count).max() ?? 0
  let widths = (0..<columns).map { column in
    rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
  }
  return rows.map { row in
    var line = ""
    for (column, cell) in row.enumerated() {
      line += cell
      guard column < row.count - 1 else { break }
      line += String(repeating: " ", count: widths[column] - cell.count + 2)
    }
    return line
  }
}

extension Text {
  /// Takes a name that a person wrote; `nil` when it is too long or holds a NUL.
  init?(name: String) {
    self.init(Array(name.utf8).span)
  }

  /// The text as it may be shown: without control characters.
  var shown: String {
    let clean = printable
    var bytes: [UInt8] = []
    for index in 0..<clean.count { bytes.append(clean[index]) }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// A word of the command line as it may be shown.
func shown(_ word: String) -> String {
  String(
    String.UnicodeScalarView(word.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 })
  )
}
