package import CadastreModel
package import CadastreSQLite
import Foundation

extension Connection {
  /// Runs a statement with values for its placeholders and ignores its rows.
  package func run(_ sql: String, _ values: Value...) throws(StoreError) {
    try bound(sql, values).run()
  }

  /// Returns the first column of the first row as an integer; nil without a row, or where it is null.
  package func integer(_ sql: String, _ values: Value...) throws(StoreError) -> Int64? {
    try firstInteger(of: try bound(sql, values))
  }

  /// Returns the first column of the first row as text; nil without a row, or where it is null.
  package func text(_ sql: String, _ values: Value...) throws(StoreError) -> String? {
    try firstText(of: try bound(sql, values))
  }

  /// Returns the first column of all rows as integers.
  func integers(_ sql: String, _ values: Value...) throws(StoreError) -> [Int64] {
    let rows = try bound(sql, values)
    var integers: [Int64] = []
    while try rows.step() { integers.append(rows.integer(0)) }
    return integers
  }

  /// Returns whether a table with a name exists.
  func hasTable(_ name: String) throws(StoreError) -> Bool {
    try integer("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", .string(name))
      != nil
  }

  /// The size of the database in bytes.
  var databaseBytes: Int64 {
    get throws(StoreError) {
      (try integer("PRAGMA page_count") ?? 0) * (try integer("PRAGMA page_size") ?? 0)
    }
  }

  /// Runs a closure in a separate write transaction, which is rolled back where the closure or the commit throws.
  func inWriteTransaction(_ body: () throws(StoreError) -> Void) throws(StoreError) {
    try run(TransactionSQL.beginWrite)
    do throws(StoreError) {
      try body()
      try run(TransactionSQL.commit)
    } catch {
      if isInTransaction { try? run(TransactionSQL.rollback) }
      throw error
    }
  }

  private func bound(_ sql: String, _ values: [Value]) throws(StoreError) -> Statement {
    let statement = try statement(sql)
    for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1) }
    return statement
  }
}

extension Connection {
  /// Runs an SQL query of the program.
  ///
  /// - Parameters:
  ///   - sql: One statement that only reads.
  ///   - arguments: A value for each placeholder, which is bound in its stored form.
  /// - Returns: The names of the columns, and the rows in SQLite's storage classes: null, `int`,
  ///   `double`, `string` or `data`.
  /// - Throws: ``SQLError`` where the text is not a query or the arguments do not fit it,
  ///   ``StoreError`` where reading fails.
  package func rows(
    of sql: String, _ arguments: [Value]
  ) throws -> (columns: [String], rows: [[Value]]) {
    let statement = try query(sql)
    try statement.requireArguments(arguments.count)
    for (index, argument) in arguments.enumerated() {
      try statement.bind(argument, at: index + 1)
    }
    let columns = (0..<statement.columnCount).map(statement.columnName)
    var rows: [[Value]] = []
    while try statement.step() { rows.append(columns.indices.map(statement.storedValue)) }
    return (columns, rows)
  }
}

extension Statement {
  /// Returns a column in its storage class.
  func storedValue(_ column: Int) -> Value {
    switch storage(column) {
    case .null: .null
    case .integer: .int(integer(column))
    case .real: .double(real(column))
    case .text: .string(text(column))
    case .blob: .data(withBlobBytes(column) { Data($0) })
    }
  }
}
