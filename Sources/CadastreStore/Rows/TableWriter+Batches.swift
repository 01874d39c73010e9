import CadastreModel
import CadastreSQLite

/// Changes of many rows with few statements.
extension TableWriter {
  /// Sets the same columns of several rows to the same values.
  ///
  /// - Parameters:
  ///   - keys: The keys of stored rows, ascending.
  ///   - changed: The values.
  /// - Throws: ``StoreError``: `duplicateKey` for a primary key, `corrupt` where a row is missing.
  /// - Complexity: O(k log n) for k rows.
  func update(
    _ keys: [Int64], _ changed: [(column: Int, value: Value)]
  ) throws(StoreError) {
    guard !changed.contains(where: { isIndexedByWriters($0.column) }) else {
      for key in keys { _ = try update(ObjectKey(key), changed) }
      return
    }
    let assignments = changed.flatMap { layout.columns[$0.column].sqlNames.map { "\($0) = ?" } }
    try run("UPDATE \(table) SET \(assignments.joined(separator: ", "))", changed, on: keys)
    for change in changed {
      for key in keys { noteModified(key, change.column) }
    }
  }

  /// Sets the same columns of several rows to values of their own.
  ///
  /// - Parameters:
  ///   - keys: The keys of stored rows, ascending.
  ///   - columns: The columns, which belong to no index that the writer updates.
  ///   - values: The values, by the place of the column in `columns`.
  /// - Throws: ``StoreError`` `corrupt` where a row is missing.
  func update(
    _ keys: [Int64], _ columns: [Int], to values: any RowValues
  ) throws(StoreError) {
    let assignments = columns.enumerated().map { place, column in
      "\(layout.columns[column].sqlNames[0]) = \(Connection.rowValueFunction)(\(place), \(key))"
    }
    try connection.withRowValues(values) { () throws(StoreError) in
      try run("UPDATE \(table) SET \(assignments.joined(separator: ", "))", [], on: keys)
    }
  }

  /// Deletes several rows that nothing else depends on.
  ///
  /// - Parameter keys: The keys of stored rows, ascending.
  /// - Throws: ``StoreError`` `corrupt` where a row is missing.
  /// - Complexity: O(k log n) for k rows.
  func delete(_ keys: [Int64]) throws(StoreError) {
    for index in texts {
      for key in keys { try index.remove(key) }
    }
    try run("DELETE FROM \(table)", [], on: keys)
    try flushPendingEntries()
    for index in spatial { try index.delete(keys) }
    for key in keys { noteDeleted(key) }
  }

  /// Runs a statement for all rows with some keys.
  private func run(
    _ head: String, _ changed: [(column: Int, value: Value)], on keys: [Int64]
  ) throws(StoreError) {
    let range = try connection.statement("\(head) WHERE \(key) BETWEEN ? AND ?")
    let places = Array(repeating: "?", count: Self.listSize).joined(separator: ", ")
    let list = try connection.statement("\(head) WHERE \(key) IN (\(places))")
    var first = 1
    for change in changed {
      let type = layout.columns[change.column].type
      _ = try range.bind(change.value, of: type, at: first)
      first = try list.bind(change.value, of: type, at: first)
    }
    var listed: [Int64] = []
    for run in KeyRuns(keys) {
      guard run.count >= Self.leastRange else {
        for key in run {
          listed.append(key)
          guard listed.count == Self.listSize else { continue }
          try self.run(list, listed, at: first)
          listed.removeAll(keepingCapacity: true)
        }
        continue
      }
      try range.bind(integer: run.lowerBound, at: first)
      try range.bind(integer: run.upperBound, at: first + 1)
      try self.run(range, expecting: run.count)
    }
    if !listed.isEmpty { try self.run(list, listed, at: first) }
  }

  /// The number of keys in one statement.
  private static let listSize = 64
  /// The number of consecutive keys from which a range takes less time than a list.
  private static let leastRange = 8

  private func run(
    _ statement: Statement, _ keys: [Int64], at first: Int
  ) throws(StoreError) {
    for index in 0..<Self.listSize {
      // The last key takes the positions that are left.
      try statement.bind(integer: keys[min(index, keys.count - 1)], at: first + index)
    }
    try run(statement, expecting: keys.count)
  }

  private func run(_ statement: Statement, expecting count: Int) throws(StoreError) {
    try statement.run()
    guard connection.changedRows == count else { throw missingRows }
  }

  /// The error where rows are missing that were found before.
  var missingRows: StoreError {
    StoreError(
      .corrupt("table '\(layout.tableName)' lacks rows that were found in it"),
      path: connection.path)
  }
}

/// The ranges of consecutive keys in an ascending array.
struct KeyRuns: Sequence, IteratorProtocol {
  private let keys: [Int64]
  private var index = 0

  init(_ keys: [Int64]) { self.keys = keys }

  mutating func next() -> ClosedRange<Int64>? {
    guard index < keys.count else { return nil }
    let first = keys[index]
    var last = first
    index += 1
    while index < keys.count, keys[index] == last &+ 1 {
      last += 1
      index += 1
    }
    return first...last
  }
}
