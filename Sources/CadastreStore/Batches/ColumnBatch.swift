package import CadastreModel
import CadastreSQLite

/// A batch of rows in columnar form.
///
/// Rows that were read one by one have consecutive row numbers. A cached segment is lent without a copy: its
/// row numbers are slots. The other slots are free, or belong to rows that were not requested.
package struct ColumnBatch {
  /// The row numbers.
  package private(set) var allRows = RowSet()
  /// The keys of the rows; empty for a lent segment.
  private var keys: [Int64] = []
  /// The key of row number 0 in a lent segment.
  private(set) var firstKey: Int64?
  /// The keys of the elements' owners; empty in batches of objects.
  package private(set) var owners: [Int64] = []
  /// The columns, in the order of the request.
  package private(set) var columns: [BatchColumn]
  /// The columns to which rows are added one by one.
  private let added: [ColumnVector]
  /// The vectors of `added` as columns of the batch.
  private let plain: [BatchColumn]

  /// The maximum number of rows, except for a lent segment.
  package static let capacity = 1024
  /// The size of text and data in bytes from which a batch is full.
  private static let largestContent = 16 << 20

  /// The index of each column in a statement's row, after the key.
  private let resultIndexes: [Int]
  private let hasOwners: Bool

  /// Creates an empty batch of some columns.
  ///
  /// - Parameters:
  ///   - columns: The columns.
  ///   - withOwners: Whether the rows are elements of collections.
  package init(_ columns: [ColumnReference], withOwners: Bool = false) {
    added = columns.map { ColumnVector(type: $0.type) }
    plain = added.map(BatchColumn.plain)
    self.columns = plain
    hasOwners = withOwners
    var index = withOwners ? 2 : 1
    resultIndexes = columns.map { column in
      defer { index += column.type == .any ? 2 : 1 }
      return index
    }
  }

  /// Returns the key of a row.
  @inline(__always)
  package func key(_ row: Int) -> Int64 { firstKey.map { $0 + Int64(row) } ?? keys[row] }

  /// Appends the keys of some rows to an array.
  package func appendKeys(of rows: RowSet, to keys: inout [Int64]) {
    keys.makeRoom(for: rows.count)
    guard let firstKey else {
      if rows.count == self.keys.count { return keys += self.keys }
      for row in rows { keys.append(self.keys[row]) }
      return
    }
    let start = keys.count
    keys.append(contentsOf: repeatElement(0, count: rows.count))
    keys.withUnsafeMutableBufferPointer { keys in
      guard let base = keys.baseAddress else { return }
      rows.write(adding: firstKey, to: base + start)
    }
  }

  /// Returns whether any of several columns is null in a row.
  @inline(__always)
  package func isNull(_ row: Int, inAnyOf indexes: [Int]) -> Bool {
    !indexes.isEmpty && indexes.contains { columns[$0].isNull(row) }
  }

  /// Whether the batch has no rows.
  package var isEmpty: Bool { allRows.isEmpty }

  /// Whether the batch has its maximum number of rows or bytes.
  package var isFull: Bool {
    keys.count >= Self.capacity || contentBytes > Self.largestContent
  }

  /// Removes all rows.
  package mutating func removeAll() {
    allRows = RowSet()
    keys.removeAll(keepingCapacity: true)
    owners.removeAll(keepingCapacity: true)
    for column in added { column.removeAll() }
    if firstKey != nil {
      firstKey = nil
      columns = plain
    }
  }

  /// Appends a statement's current row: the key, the owner if there is one, then the columns.
  mutating func append(_ row: Statement) {
    allRows.insert(keys.count)
    keys.append(row.integer(0))
    if hasOwners { owners.append(row.integer(1)) }
    for column in added.indices { added[column].append(row, resultIndexes[column]) }
  }

  /// Appends a row of values, one for each column; values that a column cannot hold become null.
  ///
  /// - Parameters:
  ///   - key: The key of the row.
  ///   - owner: The key of the element's owner; nil in batches of objects.
  ///   - values: The values.
  package mutating func append(
    _ key: Int64, owner: Int64? = nil, _ values: some Sequence<Value>
  ) {
    allRows.insert(keys.count)
    keys.append(key)
    if let owner { owners.append(owner) }
    for (column, value) in zip(added, values) { column.append(converting: value) }
  }

  /// Appends a row of a segment with the batch's columns.
  mutating func append(_ key: Int64, _ columns: [BatchColumn], _ row: Int) {
    allRows.insert(keys.count)
    keys.append(key)
    for (column, added) in zip(columns, added) {
      guard row < column.count else {
        added.pad(to: keys.count)
        continue
      }
      switch column {
      case .plain(let vector): added.append(vector, row)
      case .encoded(let encoded): added.append(encoded, row)
      }
    }
  }

  /// Creates a batch of rows with some keys and the values of their columns.
  private init(_ keys: [Int64], _ vectors: [ColumnVector]) {
    added = vectors
    plain = vectors.map(BatchColumn.plain)
    columns = plain
    resultIndexes = []
    hasOwners = false
    self.keys = keys
    allRows = RowSet(below: keys.count)
  }

  // MARK: Results

  /// The keys of rows that were added one by one.
  package var addedKeys: [Int64] { keys }

  /// The memory of rows that were added one by one, about, in bytes.
  package var addedBytes: Int { keys.count * 8 + added.reduce(0) { $0 + $1.byteCount } }

  /// The size of text and data of rows that were added one by one, in bytes.
  package var contentBytes: Int { added.reduce(0) { $0 + $1.contentBytes } }

  /// Reserves memory for a number of rows of numbers, unless the rows would take more bytes than a limit.
  package mutating func reserve(_ count: Int, mostBytes: Int) {
    guard count * 8 * (added.count + 1) <= mostBytes else { return }
    keys.reserve(count)
    for column in added { column.reserve(count) }
  }

  /// Appends rows of another batch, also beyond the size of a full batch.
  ///
  /// - Parameters:
  ///   - other: The other batch.
  ///   - rows: Its rows.
  ///   - slots: The indexes of its columns that are the columns of this batch.
  package mutating func append(_ other: borrowing ColumnBatch, _ rows: RowSet, _ slots: [Int]) {
    other.appendKeys(of: rows, to: &keys)
    allRows.extend(below: keys.count)
    for (added, slot) in zip(added, slots) { added.append(other.columns[slot], rows) }
  }

  /// Whether the only column of the batch has integers, and its rows no owners.
  var hasOneInteger: Bool { added.count == 1 && added[0].type == .int && !hasOwners }

  /// Appends rows with some keys; the only column of the batch has the integers.
  mutating func append(_ newKeys: [Int64], _ integers: [Int64?]) {
    keys += newKeys
    for integer in integers { added[0].append(integer: integer) }
    allRows.extend(below: keys.count)
  }

  /// Appends entries of an ordered index; the only column of the batch has the integers of the entries.
  package mutating func append(_ entries: [IndexEntry]) {
    for entry in entries {
      keys.append(entry.key)
      added.first?.append(integer: entry.integer)
    }
    allRows.extend(below: keys.count)
  }

  /// Returns a batch of some rows that were added one by one, in a given order.
  package func gathered(_ rows: ArraySlice<UInt32>) -> ColumnBatch {
    ColumnBatch(keys.gathered(rows), added.map { $0.gathered(rows) })
  }

  /// Replaces the content by some rows of a segment, without a copy.
  mutating func lend(_ firstKey: Int64, _ columns: [BatchColumn], _ rows: RowSet) {
    self.firstKey = firstKey
    self.columns = columns
    allRows = rows
    keys.removeAll(keepingCapacity: true)
  }
}

/// A column of a class, or of a class at the end of a chain of links.
package struct ColumnReference: Hashable, Sendable {
  /// One link of the chain: the column with the key of the linked row, and the target class.
  package struct Hop: Hashable, Sendable {
    /// The column in the table of the linking class.
    package let column: Int
    /// The linked class.
    package let target: String

    /// Creates a link by a column to a class.
    package init(column: Int, target: String) {
      self.column = column
      self.target = target
    }
  }

  /// The chain of links; empty for the class itself.
  package let hops: [Hop]
  /// The column in the last class's table.
  package let column: Int
  /// The type of the column's values.
  package let type: PropertyType

  /// Creates a reference to a column behind some links.
  package init(hops: [Hop], column: Int, type: PropertyType) {
    self.hops = hops
    self.column = column
    self.type = type
  }
}
