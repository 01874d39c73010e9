import CadastreModel

/// Some columns of some rows, column by column.
package struct ColumnBatch {
  /// The keys of the rows.
  package private(set) var keys: [Int64] = []
  /// The keys of the rows that the elements belong to; empty in batches of objects.
  package private(set) var owners: [Int64] = []
  /// The columns, in the order in which they were asked for.
  package private(set) var columns: [ColumnVector]

  /// The numbers of all rows, ascending.
  package var allRows: [Int32] { Array(0..<Int32(keys.count)) }

  /// Rows that a batch holds at most.
  package static let capacity = 1024

  /// Where each column stands in a statement's row, after the key.
  private let places: [Int]
  private let hasOwners: Bool

  init(_ columns: [ColumnReference], withOwners: Bool = false) {
    self.columns = columns.map { ColumnVector(type: $0.type) }
    hasOwners = withOwners
    var place = withOwners ? 2 : 1
    places = columns.map { column in
      defer { place += column.type == .any ? 2 : 1 }
      return place
    }
  }

  mutating func removeAll() {
    keys.removeAll(keepingCapacity: true)
    owners.removeAll(keepingCapacity: true)
    for place in columns.indices { columns[place].removeAll() }
  }

  /// Takes over a statement's current row: the key, then the columns.
  mutating func append(_ row: Statement) {
    keys.append(row.integer(0))
    if hasOwners { owners.append(row.integer(1)) }
    for place in columns.indices { columns[place].append(row, places[place]) }
  }
}
