import CadastreModel
import CadastreStore

/// A sort of rows by columns of numbers, timestamps or text.
///
/// Several threads can fill a sort each; the sorts are then added to one.
struct ColumnSort: Sendable {
  /// The criteria, the most significant first.
  private var columns: [SortColumn]
  /// The keys of the rows, in the order in which the rows were added.
  private(set) var rowKeys: [Int64] = []
  /// The part of the rows that is sorted; nil for all.
  var partition: SortPartition?

  /// Creates a sort without rows.
  init(_ columns: [SortColumn]) { self.columns = columns }

  /// Whether the first criterion ascends.
  var isAscending: Bool { columns[0].isAscending }

  /// Returns the memory that the sort of a number of rows takes, about, in bytes.
  ///
  /// - Parameters:
  ///   - count: The number of rows.
  ///   - textBytes: The size of the texts of a row in bytes; nil for the usual one.
  /// - Returns: The size in bytes.
  func byteCount(ofRows count: Int, textBytes: Int? = nil) -> Int {
    let texts = textBytes ?? Self.usualTextBytes * columns.count { $0.type == .string }
    // A key, two words and a position for each row, see ``PositionSort``.
    return count * columns.reduce(8 + 16 + 4 + texts) { $0 + $1.bytesPerRow }
  }

  private static let usualTextBytes = 24

  /// Returns the sum of the sizes of the texts of some rows in bytes.
  func textBytes(of batch: borrowing ColumnBatch, _ rows: RowSet) -> Int {
    var sum = 0
    for column in columns { sum += column.textBytes(of: batch, rows) }
    return sum
  }

  /// Returns the beginnings of the values of the first criterion of some rows, except of rows without a value.
  func heads(of batch: borrowing ColumnBatch, _ rows: RowSet) -> [UInt64] {
    columns[0].heads(of: batch, rows)
  }

  /// Returns the selected rows of a batch that belong to the partition; the sort has no rows yet.
  func rows(of batch: borrowing ColumnBatch, _ rows: RowSet) -> RowSet {
    partition.map { columns[0].rows(of: batch, rows, in: $0) } ?? rows
  }

  /// Adds some rows of a batch.
  mutating func add(_ batch: borrowing ColumnBatch, _ rows: RowSet) {
    for index in columns.indices { columns[index].add(batch, rows) }
    batch.appendKeys(of: rows, to: &rowKeys)
  }

  /// Reserves memory for a number of rows.
  mutating func reserve(_ count: Int) {
    for index in columns.indices { columns[index].reserve(count) }
    rowKeys.reserve(count)
  }

  /// Adds the rows of another sort by the same columns, after those of this one.
  mutating func add(_ other: ColumnSort) {
    for index in columns.indices { columns[index].add(other.columns[index]) }
    rowKeys += other.rowKeys
  }

  /// Returns the rows in order.
  ///
  /// - Parameters:
  ///   - tiesByKey: Whether ties are in order of their keys, instead of the order in which they were added.
  ///   - threads: The threads that sort.
  /// - Returns: For each row the number of rows that were added before it.
  func positions(tiesByKey: Bool, _ threads: QueryThreads) -> [UInt32] {
    var rows = PositionSort(rowKeys.count, threads)
    if tiesByKey, !KeySort.isAscending(rowKeys) { rows.sort(by: SortKeys(rowKeys)) }
    for column in columns.reversed() { column.sort(&rows) }
    return rows.positions
  }
}
