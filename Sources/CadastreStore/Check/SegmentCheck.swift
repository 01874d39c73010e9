import CadastreModel
import CadastreSQLite

/// A comparison of the stored segments of a class with its rows.
struct SegmentCheck {
  private let layout: TableLayout
  private let columns: StoredColumns
  private let connection: Connection

  /// Prepares to compare the segments of a class; nil where none is valid for the reader.
  init?(_ layout: TableLayout, _ reader: any StoreReader) {
    guard let columns = reader.columnSource(layout.schema.className)?.stored else { return nil }
    self.layout = layout
    self.columns = columns
    connection = reader.connection
  }

  /// Returns the segments that cannot be read or differ from the rows, one sentence for each column.
  ///
  /// - Complexity: O(n) in the number of rows.
  func problems() throws(StoreError) -> [String] {
    let damage = Damage()
    guard
      let stored = StoredSegments(columns, layout, connection, reporting: { damage.note($0) })
    else { return [] }
    let reader = SegmentReader(layout, connection)
    var wrong: [String: Int] = [:]
    for segment in try segments() {
      for (column, id) in columns.columns.sorted(by: { $0.key < $1.key }) {
        guard try exists(id, segment), let found = try stored.column(column, segment) else {
          continue
        }
        guard let read = try reader.read(segment, [column]) else { continue }
        let changed = RowSet(found.changed.map { Int($0) })
        let expected = read.columns[0]
        let isSame = read.rows.allSatisfy { slot in
          changed.contains(slot)
            || slot < found.values.count
              && Self.isSame(found.values.value(slot), expected.value(slot))
        }
        if !isSame { wrong[layout.columns[column].name, default: 0] += 1 }
      }
      if try exists(columns.rows, segment), let found = try stored.rows(segment),
        try reader.read(segment, []).map({ Array($0.rows) != Array(found) }) == true
      {
        wrong["rows", default: 0] += 1
      }
    }
    return damage.sentences
      + wrong.sorted { $0.key < $1.key }.map {
        "\($0.value) stored segments of '\(layout.schema.className).\($0.key)' differ from the rows"
      }
  }

  /// Returns whether two values have the same bits, if they are numbers.
  private static func isSame(_ first: Value, _ second: Value) -> Bool {
    if let first = first.doubleValue, let second = second.doubleValue, first.isNaN {
      return second.isNaN
    }
    return first == second
  }

  /// The numbers of the segments with some column.
  private func segments() throws(StoreError) -> [Int64] {
    var segments: Set<Int64> = []
    for id in [columns.rows] + columns.columns.values {
      let keys = SegmentTable.keys(id)
      let found = try connection.integers(
        "SELECT id FROM \(SegmentTable.name) WHERE id BETWEEN ? AND ?", .int(keys.lowerBound),
        .int(keys.upperBound))
      segments.formUnion(found.map { $0 - keys.lowerBound })
    }
    return segments.sorted()
  }

  private func exists(_ id: Int64, _ segment: Int64) throws(StoreError) -> Bool {
    guard let key = SegmentTable.key(id, segment) else { return false }
    return try SegmentTable.exists(key, on: connection)
  }

  /// The sentences about damaged segments.
  private final class Damage {
    private(set) var sentences: [String] = []

    func note(_ sentence: String) {
      if sentences.count < 20 { sentences.append(sentence) }
    }
  }

  /// Removes all segments of the class.
  func removeSegments() throws(StoreError) {
    for id in [columns.rows] + columns.columns.values {
      try SegmentTable.removeSegments(SegmentTable.keys(id), on: connection)
    }
  }
}
