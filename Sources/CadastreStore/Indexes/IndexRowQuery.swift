package import CadastreModel
import CadastreSQLite

/// The SQL queries for the keys and some columns of the rows in a range of an ordered index.
///
/// SQLite reads the columns of a row in the step that finds its entry in the index.
package struct IndexRowQuery: Sendable {
  private let sql: ValueIndexSQL

  /// Prepares to read some columns of a class; each is stored in one column of SQLite.
  ///
  /// - Parameters:
  ///   - index: The index, on one property.
  ///   - layout: The layout of the class.
  ///   - columns: The indexes of the columns in the layout; none is of type any.
  package init(_ index: TableLayout.ValueIndex, _ layout: TableLayout, columns: [Int]) {
    sql = index.queries(reading: columns, of: layout)[0]
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
    let statement = try reader.connection.statement(sql.equal)
    try statement.bind(value.withoutNegativeZero, at: 1)
    return IndexRows(statement)
  }

  /// Returns the rows in a range, in the order of the index.
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
    let statement = try reader.connection.statement(sql.keys(in: range))
    try statement.bind(boundsOf: range)
    return IndexRows(statement)
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
