import CadastreModel

/// Some columns of some rows, column by column.
package struct ColumnBatch {
  /// The keys of the rows.
  package private(set) var keys: [Int64] = []
  /// The columns, in the order in which they were asked for.
  package private(set) var columns: [ColumnVector]

  /// Rows that a batch holds at most.
  package static let capacity = 1024

  /// Where each column stands in a statement's row, after the key.
  private let places: [Int]

  init(_ columns: [ColumnReference]) {
    self.columns = columns.map { ColumnVector(type: $0.type) }
    var place = 1
    places = columns.map { column in
      defer { place += column.type == .any ? 2 : 1 }
      return place
    }
  }

  mutating func removeAll() {
    keys.removeAll(keepingCapacity: true)
    for place in columns.indices { columns[place].removeAll() }
  }

  /// Takes over a statement's current row: the key, then the columns.
  mutating func append(_ row: Statement) {
    keys.append(row.integer(0))
    for place in columns.indices { columns[place].append(row, places[place]) }
  }
}
