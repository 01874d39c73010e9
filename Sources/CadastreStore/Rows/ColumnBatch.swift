import CadastreModel
import CadastreSQLite

/// Some columns of some rows, column by column.
///
/// Rows that were read one by one stand side by side. A segment that is kept in memory is lent as it is:
/// only its numbers of rows are the batch's, and the numbers in between are of free slots or of rows that
/// nobody asked for.
package struct ColumnBatch {
  /// The numbers of the rows, ascending.
  package private(set) var allRows: [Int32] = []
  /// The keys of the rows, unless they follow each other from `firstKey` on.
  private var keys: [Int64] = []
  /// The key of number 0 in a lent segment.
  private var firstKey: Int64?
  /// The keys of the rows that the elements belong to; empty in batches of objects.
  package private(set) var owners: [Int64] = []
  /// The columns, in the order in which they were asked for.
  package private(set) var columns: [ColumnVector]

  /// Rows that a batch of rows read one by one holds at most.
  package static let capacity = 1024
  /// Bytes of text and data from which on a batch takes no more rows.
  private static let largestContent = 16 << 20

  /// Where each column stands in a statement's row, after the key.
  private let places: [Int]
  private let hasOwners: Bool
  private let types: [PropertyType]

  init(_ columns: [ColumnReference], withOwners: Bool = false) {
    types = columns.map(\.type)
    self.columns = types.map(ColumnVector.init)
    hasOwners = withOwners
    var place = withOwners ? 2 : 1
    places = columns.map { column in
      defer { place += column.type == .any ? 2 : 1 }
      return place
    }
  }

  /// The key of a row.
  @inline(__always)
  package func key(_ row: Int) -> Int64 { firstKey.map { $0 + Int64(row) } ?? keys[row] }

  /// Whether one of some columns is null in a row.
  @inline(__always)
  package func isNull(_ row: Int, inAnyOf places: [Int]) -> Bool {
    !places.isEmpty && places.contains { columns[$0].isNull[row] }
  }

  /// Whether there are no rows.
  package var isEmpty: Bool { allRows.isEmpty }

  /// Whether no more rows are to be added.
  var isFull: Bool {
    allRows.count >= Self.capacity
      || columns.reduce(0) { $0 + $1.contentBytes } > Self.largestContent
  }

  mutating func removeAll() {
    allRows.removeAll(keepingCapacity: true)
    keys.removeAll(keepingCapacity: true)
    owners.removeAll(keepingCapacity: true)
    if firstKey != nil {
      firstKey = nil
      columns = types.map(ColumnVector.init)
    } else {
      for place in columns.indices { columns[place].removeAll() }
    }
  }

  /// Takes over a statement's current row: the key, then the columns.
  mutating func append(_ row: Statement) {
    allRows.append(Int32(keys.count))
    keys.append(row.integer(0))
    if hasOwners { owners.append(row.integer(1)) }
    for place in columns.indices { columns[place].append(row, places[place]) }
  }

  /// Takes over a row of a segment, of which `columns` are the batch's.
  mutating func append(_ key: Int64, _ columns: [ColumnVector], _ row: Int) {
    allRows.append(Int32(keys.count))
    keys.append(key)
    for place in columns.indices {
      if row < columns[place].count {
        self.columns[place].append(columns[place], row)
      } else {
        self.columns[place].pad(to: keys.count)
      }
    }
  }

  /// Lends some rows of a segment in place of all that is there.
  mutating func lend(_ firstKey: Int64, _ columns: [ColumnVector], _ rows: [Int32]) {
    self.firstKey = firstKey
    self.columns = columns
    allRows = rows
    keys.removeAll(keepingCapacity: true)
  }
}
