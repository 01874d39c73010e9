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
  /// The column of the owner's row that contains the number of elements.
  package let countColumn: Int
  /// The table's name.
  package let tableName: String
  /// The column with the elements.
  package let element: Column
  /// The class of the linked or embedded objects; nil for other elements.
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

  /// Drops the indexes of the table; their names contain the name of the table.
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

/// The SQL statements that read and write the elements of a collection.
///
/// Where a statement has an owner, the owner's key is the first parameter. An element is the last parameter.
package struct CollectionSQL: Hashable, Sendable {
  /// All elements of an owner in order; for a set the rowids and the elements in any order.
  let all: String
  /// One element, by its identifying column.
  let one: String
  /// The element of a list at an offset, which is the last parameter.
  let offset: String
  /// The last element of a list.
  let last: String
  /// The position of a list's last element.
  let lastPosition: String
  /// The positions of a list in order.
  let positions: String
  /// The keys and values of a map in the order of the keys.
  let entries: String
  /// The owners of links to an object.
  let owners: String
  /// All elements of all owners in order: the owner, the identifying column, the element.
  let everything: String
  /// Inserts an element; parameters: the owner, the identifying column except for a set, the element.
  let insertion: String
  /// Inserts as many elements as `jointRows` says, each with the parameters of `insertion`.
  let jointInsertion: String
  /// Replaces an element; parameters: the element, the owner, the identifying column.
  let update: String
  /// Deletes an element by its identifying column.
  let removal: String
  /// Deletes a list's elements from one position through another.
  let rangeRemoval: String
  /// Deletes all elements of an owner.
  let clearing: String
  /// Moves an element of a list; parameters: the new position, the owner, the old position.
  let move: String

  /// The number of elements that `jointInsertion` inserts.
  static let jointRows = 8

  /// Creates the statements for a table; `slot` is the column that identifies an owner's element.
  init(_ kind: CollectionKind, _ tableName: String, _ element: Column, slot: String) {
    let table = SQL.quoted(tableName)
    let values = element.sqlNames
    let names = values.joined(separator: ", ")
    let isSet = kind == .set
    all =
      isSet
      ? "SELECT rowid, \(names) FROM \(table) WHERE owner = ?"
      : "SELECT \(names) FROM \(table) WHERE owner = ? ORDER BY owner, \(slot)"
    one = "SELECT \(names) FROM \(table) WHERE owner = ? AND \(slot) = ?"
    offset =
      "SELECT \(names) FROM \(table) WHERE owner = ? ORDER BY owner, \(slot) LIMIT 1 OFFSET ?"
    last =
      "SELECT \(names) FROM \(table) WHERE owner = ? ORDER BY owner DESC, \(slot) DESC LIMIT 1"
    lastPosition = "SELECT max(\(slot)) FROM \(table) WHERE owner = ?"
    positions = "SELECT \(slot) FROM \(table) WHERE owner = ? ORDER BY owner, \(slot)"
    entries = "SELECT \(slot), \(names) FROM \(table) WHERE owner = ? ORDER BY owner, \(slot)"
    owners = "SELECT owner FROM \(table) WHERE value = ? ORDER BY owner"
    everything = "SELECT owner, \(slot), \(names) FROM \(table) ORDER BY owner, \(slot)"
    let filled = ["owner"] + (isSet ? [] : [slot]) + values
    insertion = TableLayout.insertion("INSERT", into: tableName, filled, rows: 1)
    // Without OR FAIL, SQLite would copy each page before its first change, to undo a partial insertion.
    jointInsertion = TableLayout.insertion(
      "INSERT OR FAIL", into: tableName, filled, rows: Self.jointRows)
    let assignments = values.map { "\($0) = ?" }.joined(separator: ", ")
    update = "UPDATE \(table) SET \(assignments) WHERE owner = ? AND \(slot) = ?"
    removal = "DELETE FROM \(table) WHERE owner = ? AND \(slot) = ?"
    rangeRemoval = "DELETE FROM \(table) WHERE owner = ? AND \(slot) BETWEEN ? AND ?"
    clearing = "DELETE FROM \(table) WHERE owner = ?"
    move = "UPDATE \(table) SET \(slot) = ? WHERE owner = ? AND \(slot) = ?"
  }
}

extension CollectionLayout {
  /// The ordered indexes of the collection's table.
  var storedIndexes: [StoredIndex] {
    var indexes: [StoredIndex] = []
    if kind == .set {
      indexes.append(StoredIndex("index_\(tableName).owner", on: tableName, "owner, value"))
    }
    if target != nil {
      indexes.append(StoredIndex("index_\(tableName).value", on: tableName, "value"))
    } else if element.type == .any {
      indexes.append(MixedForm.linkIndex(on: tableName, element))
    }
    return indexes
  }
}
