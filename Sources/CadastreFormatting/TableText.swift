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
  /// The width to which longer cells are cut also without a terminal; nil for no limit.
  package var mostCellWidth: Int?

  /// The blanks between two columns.
  static let gap = 2

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
    let cells = rows.map(printableCells)
    let layout = layout(of: cells, width: width)
    return lines(cells, layout) + footer(layout)
  }

  /// Returns the header and the lines of rows of printable cells.
  func lines(_ rows: [[String]], _ layout: Layout) -> String {
    rows.reduce(into: header(layout)) { $0 += line($1, layout) }
  }

  /// Returns a cell for each column, with visible control characters.
  func printableCells(_ row: [String]) -> [String] {
    columns.indices.map { index in
      let cell = index < row.count ? printable(row[index]) : ""
      return mostCellWidth.map { DisplayWidth.truncated(cell, to: $0) } ?? cell
    }
  }

  // MARK: Layout

  /// The widths of columns.
  struct Layout {
    /// The columns of the terminal; nil for no limit.
    let limit: Int?
    /// The width of the longest cell of each column, the heading included.
    let wanted: [Int]
    /// The indexes of the columns that are shown.
    let shown: [Int]
    /// The widths of the columns that are shown.
    let widths: [Int]

    /// Returns the widths of the cells of a line, given the widths of their texts.
    ///
    /// A text that is longer than its column widens the line if the line still fits. Otherwise all cells get
    /// the widths of their columns.
    func widths(for texts: [Int]) -> [Int] {
      let widened = zip(widths, texts).map { max($0, $1) }
      let gaps = TableText.gap * (shown.count - 1)
      guard let limit, widened.reduce(gaps, +) > limit else { return widened }
      return widths
    }
  }

  /// Returns the layout for cells.
  func layout(of rows: [[String]], width: Int?) -> Layout {
    let wanted = columns.indices.map { index in
      rows.reduce(DisplayWidth.columns(printable(columns[index].heading))) {
        max($0, DisplayWidth.columns($1[index]))
      }
    }
    let shown = width.map { Self.shown(wanted, in: $0) } ?? Array(columns.indices)
    let widths =
      width.map { Self.widths(shown.map { wanted[$0] }, of: $0 - Self.gap * (shown.count - 1)) }
      ?? wanted
    return Layout(limit: width, wanted: wanted, shown: shown, widths: widths)
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

  // MARK: Lines

  /// Returns the line of headings, and the rule below it.
  func header(_ layout: Layout) -> String {
    line(columns.map { printable($0.heading) }, layout, style: "1")
      + line(
        layout.wanted.map { String(repeating: "─", count: $0) }, layout, style: "2", mark: "─")
  }

  /// Returns the line that names the omitted columns; empty if all are shown.
  func footer(_ layout: Layout) -> String {
    let hidden = columns.indices.filter { !layout.shown.contains($0) }
    guard !hidden.isEmpty else { return "" }
    let names = hidden.map { printable(columns[$0].heading) }.joined(separator: ", ")
    return DisplayWidth.truncated(
      "(\(counted(hidden.count, "column")) not shown: \(names))", to: layout.limit ?? .max)
      + "\n"
  }

  /// Returns the line of a row of printable cells.
  func line(
    _ cells: [String], _ layout: Layout, style: String? = nil, mark: String = "…"
  ) -> String {
    let texts = layout.shown.map { DisplayWidth.columns(cells[$0]) }
    let widths = layout.widths(for: texts)
    var line = ""
    for (position, index) in layout.shown.enumerated() {
      var (cell, used) = (cells[index], texts[position])
      let width = widths[position]
      if used > width {
        cell = DisplayWidth.truncated(cell, to: width, mark: mark)
        used = DisplayWidth.columns(cell)
      }
      let padding = String(repeating: " ", count: width - used)
      if !line.isEmpty { line += String(repeating: " ", count: Self.gap) }
      line += columns[index].isNumeric ? padding + cell : cell + padding
    }
    while line.last == " " { line.removeLast() }
    guard isStyled, let style else { return line + "\n" }
    return "\u{1B}[\(style)m\(line)\u{1B}[0m\n"
  }
}

/// A table that is written row by row, in bounded memory.
///
///     var table = StreamedTable(TableText(columns: columns), width: 80)
///     for row in rows { print(table.append(row), terminator: "") }
///     print(table.finish(), terminator: "")
///
/// The first ``sampleCount`` rows decide which columns are shown and how wide they are; a table with no more
/// rows equals ``TableText/text(_:width:)``. A longer cell of a later row widens its line. If the line would
/// be wider than the terminal, the cell ends in `…` instead.
package struct StreamedTable: Sendable {
  /// The number of rows that decide the widths of the columns.
  package static let sampleCount = 1000

  private let table: TableText
  private let width: Int?
  /// The first rows, until the widths are decided.
  private var sample: [[String]] = []
  /// The widths; nil until they are decided.
  private var layout: TableText.Layout?

  /// Creates a table without rows.
  ///
  /// - Parameters:
  ///   - table: The columns.
  ///   - width: The columns of the terminal; nil for no limit.
  package init(_ table: TableText, width: Int?) {
    self.table = table
    self.width = width
  }

  /// The number of rows in memory.
  package var bufferedRows: Int { sample.count }

  /// Adds a row, and returns the lines that are complete.
  package mutating func append(_ row: [String]) -> String {
    guard !table.columns.isEmpty else { return "" }
    let cells = table.printableCells(row)
    if let layout { return table.line(cells, layout) }
    sample.append(cells)
    return sample.count < Self.sampleCount ? "" : decideWidths()
  }

  /// Returns the rest of the table, after the last row.
  package mutating func finish() -> String {
    guard !table.columns.isEmpty else { return "" }
    let text = layout == nil ? decideWidths() : ""
    return text + (layout.map(table.footer) ?? "")
  }

  /// Decides the widths, and returns the header and the lines of the sample.
  private mutating func decideWidths() -> String {
    let layout = table.layout(of: sample, width: width)
    let text = table.lines(sample, layout)
    sample = []
    self.layout = layout
    return text
  }
}
