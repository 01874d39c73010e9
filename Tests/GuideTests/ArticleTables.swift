import Foundation
import Testing
import TestingSupport

extension Article {
  /// Returns the cells of the rows of all tables whose first column has a title.
  func rows(ofTablesHeaded title: String) throws -> [[String]] {
    var rows: [[String]] = []
    var isInTable = false
    for line in try text.components(separatedBy: "\n") {
      guard line.hasPrefix("|") else {
        isInTable = false
        continue
      }
      // A vertical bar within a cell has a backslash.
      let cells = line.dropFirst(2).replacingOccurrences(of: "\\|", with: "\u{0}")
        .components(separatedBy: " | ").map { $0.replacingOccurrences(of: "\u{0}", with: "|") }
      if isInTable, !line.hasPrefix("|-") { rows.append(cells) }
      if cells.first == title { isInTable = true }
    }
    return rows
  }

  /// Expects that the test file contains all code in the first cells of the rows of tables.
  func expectCellsAreCompiled(
    count: Int, columns: Int = 3, ofTablesHeaded title: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let rows = try rows(ofTablesHeaded: title)
    #expect(rows.count == count, sourceLocation: sourceLocation)
    for cell in rows.flatMap({ $0.prefix(columns) }) {
      // Every second part is between backquotes.
      let parts = cell.components(separatedBy: "`")
      for part in parts.indices where !part.isMultiple(of: 2) {
        try expectIsCompiled(parts[part], sourceLocation: sourceLocation)
      }
    }
  }
}
