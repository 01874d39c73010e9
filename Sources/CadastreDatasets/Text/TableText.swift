/// Lays cells out as a table of plain text that fits the terminal.
///
///     TableText(columns: [.init("icao"), .init("elevation", isNumeric: true)])
///       .text(rows, width: 80)
///
///     icao  elevation
///     ────  ─────────
///     EDDF        364
///
/// Control characters show as signs, so that no cell can move the cursor or start a new line.
package struct TableText: Sendable {
  /// One column: its heading, and on which side its cells are aligned.
  package struct Column: Hashable, Sendable {
    /// What stands above the cells.
    package var heading: String
    /// Whether cells are numbers, which are aligned to the right.
    package var isNumeric: Bool

    /// States a column.
    package init(_ heading: String, isNumeric: Bool = false) {
      self.heading = heading
      self.isNumeric = isNumeric
    }
  }

  /// The columns from left to right.
  package var columns: [Column]
  /// Whether a rule separates headings from cells.
  package var hasRule = true

  private static let gap = 2

  /// Describes a table.
  package init(columns: [Column]) {
    self.columns = columns
  }

  /// Lays out rows; a row that is too short is filled with empty cells.
  ///
  /// Every column gets the width it wants if all fit. Otherwise narrow columns keep theirs and
  /// the wide ones share what is left evenly; cells that are too wide end in `…`.
  ///
  /// - Parameters:
  ///   - rows: The cells, row by row.
  ///   - width: The columns of the terminal; nil for no limit.
  /// - Returns: Lines, each ended by a line feed, without blanks at their ends. No line is wider
  ///   than `width`, unless the terminal has less than three columns a table column.
  package func text(_ rows: [[String]], width: Int? = nil) -> String {
    guard !columns.isEmpty else { return "" }
    let cells = rows.map { row in
      columns.indices.map { $0 < row.count ? printable(row[$0]) : "" }
    }
    let headings = columns.map { printable($0.heading) }
    let wanted = columns.indices.map { index in
      cells.reduce(DisplayWidth.columns(headings[index])) {
        max($0, DisplayWidth.columns($1[index]))
      }
    }
    let widths =
      width.map { Self.shares(wanted, of: $0 - Self.gap * (columns.count - 1)) } ?? wanted
    var text = line(headings, widths)
    if hasRule { text += line(widths.map { String(repeating: "─", count: $0) }, widths) }
    for row in cells { text += line(row, widths) }
    return text
  }

  /// Shares a total among columns: none gets more than it wants, and nobody who gets less than
  /// wanted gets less than another.
  static func shares(_ wanted: [Int], of total: Int) -> [Int] {
    var shares = wanted
    var rest = total
    let byWish = wanted.indices.sorted { (wanted[$0], $0) < (wanted[$1], $1) }
    for (position, index) in byWish.enumerated() {
      let fairShare = max(rest / (wanted.count - position), 1)
      shares[index] = min(wanted[index], fairShare)
      rest -= shares[index]
    }
    return shares
  }

  private func line(_ cells: [String], _ widths: [Int]) -> String {
    var line = ""
    for (index, cell) in cells.enumerated() {
      let shown = DisplayWidth.truncated(cell, to: widths[index])
      let padding = String(repeating: " ", count: widths[index] - DisplayWidth.columns(shown))
      if index > 0 { line += String(repeating: " ", count: Self.gap) }
      line += columns[index].isNumeric ? padding + shown : shown + padding
    }
    while line.last == " " { line.removeLast() }
    return line + "\n"
  }
}
