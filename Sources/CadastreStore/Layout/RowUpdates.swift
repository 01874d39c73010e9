import CadastreModel
import CadastreSQLite

/// What changes of a class's rows need to know of its columns, put together once for each layout.
struct RowUpdates: Sendable {
  /// The quoted name of the table.
  let table: String
  /// The statements that set one column of the row with a given key, by column.
  let statements: [SQLText]
  /// Whether a spatial index depends on a column, by column.
  let isSpatial: [Bool]
  /// Whether a full-text index depends on a column, by column.
  let isText: [Bool]
  /// The query for the next key and the number of rows of the class with a given name.
  static let counters = SQLText(
    "SELECT \(SQL.counter("next_key")), \(SQL.counter("row_count")) FROM cadastre_class "
      + "WHERE name = ?")
  /// Sets the next key and the number of rows of the class with a given name.
  static let setCounters = SQLText(
    "UPDATE cadastre_class SET next_key = ?, row_count = ? WHERE name = ?")
  /// The quoted name of the key.
  static let key = SQL.quoted(TableLayout.keyName)

  init(
    table name: String, _ columns: [Column], _ spatial: [TableLayout.SpatialIndex],
    _ texts: [TableLayout.TextIndex]
  ) {
    let table = SQL.quoted(name)
    self.table = table
    statements = columns.map { column in
      let assignments = column.sqlNames.map { "\($0) = ?" }.joined(separator: ", ")
      return SQLText("UPDATE \(table) SET \(assignments) WHERE \(Self.key) = ?")
    }
    var isSpatial = Array(repeating: false, count: columns.count)
    for column in spatial.flatMap(\.columns) { isSpatial[column] = true }
    var isText = Array(repeating: false, count: columns.count)
    for index in texts { isText[index.column] = true }
    self.isSpatial = isSpatial
    self.isText = isText
  }
}
