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
  /// Whether headings are bold and the rule below them faint, by the terminal's own means.
  package var isStyled = false

  private static let gap = 2

  /// Describes a table.
  package init(columns: [Column]) {
    self.columns = columns
  }

  /// Lays out rows; a row that is too short is filled with empty cells.
  ///
  /// Every column gets the width it wants if all fit. Otherwise narrow columns keep theirs and
  /// the wide ones share what is left evenly; cells that are too wide end in `…`. Where not even the first
  /// letters of all columns fit, those before the last one are left out, and a line below says which.
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
    let shown = width.map { Self.shown(wanted, in: $0) } ?? Array(columns.indices)
    let widths =
      width.map { Self.shares(shown.map { wanted[$0] }, of: $0 - Self.gap * (shown.count - 1)) }
      ?? wanted
    var text = line(headings, shown, widths, style: "1")
    text += line(
      columns.indices.map { String(repeating: "─", count: wanted[$0]) }, shown, widths,
      style: "2", mark: "─")
    for row in cells { text += line(row, shown, widths) }
    let hidden = columns.indices.filter { !shown.contains($0) }
    if !hidden.isEmpty {
      let names = hidden.map { headings[$0] }.joined(separator: ", ")
      text +=
        DisplayWidth.truncated(
          "(\(counted(hidden.count, "column")) not shown: \(names))", to: width ?? .max) + "\n"
    }
    return text
  }

  /// The least that is shown of a column, where it is wider.
  private static let leastWidth = 6

  /// The columns that are shown: all, or as many of the first as fit beside the last.
  static func shown(_ wanted: [Int], in width: Int) -> [Int] {
    let least = wanted.map { min($0, leastWidth) + gap }
    guard least.reduce(-gap, +) > width, let last = least.last else { return Array(wanted.indices) }
    var room = width + gap - last
    let first = least.dropLast().prefix { column in
      room -= column
      return room >= 0
    }
    return Array(0..<max(first.count, 1))
      + (wanted.count > 1 && first.count > 0 ? [wanted.count - 1] : [])
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

  private func line(
    _ cells: [String], _ places: [Int], _ widths: [Int], style: String? = nil, mark: String = "…"
  ) -> String {
    var line = ""
    for (place, width) in zip(places, widths) {
      let shown = DisplayWidth.truncated(cells[place], to: width, mark: mark)
      let padding = String(repeating: " ", count: width - DisplayWidth.columns(shown))
      if !line.isEmpty { line += String(repeating: " ", count: Self.gap) }
      line += columns[place].isNumeric ? padding + shown : shown + padding
    }
    while line.last == " " { line.removeLast() }
    guard isStyled, let style else { return line + "\n" }
    return "\u{1B}[\(style)m\(line)\u{1B}[0m\n"
  }
}
