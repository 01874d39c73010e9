/// A layout of a table as plain text that fits the width of a terminal.
///
///     TableText(columns: [.init("icao"), .init("elevation", isNumeric: true)])
///       .text(rows, width: 80)
///
///     icao  elevation
///     ────  ─────────
///     EDDF        364
///
/// Control characters are printed as visible symbols, so that no cell can move the cursor or start a
/// new line.
package struct TableText: Sendable {
  /// A column: its heading and the alignment of its cells.
  package struct Column: Hashable, Sendable {
    /// The text above the cells.
    package var heading: String
    /// Whether cells are numbers, which are aligned to the right.
    package var isNumeric: Bool

    /// Creates a column.
    package init(_ heading: String, isNumeric: Bool = false) {
      self.heading = heading
      self.isNumeric = isNumeric
    }
  }

  /// The columns from left to right.
  package var columns: [Column]
  /// Whether headings are bold and the rule below them is faint, by ANSI escape sequences.
  package var isStyled = false

  private static let gap = 2

  /// Creates a layout for columns.
  package init(columns: [Column]) {
    self.columns = columns
  }

  /// Returns rows laid out as lines; a row that is too short is filled with empty cells.
  ///
  /// If all columns fit, each has the width of its longest cell. Otherwise narrow columns keep that
  /// width and wide columns divide the rest evenly; longer cells end in `…`. If the columns do not
  /// fit with six characters each, columns before the last one are omitted, and a line below the
  /// table names them.
  ///
  /// - Parameters:
  ///   - rows: The cells, row by row.
  ///   - width: The columns of the terminal; nil for no limit.
  /// - Returns: Lines, each ended by a line feed, without blanks at their ends. No line is wider
  ///   than `width`, unless the terminal has fewer than three columns per table column.
  /// - Complexity: O(n) in the number of cells.
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
      width.map { Self.widths(shown.map { wanted[$0] }, of: $0 - Self.gap * (shown.count - 1)) }
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

  /// The smallest width to which a wider column is cut.
  private static let minimumWidth = 6

  /// Returns the columns that are shown: all, or as many of the first as fit beside the last.
  static func shown(_ wanted: [Int], in width: Int) -> [Int] {
    let minimums = wanted.map { min($0, minimumWidth) + gap }
    guard minimums.reduce(-gap, +) > width, let last = minimums.last else {
      return Array(wanted.indices)
    }
    var available = width + gap - last
    let first = minimums.dropLast().prefix { column in
      available -= column
      return available >= 0
    }
    return Array(0..<max(first.count, 1))
      + (wanted.count > 1 && first.count > 0 ? [wanted.count - 1] : [])
  }

  /// Divides a total width among columns by max-min fairness.
  ///
  /// Each column gets at most its wanted width. A column with less than its wanted width gets at least
  /// as much as every other column.
  static func widths(_ wanted: [Int], of total: Int) -> [Int] {
    var widths = wanted
    var rest = total
    let narrowestFirst = wanted.indices.sorted { (wanted[$0], $0) < (wanted[$1], $1) }
    for (position, index) in narrowestFirst.enumerated() {
      let evenWidth = max(rest / (wanted.count - position), 1)
      widths[index] = min(wanted[index], evenWidth)
      rest -= widths[index]
    }
    return widths
  }

  private func line(
    _ cells: [String], _ shown: [Int], _ widths: [Int], style: String? = nil, mark: String = "…"
  ) -> String {
    var line = ""
    for (index, width) in zip(shown, widths) {
      let cell = DisplayWidth.truncated(cells[index], to: width, mark: mark)
      let padding = String(repeating: " ", count: width - DisplayWidth.columns(cell))
      if !line.isEmpty { line += String(repeating: " ", count: Self.gap) }
      line += columns[index].isNumeric ? padding + cell : cell + padding
    }
    while line.last == " " { line.removeLast() }
    guard isStyled, let style else { return line + "\n" }
    return "\u{1B}[\(style)m\(line)\u{1B}[0m\n"
  }
}
