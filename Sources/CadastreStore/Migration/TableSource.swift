import CadastreModel
import CadastreSQLite

/// Where the columns and collections of a class are that were there before its table was changed.
struct TableSource {
  /// The table before.
  let layout: TableLayout
  private var columnNames: [Int: String] = [:]
  private var tableNames: [String: String] = [:]
  /// The columns, by their names now, and the tables of collections that nobody needs any more.
  private(set) var retiredColumns: [Column] = []
  private(set) var retiredTables: [String] = []

  init(_ layout: TableLayout) { self.layout = layout }

  /// The table's name, quoted.
  var table: String { SQL.quoted(layout.tableName) }

  /// A column as it is called now.
  func column(_ index: Int) -> Column {
    let column = layout.columns[index]
    return columnNames[index].map { Column(name: $0, type: column.type) } ?? column
  }

  /// The table of a collection, quoted, as it is called now.
  func table(of collection: CollectionLayout) -> String {
    SQL.quoted(tableNames[collection.tableName] ?? collection.tableName)
  }

  // MARK: Changing names

  /// Gives a column another name.
  mutating func rename(
    _ index: Int, to name: String, on connection: Connection
  ) throws(StoreError) {
    let after = Column(name: name, type: layout.columns[index].type)
    for (old, new) in zip(column(index).sqlNames, after.sqlNames) {
      try connection.run("ALTER TABLE \(table) RENAME COLUMN \(old) TO \(new)")
    }
    columnNames[index] = name
  }

  /// Gives a column a name that no property can have, and notes that nobody needs it any more.
  mutating func retire(_ index: Int, on connection: Connection) throws(StoreError) {
    try rename(index, to: Self.retiredName(index), on: connection)
    retiredColumns.append(column(index))
  }

  /// A name that no property's column can have, for one on its way to another name.
  static func retiredName(_ index: Int) -> String { "#retired.\(index)" }

  /// Gives the table of a collection, which has no indexes any more, another name.
  mutating func rename(
    _ collection: CollectionLayout, to name: String, on connection: Connection
  ) throws(StoreError) {
    try connection.run(
      "ALTER TABLE \(table(of: collection)) RENAME TO \(SQL.quoted(name))")
    tableNames[collection.tableName] = name
  }

  /// Notes that nobody needs the table of a collection any more.
  mutating func noteRetired(_ collection: CollectionLayout) {
    retiredTables.append(table(of: collection))
  }

  /// Removes what nobody needs any more.
  func discardRetired(on connection: Connection) throws(StoreError) {
    for name in retiredTables { try connection.run("DROP TABLE \(name)") }
    for name in retiredColumns.flatMap(\.sqlNames) {
      try connection.run("ALTER TABLE \(table) DROP COLUMN \(name)")
    }
  }
}
