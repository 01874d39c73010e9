import CadastreModel
import CadastreSQLite

/// A cursor over the rows of a class in the order of their keys, which leaves out large values.
///
/// One statement reads the rows up to one with a large value. That row and some after it are read one by one.
final class TableCursor {
  private let layout: TableLayout
  private let connection: Connection
  private lazy var large = LargeRowReader(layout, connection, limit: limit)
  /// The size in bytes above which a value is left out.
  private let limit: Int32
  /// The statement whose current row is that of the cursor; nil before the first row and after the last one.
  private var current: Statement?
  /// Whether `current` also reads the rows that follow.
  private var readsRange = false
  /// The key from which on rows are left.
  private var nextKey: Int64
  private var keys: AscendingKeys
  /// The number of rows that are read one by one, until one of them has a large value.
  private var singleRows = 0
  /// The columns of the current row whose values are large; they are null in it.
  private(set) var omitted = ColumnSet()

  /// The number of rows after one with a large value that are read one by one: starting the statement for all takes
  /// about as long as reading a row.
  private static let singleRowsAfterLarge = 16

  /// Creates a cursor before the first row from a key on.
  ///
  /// - Parameters:
  ///   - layout: The table.
  ///   - connection: The connection.
  ///   - key: The key.
  ///   - limit: The size in bytes above which a value is left out.
  init(
    _ layout: TableLayout, _ connection: Connection, from key: Int64 = .min,
    limit: Int32 = LargeValue.limit
  ) {
    self.limit = limit
    self.layout = layout
    self.connection = connection
    // No row has the largest key.
    let last = Int64.max - 1
    nextKey = min(key, last)
    keys = AscendingKeys(of: layout.tableName, in: nextKey...last, connection)
  }

  deinit { current?.reset() }

  /// Moves to the next row.
  ///
  /// - Returns: The key; nil at the end.
  /// - Throws: ``StoreError`` when reading fails, and where the keys do not ascend.
  func next() throws(StoreError) -> Int64? {
    omitted = ColumnSet()
    if singleRows == 0 {
      let rows = try rows()
      switch try rows.step(of: layout, limit) {
      case .row: return try accept(rows.integer(0))
      case .end:
        current = nil
        return nil
      case .tooLarge:
        current = nil
        singleRows = Self.singleRowsAfterLarge
      }
    }
    return try nextSingle()
  }

  /// Returns the statement for all rows that are left.
  private func rows() throws(StoreError) -> Statement {
    if readsRange, let current { return current }
    current?.reset()
    current = nil
    let rows = try connection.statement(layout.rowsQuery)
    try rows.bind(integer: nextKey, at: 1)
    // There is no limit.
    try rows.bind(integer: -1, at: 2)
    current = rows
    readsRange = true
    return rows
  }

  private func nextSingle() throws(StoreError) -> Int64? {
    current?.reset()
    current = nil
    readsRange = false
    guard let row = try large.row(from: nextKey) else { return nil }
    current = row.statement
    omitted = row.omitted
    singleRows = omitted.isEmpty ? singleRows - 1 : Self.singleRowsAfterLarge
    return try accept(row.key)
  }

  private func accept(_ key: Int64) throws(StoreError) -> Int64 {
    try keys.accept(key)
    nextKey = key + 1
    return key
  }

  /// The columns of the current row.
  var row: PartialRow { PartialRow(values: statement.row(layout), omitted: omitted) }

  private var statement: Statement {
    guard let current else { preconditionFailure("the cursor has no current row") }
    return current
  }

  /// Returns whether an SQLite column of the current row has the same storage class and the same bytes as in the
  /// current row of another cursor.
  ///
  /// - Parameters:
  ///   - column: The index in a result row that begins with the key.
  ///   - other: A cursor over the same class.
  /// - Returns: Whether they are the same.
  func isSame(_ column: Int, as other: TableCursor) -> Bool {
    statement.isSame(column, as: other.statement)
  }
}
