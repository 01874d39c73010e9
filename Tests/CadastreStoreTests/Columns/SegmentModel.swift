import CadastreModel
import CadastreSQLite
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

/// Comparisons of stored segments with the rows of a store.
struct SegmentModel {
  let path: String

  /// Other users of the file than `OpenStores`, as other processes are.
  func openElsewhere() -> StoreFile { StoreFile(path: path) }

  /// The differences between the columns that a reader returns and the rows that SQL returns.
  ///
  /// - Parameters:
  ///   - reader: The reader.
  ///   - stored: Receives the number of columns that came from stored segments.
  /// - Returns: The differences, one sentence each.
  /// - Throws: An error when reading fails.
  static func differences(
    _ reader: any StoreReader, _ stored: inout Int
  ) throws -> [String] {
    var differences: [String] = []
    for layout in reader.catalogue.tables {
      let name = layout.schema.className
      let rows = try rows(layout, reader)
      let last = KeySegment.number(of: rows.keys.max() ?? 0)
      let columns = Array(layout.columns.indices)
      // The stored segments themselves, which caches may hide. A transaction marks its changes at its commit.
      if reader is Snapshot, let identifiers = reader.columnSource(name)?.stored,
        let segments = StoredSegments(
          identifiers, layout, reader.connection, reporting: { differences.append($0) })
      {
        for number in 0...last + 1 {
          let contents = try segments.contents(number, columns)
          let expected = rows.keys.filter { KeySegment.number(of: $0) == number }
            .map { KeySegment.slot(of: $0) }
          if let found = contents.rows {
            stored += 1
            if Array(found) != expected.sorted() { differences.append("\(name) \(number): rows") }
          }
          for case (let column, .values(let values)) in contents.columns {
            stored += 1
            let image = SegmentImage(
              firstKey: KeySegment.firstKey(number), rows: RowSet(expected),
              columns: [values.masked(RowSet(expected))])
            differences += compare(image, [column], rows, layout, "stored")
          }
        }
      }
      guard let view = ColumnView(layout, columns, reader) else { continue }
      for number in 0...last + 1 {
        guard let image = try view.segment(number, for: .allRows) else { continue }
        let expected = rows.keys.filter { KeySegment.number(of: $0) == number }
          .map { KeySegment.slot(of: $0) }
        if Array(image.rows) != expected.sorted() { differences.append("\(name) \(number): view") }
        differences += compare(image, columns, rows, layout, "view")
      }
    }
    return differences
  }

  private static func compare(
    _ image: SegmentImage, _ columns: [Int], _ rows: [Int64: [Value]], _ layout: TableLayout,
    _ source: String
  ) -> [String] {
    var differences: [String] = []
    for slot in image.rows {
      let key = image.firstKey + Int64(slot)
      for (index, column) in columns.enumerated() {
        let values = image.columns[index]
        let found = slot < values.count ? values.value(slot) : .null
        guard let expected = rows[key]?[column], found != expected else { continue }
        differences.append(
          "\(source): \(layout.schema.className).\(layout.columns[column].name), row \(key): "
            + "\(found) instead of \(expected)")
      }
    }
    return Array(differences.prefix(5))
  }

  /// Reads all rows by SQL.
  static func rows(
    _ layout: TableLayout, _ reader: any StoreReader
  ) throws -> [Int64: [Value]] {
    let names = layout.columns.flatMap(\.sqlNames).joined(separator: ", ")
    let statement = try reader.connection.statement(
      "SELECT \"#key\", \(names) FROM \(SQL.quoted(layout.tableName))")
    var rows: [Int64: [Value]] = [:]
    while try statement.step() { rows[statement.integer(0)] = statement.row(layout) }
    return rows
  }
}
