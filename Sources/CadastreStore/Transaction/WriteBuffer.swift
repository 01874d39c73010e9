import CadastreModel
import CadastreSQLite

/// What the file lacks of one class in a write transaction: new rows and changed columns, ordered by key, the entries of
/// stored rows in spatial indexes, and the counters of the class.
///
/// It is the only type that holds these. `WriteTransaction.flush(_:)` stores them through the class's `TableWriter`, many
/// rows with one statement.
struct WriteBuffer {
  /// The new rows.
  private(set) var newRows = NewRows()
  /// The new rows that a second thread stores; nil if there are none.
  private(set) var rowsInFlight: NewRows?
  /// The changed columns of stored rows.
  private(set) var changes: [ChangedColumn] = []
  /// The size in bytes of the texts and the data of new rows, including those that were replaced.
  private var newByteCount = 0
  /// The size in bytes of the texts and the data of changes, including those that were replaced.
  private var changedByteCount = 0
  /// The entries that the spatial indexes lack, in the order of the indexes.
  let pendingEntries: [PendingEntries]
  /// The counters of the class.
  private(set) var counters: Counters
  /// The counters in the file.
  private var storedCounters: Counters

  /// The maximum number of new rows, and of changed rows of each column.
  static let capacity = 1024
  /// The size in bytes from which on nothing more is buffered.
  private static let byteCapacity = 1 << 20

  /// Nothing.
  ///
  /// - Parameters:
  ///   - counters: The counters in the file.
  ///   - pendingEntries: The empty lists of entries for the spatial indexes.
  init(_ counters: Counters, _ pendingEntries: [PendingEntries] = []) {
    self.counters = counters
    self.pendingEntries = pendingEntries
    storedCounters = counters
  }

  /// Whether there are new rows that are not in flight, or changed columns.
  var hasRows: Bool { !newRows.rows.isEmpty || !changes.isEmpty }

  /// Returns whether another new row can be added.
  func accepts(isUnique: Bool, _ capacity: Int) -> Bool {
    newRows.rows.count < capacity && newByteCount < Self.byteCapacity
      && (newRows.isUnique == isUnique || newRows.rows.isEmpty)
  }

  // MARK: New rows

  /// Adds a new row.
  ///
  /// - Parameters:
  ///   - row: A value for every column.
  ///   - key: The key, which follows that of the last new row.
  ///   - isUnique: Whether a look-up has found no row with its primary key; all rows of a buffer agree in this.
  ///   - largeColumns: The columns that may have texts or data.
  mutating func insert(
    _ row: [Value], _ key: Int64, isUnique: Bool, largeColumns: [Int]
  ) {
    for column in largeColumns { newByteCount += row[column].byteCount ?? 0 }
    newRows.append(row, key, isUnique: isUnique)
  }

  /// Whether the new rows are so large that they must be flushed before a column of them is set.
  var hasLargeNewRows: Bool { newByteCount >= Self.byteCapacity }

  /// Sets a column of a new row.
  ///
  /// - Returns: Whether the buffer has a new row with this key.
  mutating func setInNewRow(_ key: Int64, _ column: Int, _ value: Value) -> Bool {
    guard newRows.set(key, column, value) else { return false }
    newByteCount += value.byteCount ?? 0
    return true
  }

  /// Returns the key of the new row with a primary key; nil if there is none.
  ///
  /// - Complexity: Amortised O(1).
  mutating func findKey(_ primaryKey: Value, in column: Int) -> Int64? {
    newRows.key(primaryKey, in: column)
  }

  /// Removes and returns the new rows.
  mutating func takeNewRows() -> NewRows {
    defer {
      newRows = NewRows()
      newByteCount = 0
    }
    return newRows
  }

  /// Puts the new rows in flight: they are immutable, and read until `endFlight()`.
  mutating func startFlight() -> NewRows {
    let rows = takeNewRows()
    rowsInFlight = rows
    return rows
  }

  /// Discards the rows in flight, which are stored.
  mutating func endFlight() { rowsInFlight = nil }

  // MARK: Changes of stored rows

  /// Sets a column of a stored row.
  ///
  /// - Returns: False where the buffer is full and must be flushed before.
  mutating func set(_ key: Int64, _ column: Int, _ value: Value, _ capacity: Int) -> Bool {
    let byteCount = value.byteCount ?? 0
    guard byteCount == 0 || changedByteCount < Self.byteCapacity else { return false }
    var index = 0
    while index < changes.count, changes[index].column != column { index += 1 }
    if index == changes.count { changes.append(ChangedColumn(column)) }
    guard changes[index].set(key, value, capacity) else { return false }
    changedByteCount += byteCount
    return true
  }

  /// Returns whether a number in a column of another row can be added.
  func accepts(numberIn column: Int, _ capacity: Int) -> Bool {
    changes.first { $0.column == column }?.keys.count ?? 0 < capacity
  }

  /// The buffered value of a column; nil if there is none.
  ///
  /// - Complexity: O(log n).
  func value(_ key: Int64, _ column: Int) -> Value? {
    if let row = newRows[key] { return row[column] }
    for change in changes where change.column == column { return change[key] }
    return nil
  }

  /// Replaces the columns of a stored row that are changed.
  func apply(to row: inout [Value], _ key: Int64) {
    for change in changes {
      if let value = change[key] { row[change.column] = value }
    }
  }

  /// Replaces the columns of a stored row that are changed; none of them is omitted then.
  func apply(to row: inout PartialRow, _ key: Int64) {
    for change in changes {
      guard let value = change[key] else { continue }
      row.values[change.column] = value
      row.omitted.remove(change.column)
    }
  }

  /// Removes the changes of a row that was deleted.
  mutating func removeChanges(of key: Int64) {
    for index in changes.indices { changes[index].remove(key) }
  }

  /// Removes and returns the changes.
  mutating func takeChanges() -> [ChangedColumn] {
    defer {
      changes = []
      changedByteCount = 0
    }
    return changes
  }

  // MARK: Counters

  /// Returns the key of a new row.
  mutating func reserveKey() -> Int64 {
    let key = counters.nextKey
    counters.nextKey += 1
    counters.rowCount += 1
    return key
  }

  /// Records that rows were deleted.
  mutating func noteDeleted(_ count: Int) { counters.rowCount -= count }

  /// Returns the counters that must be stored; nil if the file has them.
  mutating func takeCounters() -> Counters? {
    guard counters != storedCounters else { return nil }
    storedCounters = counters
    return counters
  }
}

extension WriteBuffer {
  /// The counters of a class.
  struct Counters: Equatable {
    /// The key of the next new row.
    var nextKey: Int64
    /// The number of rows.
    var rowCount: Int
  }

  /// New rows with consecutive keys.
  // Safe to share: a value that another thread stores does not change.
  struct NewRows: Sendable {
    /// The key of the first row.
    private(set) var firstKey: Int64 = 0
    /// The rows, each with a value for every column.
    private(set) var rows: [[Value]] = []
    /// Whether look-ups have found no rows with their primary keys.
    private(set) var isUnique = false
    /// The keys of the first `indexedCount` rows by their primary keys.
    private var keys: [Value: Int64] = [:]
    private var indexedCount = 0

    /// The row with a key; nil if there is none.
    subscript(key: Int64) -> [Value]? {
      guard key >= firstKey, key - firstKey < rows.count else { return nil }
      return rows[Int(key - firstKey)]
    }

    fileprivate mutating func append(_ row: [Value], _ key: Int64, isUnique: Bool) {
      if rows.isEmpty {
        firstKey = key
        self.isUnique = isUnique
      }
      rows.append(row)
    }

    fileprivate mutating func set(_ key: Int64, _ column: Int, _ value: Value) -> Bool {
      guard key >= firstKey, key - firstKey < rows.count else { return false }
      rows[Int(key - firstKey)][column] = value
      return true
    }

    /// Finds the row with a primary key.
    ///
    /// - Parameters:
    ///   - value: The primary key.
    ///   - column: The column of the primary keys, which does not change in buffered rows.
    /// - Returns: The key of the row; nil if there is none.
    /// - Complexity: Amortised O(1).
    mutating func key(_ value: Value, in column: Int) -> Int64? {
      while indexedCount < rows.count {
        keys[rows[indexedCount][column]] = firstKey + Int64(indexedCount)
        indexedCount += 1
      }
      return keys[value]
    }
  }

  /// The changes of one column of stored rows.
  struct ChangedColumn {
    let column: Int
    /// The keys of the rows, ascending.
    private(set) var keys: [Int64] = []
    /// The values, in the order of the keys.
    private(set) var values: [Value] = []

    fileprivate init(_ column: Int) { self.column = column }

    /// The value of a row; nil if there is none.
    subscript(key: Int64) -> Value? { keys.ascendingIndex(of: key).map { values[$0] } }

    fileprivate mutating func set(_ key: Int64, _ value: Value, _ capacity: Int) -> Bool {
      if let last = keys.last, key <= last {
        let index = keys.lowerBound(of: key)
        if keys[index] == key {
          values[index] = value
          return true
        }
        guard keys.count < capacity else { return false }
        keys.insert(key, at: index)
        values.insert(value, at: index)
        return true
      }
      guard keys.count < capacity else { return false }
      keys.append(key)
      values.append(value)
      return true
    }

    fileprivate mutating func remove(_ key: Int64) {
      guard let index = keys.ascendingIndex(of: key) else { return }
      keys.remove(at: index)
      values.remove(at: index)
    }
  }
}

/// The values of changed columns with the same rows, for a statement that changes many rows.
final class ChangedValues: RowValues {
  private let columns: [WriteBuffer.ChangedColumn]
  /// The keys of the rows, ascending.
  private let keys: [Int64]
  /// The index of the key that follows the last one.
  // `@exclusivity(unchecked)`: SQLite computes one value after the other.
  @exclusivity(unchecked) private var next = 0

  /// Creates the values of columns with the same rows, at least one.
  init(_ columns: [WriteBuffer.ChangedColumn]) {
    self.columns = columns
    keys = columns[0].keys
  }

  func store(_ index: Int, of key: Int64, in result: FunctionResult) {
    guard columns.indices.contains(index) else { return }
    // SQLite visits the rows in the order of their keys.
    if next >= keys.count || keys[next] != key {
      if next + 1 < keys.count, keys[next + 1] == key {
        next += 1
      } else if let found = keys.ascendingIndex(of: key) {
        next = found
      } else {
        return
      }
    }
    // The result of a function accepts every value.
    try? columns[index].values[next].store(in: result)
  }
}

extension [Int64] {
  /// Returns the index of the first key that is at least another in an ascending array; the count if there is none.
  fileprivate func lowerBound(of key: Int64) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < key { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
