package import CadastreModel
import CadastreSQLite

/// The SQL queries for the keys and some columns of the rows in a range of an ordered index.
///
/// SQLite reads the columns of a row in the step that finds its entry in the index.
package final class IndexRowQuery: Sendable {
  private let sql: ValueIndexSQL
  /// The key and the columns, as SQL.
  private let columns: String
  /// The query for the rows with a value other than null, in order of key.
  private let equal: SQLText
  /// The queries for the rows between bounds, by the number of the condition, composed on first use.
  private let between = Guarded<[SQLText?]>(Array(repeating: nil, count: 9))

  /// Creates the queries for some columns of a class; each is stored in one column of SQLite.
  ///
  /// - Parameters:
  ///   - index: The index.
  ///   - layout: The layout of the class.
  ///   - columns: The indexes of the columns in the layout; none is of type any.
  package init(_ index: TableLayout.ValueIndex, _ layout: TableLayout, columns: [Int]) {
    sql = index.sql
    let key = SQL.quoted(TableLayout.keyName)
    let names = [key] + columns.map { layout.columns[$0].sqlNames[0] }
    self.columns = names.joined(separator: ", ")
    equal = SQLText(
      "SELECT \(self.columns) FROM \(sql.table) WHERE \(sql.column) = ? ORDER BY \(key)")
  }

  /// Returns the rows with a value, in order of key.
  ///
  /// - Parameters:
  ///   - value: The value; neither null, nor of a column of fractions or dates.
  ///   - reader: The snapshot or the transaction.
  /// - Returns: The rows.
  /// - Throws: ``StoreError`` when reading fails.
  package func rows(
    equalTo value: Value, _ reader: any StoreReader
  ) throws(StoreError) -> IndexRows {
    try reader.connection.checkCancellation()
    let statement = try reader.connection.statement(equal)
    try statement.bind(value.withoutNegativeZero, at: 1)
    return IndexRows(statement)
  }

  /// Returns the rows in a range of more than one value, in the order of the index.
  ///
  /// - Parameters:
  ///   - range: The range; its column has neither fractions nor dates.
  ///   - reader: The snapshot or the transaction.
  /// - Returns: The rows.
  /// - Throws: ``StoreError`` when reading fails.
  package func rows(
    in range: ValueRange, _ reader: any StoreReader
  ) throws(StoreError) -> IndexRows {
    try reader.connection.checkCancellation()
    let statement = try reader.connection.statement(query(for: range))
    try statement.bind(endsOf: range)
    return IndexRows(statement)
  }

  private func query(for range: ValueRange) -> SQLText {
    let number = ValueIndexSQL.number(range)
    return between.withLock { texts in
      if let text = texts[number] { return text }
      let condition = ValueIndexSQL.condition(number, on: sql.column)
      let text = SQLText("SELECT \(columns) FROM \(sql.table) WHERE \(condition)")
      texts[number] = text
      return text
    }
  }
}

/// The rows of an ``IndexRowQuery``, one after the other.
///
/// Columns are counted from 0 in the order of the query. A value that is invalid for its type reads as null; another
/// program may have written it.
package struct IndexRows {
  private let statement: Statement

  fileprivate init(_ statement: Statement) { self.statement = statement }

  /// Moves to the next row; returns false after the last one, and then it must not be called again.
  ///
  /// - Throws: ``StoreError`` when reading fails.
  /// - Complexity: O(log n).
  package func next() throws(StoreError) -> Bool { try statement.step() }

  /// Ends the reading before the last row.
  package func end() { statement.reset() }

  /// The key of the row.
  package var key: Int64 { statement.integer(0) }

  /// Returns a column of type int or bool; nil for null.
  package func integer(_ column: Int) -> Int64? {
    statement.storage(column + 1) == .integer ? statement.integer(column + 1) : nil
  }

  /// Returns a column of type double; nil for null.
  package func double(_ column: Int) -> Double? { statement.double(column + 1) }

  /// Returns a column of type float; nil for null.
  package func float(_ column: Int) -> Float? { statement.float(column + 1) }

  /// Returns a column of type date; nil for null.
  package func timestamp(_ column: Int) -> Timestamp? { statement.timestamp(column + 1) }

  /// Returns the result of a closure for the bytes of a column of type string; nil for null.
  package func withText<Result>(
    _ column: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result? {
    guard statement.storage(column + 1) == .text else { return nil }
    return statement.withTextBytes(column + 1, body)
  }

  /// Returns the result of a closure for the bytes of a column of data or of identifiers; nil for null.
  package func withBytes<Result>(
    _ column: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result? {
    guard statement.storage(column + 1) == .blob else { return nil }
    return statement.withBlobBytes(column + 1, body)
  }
}
