package import CadastreModel
package import CadastreSQLite

/// Goes through an ordered index from one end, null standing at its start.
package final class ValueIndexWalk {
  private let statement: Statement
  private let type: PropertyType
  private var isAtEnd = false
  /// The value of the last entry that was given.
  package private(set) var lastValue = Value.null

  /// Begins at one end of an index of a class.
  package init(
    _ index: TableLayout.ValueIndex, _ layout: TableLayout, isAscending: Bool,
    _ reader: any StoreReader
  ) throws(StoreError) {
    let column = SQL.quoted(layout.columns[index.column].name)
    type = layout.columns[index.column].type
    statement = try reader.connection.statement(
      "SELECT \(SQL.quoted(TableLayout.keyName)), \(column) FROM \(SQL.quoted(layout.tableName)) "
        + "INDEXED BY \(SQL.quoted(index.name)) ORDER BY \(column) \(isAscending ? "ASC" : "DESC")")
  }

  deinit { statement.reset() }

  /// The next entry; nil at the end.
  ///
  /// - Complexity: O(log n) once, and O(1).
  package func next() throws(StoreError) -> (key: Int64, value: Value)? {
    try step() ? (statement.integer(0), statement.value(1, as: type)) : nil
  }

  /// The keys of the next entries; none at the end.
  ///
  /// - Complexity: O(log n) once, and O(count).
  package func next(_ count: Int) throws(StoreError) -> [Int64] {
    var keys: [Int64] = []
    while keys.count < count, try step() {
      keys.append(statement.integer(0))
      // The last entry's value is all that is asked for.
      if keys.count == count { lastValue = statement.value(1, as: type) }
    }
    return keys
  }

  /// Moves to the next entry; at the end it stays there, where the statement would begin again.
  private func step() throws(StoreError) -> Bool {
    if !isAtEnd { isAtEnd = try !statement.step() }
    return !isAtEnd
  }
}
