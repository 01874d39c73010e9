package import CadastreModel
import CadastreSQLite

/// The layout of a collection's table, which has one row per element.
// A class, because it is passed with every element that is read or written.
package final class CollectionLayout: Sendable {
  /// A list, a set or a map.
  package let kind: CollectionKind
  /// The property, as a path from the owner's class.
  package let path: PropertyPath
  /// The class whose rows own the elements.
  package let ownerClass: String
  /// The column of the owner's row with the number of elements.
  package let countColumn: Int
  /// The table's name.
  package let tableName: String
  /// The column with the elements.
  package let element: Column
  /// The class of linked or embedded objects; nil for other elements.
  package let target: String?
  /// Whether the elements are embedded objects, which are deleted with the collection.
  package let isOwning: Bool
  /// The statements that read and write the elements.
  let sql: CollectionSQL

  init(
    kind: CollectionKind, path: PropertyPath, ownerClass: String, countColumn: Int,
    tableName: String, element: Column, target: String?, isOwning: Bool
  ) {
    self.kind = kind
    self.path = path
    self.ownerClass = ownerClass
    self.countColumn = countColumn
    self.tableName = tableName
    self.element = element
    self.target = target
    self.isOwning = isOwning
    sql = CollectionSQL(kind, tableName, element, slot: Self.slotName(kind))
  }

  /// The column with the key of the owner's row.
  package static let ownerName = "owner"
  /// The column with the elements.
  package static let valueName = "value"

  /// Returns the column that identifies an owner's element: its position in a list, its key in a map,
  /// SQLite's rowid in a set.
  static func slotName(_ kind: CollectionKind) -> String {
    switch kind {
    case .list: "position"
    case .set: "rowid"
    case .map: "key"
    }
  }

  /// Creates the table with its indexes.
  func create(on connection: Connection) throws(StoreError) {
    let table = SQL.quoted(tableName)
    let owner = "owner INTEGER NOT NULL"
    let values = element.declarations.joined(separator: ", ")
    switch kind {
    case .list:
      try connection.run(
        "CREATE TABLE \(table)(\(owner), position INTEGER NOT NULL, \(values), "
          + "PRIMARY KEY (owner, position)) WITHOUT ROWID")
    case .map:
      try connection.run(
        "CREATE TABLE \(table)(\(owner), key TEXT NOT NULL, \(values), "
          + "PRIMARY KEY (owner, key)) WITHOUT ROWID")
    case .set:
      try connection.run("CREATE TABLE \(table)(\(owner), \(values))")
    }
    try createIndexes(on: connection)
  }

  /// Creates the indexes of the table.
  func createIndexes(on connection: Connection) throws(StoreError) {
    for index in storedIndexes { try connection.run(index.definition) }
  }

  /// Drops the indexes of the table, whose names contain its name.
  func dropIndexes(on connection: Connection) throws(StoreError) {
    for index in storedIndexes {
      try connection.run("DROP INDEX IF EXISTS \(SQL.quoted(index.name))")
    }
  }
}

extension CollectionLayout: Hashable {
  /// Returns whether the tables and the elements' types are the same.
  package static func == (first: CollectionLayout, second: CollectionLayout) -> Bool {
    first === second
      || first.tableName == second.tableName && first.kind == second.kind
        && first.element == second.element && first.target == second.target
        && first.countColumn == second.countColumn
  }

  /// Hashes the table's name.
  package func hash(into hasher: inout Hasher) { hasher.combine(tableName) }
}
