import CadastreModel
import CadastreSQLite

/// The statements that read and write the elements of a collection, as text made once.
///
/// The owner's key is the first value bound, where there is one, and an element the last.
package struct CollectionSQL: Hashable, Sendable {
  /// All elements of an owner, in order; of a set in no order, after SQLite's keys of their rows.
  let all: String
  /// One element, by its slot.
  let one: String
  /// The element of a list that follows some number of others, bound last.
  let offset: String
  /// The last element of a list.
  let last: String
  /// The place of a list's last element.
  let lastPlace: String
  /// The places of a list, in order.
  let places: String
  /// The keys and values of a map, in order of the keys.
  let entries: String
  /// The owners of a link.
  let owners: String
  /// All elements of all owners, in order: the owner, the slot, the element.
  let everything: String
  /// Adds an element: the owner, the slot unless it is a set's, the element.
  let insertion: String
  /// Replaces an element: the element, the owner, the slot.
  let update: String
  /// Removes an element by its slot.
  let removal: String
  /// Removes a list's elements from a place up to another.
  let rangeRemoval: String
  /// Removes all elements of an owner.
  let clearing: String
  /// Moves an element of a list: the new place, the owner, the old place.
  let move: String

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
    lastPlace = "SELECT max(\(slot)) FROM \(table) WHERE owner = ?"
    places = "SELECT \(slot) FROM \(table) WHERE owner = ? ORDER BY owner, \(slot)"
    entries = "SELECT \(slot), \(names) FROM \(table) WHERE owner = ? ORDER BY owner, \(slot)"
    owners = "SELECT owner FROM \(table) WHERE value = ? ORDER BY owner"
    everything = "SELECT owner, \(slot), \(names) FROM \(table) ORDER BY owner, \(slot)"
    let filled = ["owner"] + (isSet ? [] : [slot]) + values
    insertion =
      "INSERT INTO \(table)(\(filled.joined(separator: ", "))) "
      + "VALUES (\(filled.map { _ in "?" }.joined(separator: ", ")))"
    let assignments = values.map { "\($0) = ?" }.joined(separator: ", ")
    update = "UPDATE \(table) SET \(assignments) WHERE owner = ? AND \(slot) = ?"
    removal = "DELETE FROM \(table) WHERE owner = ? AND \(slot) = ?"
    rangeRemoval = "DELETE FROM \(table) WHERE owner = ? AND \(slot) BETWEEN ? AND ?"
    clearing = "DELETE FROM \(table) WHERE owner = ?"
    move = "UPDATE \(table) SET \(slot) = ? WHERE owner = ? AND \(slot) = ?"
  }
}
