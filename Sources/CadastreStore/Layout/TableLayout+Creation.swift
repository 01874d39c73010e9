import CadastreModel
import CadastreSQLite

extension TableLayout {
  /// Creates the table of a class and those of its collections, without the indexes of the class.
  func createTables(on connection: Connection) throws(StoreError) {
    // SQLite finds a value behind a large one by following the chain of the large one's pages, 2 ms for 10 MB.
    let blobs = columns.filter(\.isBlobOfAnySize)
    let declarations =
      (columns.filter { !$0.isBlobOfAnySize } + blobs).flatMap(\.declarations)
    let key = "\(SQL.quoted(Self.keyName)) INTEGER PRIMARY KEY"
    try connection.run(
      "CREATE TABLE \(SQL.quoted(tableName))(\(([key] + declarations).joined(separator: ", ")))")
    for collection in collections { try collection.create(on: connection) }
  }

  /// Creates an ordered index, which may be unique.
  func create(
    _ index: ValueIndex, isUnique: Bool, on connection: Connection
  ) throws(StoreError) {
    try connection.run(stored(index, isUnique: isUnique).definition)
  }

  func create(_ index: SpatialIndex, on connection: Connection) throws(StoreError) {
    try connection.run(
      "CREATE VIRTUAL TABLE \(SQL.quoted(index.name)) USING rtree("
        + "\"key\", min_longitude, max_longitude, min_latitude, max_latitude)")
  }

  func create(_ index: TextIndex, on connection: Connection) throws(StoreError) {
    try connection.run(
      "CREATE VIRTUAL TABLE \(SQL.quoted(index.name)) USING fts5(words, content='', tokenize='ascii')"
    )
  }

  /// Drops the table of a class with its indexes and the tables of its collections.
  func drop(on connection: Connection) throws(StoreError) {
    let tables =
      collections.map(\.tableName) + spatialIndexes.map(\.name) + textIndexes.map(\.name)
    for name in tables + [tableName] { try connection.run("DROP TABLE \(SQL.quoted(name))") }
    try DayColumns.remove(of: tableName, connection)
  }

  /// Returns a set of table names that are distinct without regard to case, as in SQLite.
  static func tableNames(_ names: some Sequence<String>) -> DistinctNames {
    DistinctNames("#", ignoresCase: true, used: Set(names))
  }

  /// Returns a name for the table of a class, and adds the name to the others.
  static func addTableName(for className: String, to names: inout DistinctNames) -> String {
    // A name with a full stop could be the name of a collection's table.
    let isReserved =
      className.contains(".")
      || ["sqlite_", "cadastre_", "rtree_", "fts_"].contains {
        className.lowercased().hasPrefix($0)
      }
    return names.add(isReserved ? "#" + className : className, base: className)
  }
}

extension Column {
  /// Whether the column contains data or geometries, which new tables have after all other columns.
  fileprivate var isBlobOfAnySize: Bool { type == .data || type == .geometry }
}

/// An ordered SQLite index: its name, and the statement that creates it.
package struct StoredIndex: Hashable, Sendable {
  /// The name.
  let name: String
  /// The statement, as SQLite's schema table has it.
  let definition: String

  /// Describes an index.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - table: The name of the table.
  ///   - terms: The ordering terms, as SQL.
  ///   - isUnique: Whether the index is unique.
  ///   - condition: The condition of a partial index, as SQL; nil for an index of all rows.
  init(
    _ name: String, on table: String, _ terms: String, isUnique: Bool = false,
    where condition: String? = nil
  ) {
    self.name = name
    definition =
      "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(SQL.quoted(name)) ON \(SQL.quoted(table))(\(terms))"
      + (condition.map { " WHERE \($0)" } ?? "")
  }
}

extension TableLayout {
  /// The ordered indexes of the class's table and of the tables of its collections.
  var storedIndexes: [StoredIndex] {
    let links = columns.filter { $0.type == .any }.map { MixedForm.linkIndex(on: tableName, $0) }
    return valueIndexes.map { stored($0, isUnique: $0.isUnique) } + links
      + collections.flatMap(\.storedIndexes)
  }

  func stored(_ index: ValueIndex, isUnique: Bool) -> StoredIndex {
    StoredIndex(index, on: tableName, columns, isUnique: isUnique)
  }

  /// The names of the ordered indexes whose entries lack the integer primary key of the class, as in stores of earlier
  /// versions.
  var indexesWithoutID: [String] {
    guard let id = integerKeyColumn else { return [] }
    return valueIndexes.filter { $0.takes(id) && $0.idColumn == nil }.map(\.name)
  }
}

extension StoredIndex {
  /// Describes an ordered index of a class.
  ///
  /// Entries contain the key of the row before the primary key, so that equal values are in the order of their keys.
  init(
    _ index: TableLayout.ValueIndex, on table: String, _ columns: [Column], isUnique: Bool
  ) {
    let id = index.idColumn.map { [TableLayout.keyName, columns[$0].name] } ?? []
    let terms = (index.columns.map { columns[$0].name } + id).map { SQL.quoted($0) }
    self.init(index.name, on: table, terms.joined(separator: ", "), isUnique: isUnique)
  }
}
