import CadastreModel
import CadastreSQLite

/// A reader of stored rows by their primary keys.
///
/// Imported files are often in the order of the stored rows. So the finder first tries the row after the
/// previous match, which needs no search in the index of the primary keys.
final class StoredRowFinder {
  private let transaction: WriteTransaction
  private let layout: TableLayout
  private let keyColumn: Int
  /// The index in SQLite's result of each column of the table.
  private let resultIndexes: [Int]
  private var statement: Statement?
  private var next = ObjectKey(1)
  /// The number of wrong predictions of the next row since the last correct one.
  private var misses = 0
  private var searches = 0

  init(_ transaction: WriteTransaction, _ layout: TableLayout, keyColumn: Int) {
    self.transaction = transaction
    self.layout = layout
    self.keyColumn = keyColumn
    resultIndexes = layout.columns.resultIndexes
  }

  /// Calls a closure with the stored object that has a primary key.
  ///
  /// - Parameters:
  ///   - primaryKey: The primary key.
  ///   - body: Receives the key of the object, and a function that returns whether a column contains a value.
  /// - Returns: The result of the closure; nil where there is no such object.
  /// - Throws: ``StoreError`` when reading fails.
  /// - Complexity: O(log n).
  func withRow<Result>(
    primaryKey: Value, _ body: (ObjectKey, (Int, Value) -> Bool) -> Result
  ) throws(StoreError) -> Result? {
    let statement = try prepared()
    defer { statement.reset() }
    var key = next
    searches &+= 1
    // For a file in another order, most searches skip the prediction.
    let guesses = misses < Self.mostMisses || searches % Self.mostMisses == 0
    var isFound = false
    if guesses { isFound = try isRow(key, primaryKey, statement) }
    if isFound {
      misses = 0
    } else {
      misses += 1
      guard let found = try transaction.key(layout, primaryKey: primaryKey) else { return nil }
      key = found
      statement.reset()
      try statement.bind(.link(key), at: 1)
      guard try statement.step() else { return nil }
    }
    next = ObjectKey(key.rawValue &+ 1)
    return body(key) { [layout, resultIndexes] column, value in
      statement.contains(value, of: layout.columns[column].type, at: resultIndexes[column])
    }
  }

  private static let mostMisses = 16

  private func prepared() throws(StoreError) -> Statement {
    if let statement { return statement }
    let prepared = try transaction.flush(.rows).connection.statement(layout.rowQuery)
    statement = prepared
    return prepared
  }

  private func isRow(
    _ key: ObjectKey, _ primaryKey: Value, _ statement: Statement
  ) throws(StoreError) -> Bool {
    try statement.bind(.link(key), at: 1)
    guard try statement.step() else { return false }
    return statement.contains(
      primaryKey, of: layout.columns[keyColumn].type, at: resultIndexes[keyColumn])
  }
}

extension Statement {
  /// Returns whether a column contains the stored form of a value, without copying texts.
  fileprivate func contains(_ value: Value, of type: PropertyType, at column: Int) -> Bool {
    switch (value, type) {
    case (_, .any): return self.value(column, as: type) == value
    case (.null, _): return isNull(column)
    case (.int(let number), .int): return storage(column) == .integer && integer(column) == number
    case (.double(let number), .double):
      return double(column).map { $0.bitPattern == number.bitPattern } ?? false
    case (.string(let text), .string):
      guard storage(column) == .text else { return false }
      var text = text
      return withTextBytes(column) { stored in
        text.withUTF8 { $0.count == stored.count && $0.elementsEqual(stored) }
      }
    default: return self.value(column, as: type) == value
    }
  }
}
