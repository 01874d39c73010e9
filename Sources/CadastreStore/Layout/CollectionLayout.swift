package import CadastreModel
import CadastreSQLite

/// How the elements of a collection are laid out: one row each, in a table of the property.
// A class, since it is handed on with every element that is read or written.
package final class CollectionLayout: Sendable {
  /// A list, a set or a map.
  package let kind: CollectionKind
  /// The property, from the class whose row has it.
  package let path: PropertyPath
  /// The class whose row has it.
  package let ownerClass: String
  /// The column of that row with the number of elements.
  package let countColumn: Int
  /// The table's name.
  package let tableName: String
  /// The column with the elements.
  package let element: Column
  /// The class that links lead to, or that embedded objects are of.
  package let target: String?
  /// Whether the elements are embedded objects, which go with the collection.
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

  /// The column that tells the elements of an owner apart: the place of a list's, the key of a map's,
  /// SQLite's own key of a set's.
  private static func slotName(_ kind: CollectionKind) -> String {
    switch kind {
    case .list: "position"
    case .set: "rowid"
    case .map: "key"
    }
  }

  /// Makes the table, with its indexes.
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

  /// Makes the indexes of the table.
  func createIndexes(on connection: Connection) throws(StoreError) {
    for index in storedIndexes { try connection.run(index.definition) }
  }

  /// Removes the indexes of the table, whose names follow its name.
  func dropIndexes(on connection: Connection) throws(StoreError) {
    for index in storedIndexes {
      try connection.run("DROP INDEX IF EXISTS \(SQL.quoted(index.name))")
    }
  }
}

extension CollectionLayout: Hashable {
  /// The same table, with the same elements.
  package static func == (first: CollectionLayout, second: CollectionLayout) -> Bool {
    first === second
      || first.tableName == second.tableName && first.kind == second.kind
        && first.element == second.element && first.target == second.target
        && first.countColumn == second.countColumn
  }

  /// Hashes the table's name.
  package func hash(into hasher: inout Hasher) { hasher.combine(tableName) }
}
