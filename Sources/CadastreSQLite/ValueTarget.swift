/// A place that takes one value in a storage class of SQLite.
package protocol ValueTarget {
  /// Stores null.
  func setNull() throws(StoreError)
  /// Stores an integer.
  func set(integer: Int64) throws(StoreError)
  /// Stores a floating-point number; SQLite stores NaN as null.
  func set(real: Double) throws(StoreError)
  /// Stores a text.
  func set(text: String) throws(StoreError)
  /// Stores bytes as a blob.
  func set(bytes: UnsafeRawBufferPointer) throws(StoreError)
}

/// A parameter of a statement.
package struct StatementParameter: ValueTarget {
  private let statement: Statement
  private let index: Int

  /// The parameter with a number; parameters are counted from 1.
  package init(_ statement: Statement, _ index: Int) {
    self.statement = statement
    self.index = index
  }

  package func setNull() throws(StoreError) { try statement.bindNull(at: index) }

  package func set(integer: Int64) throws(StoreError) {
    try statement.bind(integer: integer, at: index)
  }

  package func set(real: Double) throws(StoreError) { try statement.bind(real: real, at: index) }

  package func set(text: String) throws(StoreError) { try statement.bind(text: text, at: index) }

  package func set(bytes: UnsafeRawBufferPointer) throws(StoreError) {
    try statement.bind(bytes: bytes, at: index)
  }
}
