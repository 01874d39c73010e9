import CadastreModel
import CadastreSQLite

/// The texts of the queries that use an ordered index, put together once for each layout.
struct ValueIndexSQL: Sendable {
  /// The quoted name of the column.
  let column: String
  /// The table with the index that SQLite must use, as it stands after FROM.
  let table: String
  /// The query for the keys of rows with a value other than null.
  let equal: SQLText
  /// The query for the keys and values of all rows in ascending order.
  let ascending: SQLText
  /// The query for the keys and values of all rows in descending order.
  let descending: SQLText
  /// The query for the keys and values of the rows whose values are stored as bytes, which sort last.
  let bytes: SQLText
  /// The query for the keys of rows with null, which is a parameter.
  private let null: SQLText
  /// The queries for the keys of rows between bounds, see ``keys(in:)``.
  private let between: [SQLText]

  init(_ index: String, table name: String, column columnName: String) {
    let column = SQL.quoted(columnName)
    let key = SQL.quoted(TableLayout.keyName)
    self.column = column
    table = "\(SQL.quoted(name)) INDEXED BY \(SQL.quoted(index))"
    let rows = "SELECT \(key), \(column) FROM \(table) ORDER BY \(column)"
    ascending = SQLText(rows + " ASC")
    descending = SQLText(rows + " DESC")
    bytes = SQLText("SELECT \(key), \(column) FROM \(table) WHERE \(column) >= x''")
    let keys = "SELECT \(key) FROM \(table) WHERE \(column)"
    equal = SQLText(keys + " = ?")
    null = SQLText(keys + " IS ?")
    var between: [SQLText] = []
    for lower in [nil, " > ?", " >= ?"] {
      between.append(SQLText(keys + (lower ?? " IS NOT NULL")))
      for upper in [" < ?", " <= ?"] {
        between.append(SQLText(keys + (lower.map { "\($0) AND \(column)" } ?? "") + upper))
      }
    }
    self.between = between
  }

  /// Returns the query for the keys of the rows in a range, with a placeholder for each bound.
  func keys(in range: ValueRange) -> SQLText {
    if let single = range.single { return single.isNull ? null : equal }
    return between[3 * Self.number(range.lower) + Self.number(range.upper)]
  }

  /// 0 without a bound, 1 for one that is excluded, 2 for one that is included.
  private static func number(_ bound: ValueRange.Bound?) -> Int {
    bound.map { $0.isIncluded ? 2 : 1 } ?? 0
  }
}
