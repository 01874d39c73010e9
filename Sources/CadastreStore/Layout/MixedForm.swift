import CadastreModel
import CadastreSQLite

/// The stored form of a value of any type: the value in SQLite's terms, and the name of its type.
///
/// Types have the names that schemas use; a link is called `link` and its class. Lists and maps
/// are kept as text, see ``NestedText``.
struct MixedForm {
  /// What goes into the first column.
  let value: Value
  /// What goes into the second column; null for null.
  let type: Value

  init(_ mixed: Value) {
    switch mixed {
    case .null: (value, type) = (.null, .null)
    case .object(let address):
      (value, type) = (.link(address.key), .string(Self.objectPrefix + address.className))
    case .list: (value, type) = (.string(NestedText.text(mixed)), .string(Self.listName))
    case .map: (value, type) = (.string(NestedText.text(mixed)), .string(Self.mapName))
    default: (value, type) = (mixed, mixed.type.map { .string($0.description) } ?? .null)
    }
  }

  static let listName = "list"
  static let mapName = "map"
  /// No type's name begins with it, as `object id` does with `object `.
  static let objectPrefix = "link "

  /// The index through which an object finds the links to it.
  static func linkIndex(on tableName: String, _ column: Column) -> StoredIndex {
    StoredIndex(
      linkIndexName(tableName, column), on: tableName, column.sqlNames[0],
      where: isObject(column))
  }

  /// The name of that index.
  static func linkIndexName(_ tableName: String, _ column: Column) -> String {
    "index_\(tableName).\(column.name).object"
  }

  /// The condition under which a row is in that index; SQLite uses it where the condition is repeated.
  static func isObject(_ column: Column) -> String {
    "substr(\(column.sqlNames[1]), 1, 5) = '\(objectPrefix)'"
  }

  /// The condition of being a link to an object: its key, then its class with the prefix.
  static func isLink(_ column: Column) -> String {
    "\(column.sqlNames[0]) = ? AND \(column.sqlNames[1]) = ? AND \(isObject(column))"
  }
}

extension Statement {
  /// A value of any type from two columns; what makes no sense there reads as null.
  func mixedValue(_ column: Int) -> Value {
    guard storage(column + 1) == .text else { return .null }
    let name = text(column + 1)
    if let type = PropertyType(name: name), type != .object { return value(column, as: type) }
    if name.hasPrefix(MixedForm.objectPrefix), storage(column) == .integer {
      return .object(
        ObjectAddress(
          className: String(name.dropFirst(MixedForm.objectPrefix.count)),
          key: ObjectKey(integer(column))))
    }
    guard name == MixedForm.listName || name == MixedForm.mapName, storage(column) == .text else {
      return .null
    }
    return NestedText.value(text(column)) ?? .null
  }
}
