package import CadastreModel
package import CadastreSQLite

/// Searches the index of a link column for the rows that link to an object.
package struct LinkIndexSearch {
  private let connection: Connection
  private let sql: String

  /// Prepares to search the index of a link column; nil where the column has no index.
  package init?(_ column: Int, _ layout: TableLayout, _ reader: any StoreReader) {
    guard layout.valueIndexes.contains(where: { $0.isLink && $0.column == column }) else {
      return nil
    }
    connection = reader.connection
    let key = SQL.quoted(TableLayout.keyName)
    sql =
      "SELECT \(key) FROM \(SQL.quoted(layout.tableName)) "
      + "WHERE \(SQL.quoted(layout.columns[column].name)) = ? ORDER BY \(key)"
  }

  /// Returns the keys of the rows that link to an object, ascending.
  ///
  /// - Complexity: O(log n + k) for k keys.
  package func keys(linkingTo target: ObjectKey) throws(StoreError) -> [Int64] {
    let statement = try connection.statement(sql)
    try statement.bind(.link(target), at: 1)
    var keys: [Int64] = []
    while try statement.step() { keys.append(statement.integer(0)) }
    return keys
  }
}
