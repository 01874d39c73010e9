import CadastreModel
import CadastreSQLite

/// The texts of the queries that use an ordered index, put together once for each layout.
struct ValueIndexSQL: Sendable {
  /// The quoted name of the column.
  let column: String
  /// The table with the index that SQLite must use, as it stands after FROM.
  let table: String
  /// The query for the keys of rows with a value other than null.
  let equal: String
  /// The query for the keys and values of all rows in ascending order.
  let ascending: String
  /// The query for the keys and values of all rows in descending order.
  let descending: String
  private let keys: String

  init(_ index: String, table name: String, column columnName: String) {
    column = SQL.quoted(columnName)
    table = "\(SQL.quoted(name)) INDEXED BY \(SQL.quoted(index))"
    let key = SQL.quoted(TableLayout.keyName)
    keys = "SELECT \(key) FROM \(table) WHERE "
    equal = keys + "\(column) = ?"
    let rows = "SELECT \(key), \(column) FROM \(table) ORDER BY \(column)"
    ascending = rows + " ASC"
    descending = rows + " DESC"
  }

  /// Returns the query for the keys of the rows in a range, with a placeholder for each bound.
  func keys(in range: ValueRange) -> String {
    if let single = range.single { return single.isNull ? keys + column + " IS ?" : equal }
    switch (range.lower, range.upper) {
    case (nil, nil): return keys + column + " IS NOT NULL"
    case (let lower?, nil): return keys + column + (lower.isIncluded ? " >= ?" : " > ?")
    case (nil, let upper?): return keys + column + (upper.isIncluded ? " <= ?" : " < ?")
    case (let lower?, let upper?):
      return keys + column + (lower.isIncluded ? " >= ? AND " : " > ? AND ") + column
        + (upper.isIncluded ? " <= ?" : " < ?")
    }
  }
}
