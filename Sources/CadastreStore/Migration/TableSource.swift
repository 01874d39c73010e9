import CadastreModel
import CadastreSQLite

/// The current names of a class's former columns and collection tables, while its table changes.
struct TableSource {
  /// The former layout.
  let layout: TableLayout
  private var columnNames: [Int: String] = [:]
  private var tableNames: [String: String] = [:]
  /// The obsolete columns, with their current names.
  private(set) var retiredColumns: [Column] = []
  /// The obsolete tables of collections.
  private(set) var retiredTables: [String] = []

  /// Creates the source with the former names.
  init(_ layout: TableLayout) { self.layout = layout }

  /// The table's name, quoted.
  var table: String { SQL.quoted(layout.tableName) }

  /// Returns a former column under its current name.
  func column(_ index: Int) -> Column {
    let column = layout.columns[index]
    return columnNames[index].map { Column(name: $0, type: column.type) } ?? column
  }

  /// Returns the current name of a collection's table, quoted.
  func table(of collection: CollectionLayout) -> String {
    SQL.quoted(tableNames[collection.tableName] ?? collection.tableName)
  }

  // MARK: Changing names

  /// Renames a column.
  mutating func rename(
    _ index: Int, to name: String, on connection: Connection
  ) throws(StoreError) {
    let after = Column(name: name, type: layout.columns[index].type)
    for (old, new) in zip(column(index).sqlNames, after.sqlNames) {
      try connection.run("ALTER TABLE \(table) RENAME COLUMN \(old) TO \(new)")
    }
    try DayColumns.rename(column(index).name, to: name, of: layout.tableName, connection)
    columnNames[index] = name
  }

  /// Marks a column as obsolete, and renames it to a name that no property can have.
  mutating func retire(_ index: Int, on connection: Connection) throws(StoreError) {
    try rename(index, to: Self.retiredName(index), on: connection)
    retiredColumns.append(column(index))
  }

  /// Returns a temporary name that no property's column can have.
  static func retiredName(_ index: Int) -> String { "#retired.\(index)" }

  /// Renames the table of a collection; its indexes must be dropped before.
  mutating func rename(
    _ collection: CollectionLayout, to name: String, on connection: Connection
  ) throws(StoreError) {
    try connection.run(
      "ALTER TABLE \(table(of: collection)) RENAME TO \(SQL.quoted(name))")
    tableNames[collection.tableName] = name
  }

  /// Marks the table of a collection as obsolete.
  mutating func noteRetired(_ collection: CollectionLayout) {
    retiredTables.append(table(of: collection))
  }

  /// Drops the obsolete columns and tables.
  func discardRetired(on connection: Connection) throws(StoreError) {
    for name in retiredTables { try connection.run("DROP TABLE \(name)") }
    for name in retiredColumns.flatMap(\.sqlNames) {
      try connection.run("ALTER TABLE \(table) DROP COLUMN \(name)")
    }
    for column in retiredColumns {
      try DayColumns.remove(column.name, of: layout.tableName, connection)
    }
  }
}
