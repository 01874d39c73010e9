import CadastreModel
import CadastreSQLite

/// The SQL statements that read and write the elements of a collection.
///
/// The first parameter is the owner's key, where a statement has one; an element is the last parameter.
package struct CollectionSQL: Hashable, Sendable {
  /// All elements of an owner in order; for a set the rowids and the elements, without order.
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
    // SQLite would copy each page before its first change to undo the insertion of some of the rows.
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
