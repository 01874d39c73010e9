import CSQLite

/// A destination for one value of SQLite, such as a parameter.
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

  /// Creates a reference to a parameter; parameters are counted from 1.
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

/// The values of many rows by their keys, which one statement stores.
package protocol RowValues: AnyObject {
  /// Stores the value at an index in the row with a key as the result of a function.
  func store(_ index: Int, of key: Int64, in result: FunctionResult)
}

/// The result of an SQL function; null until it is set.
package struct FunctionResult: ValueTarget {
  private let context: OpaquePointer

  fileprivate init(_ context: OpaquePointer) { self.context = context }

  package func setNull() { sqlite3_result_null(context) }

  package func set(integer: Int64) { sqlite3_result_int64(context, integer) }

  package func set(real: Double) { sqlite3_result_double(context, real) }

  package func set(text: String) {
    var text = text
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        // An empty string may have no address, and SQLite returns null for no address.
        guard let start = characters.baseAddress else {
          return cadastre_sqlite3_result_text(context, "", 0)
        }
        cadastre_sqlite3_result_text(context, start, Int32(clamping: characters.count))
      }
    }
  }

  package func set(bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress, bytes.count > 0 else {
      return sqlite3_result_zeroblob(context, 0)
    }
    cadastre_sqlite3_result_blob(context, start, Int32(clamping: bytes.count))
  }
}

extension Connection {
  /// The SQL function of an index and a key that returns one of the current row values.
  package static let rowValueFunction = "cadastre_row_value"

  /// Runs a closure during which `rowValueFunction` returns some values.
  package func withRowValues<Result>(
    _ values: any RowValues, _ body: () throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    if !hasRowValueFunction { try makeRowValueFunction() }
    rowValues = values
    defer { rowValues = nil }
    return try body()
  }

  private func makeRowValueFunction() throws(StoreError) {
    let code = sqlite3_create_function_v2(
      handle, Self.rowValueFunction, 2, SQLITE_UTF8 | SQLITE_DIRECTONLY,
      // Safe because a connection outlives its statements.
      Unmanaged.passUnretained(self).toOpaque(),
      { context, _, arguments in
        guard let context, let arguments, let connection = sqlite3_user_data(context) else {
          return
        }
        // Without values, as in a query of the program, the result is null.
        Unmanaged<Connection>.fromOpaque(connection).takeUnretainedValue().rowValues?.store(
          Int(sqlite3_value_int64(arguments[0])), of: sqlite3_value_int64(arguments[1]),
          in: FunctionResult(context))
      }, nil, nil, nil)
    try check(code)
    hasRowValueFunction = true
  }
}
