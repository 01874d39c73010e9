import CadastreModel
import CadastreSQLite

/// The stored form of a value of any type: the value in an SQLite storage class, and the name of its type.
///
/// Types have the names of schemas; a link has the name `link` followed by its class. Lists and maps are
/// stored as text, see ``NestedText``.
struct MixedForm {
  /// The value of the first column.
  let value: Value
  /// The value of the second column; null for null.
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
  /// The prefix of the type of a link; no type's name begins with it.
  static let objectPrefix = "link "

  /// Returns the index for finding the links to an object.
  static func linkIndex(on tableName: String, _ column: Column) -> StoredIndex {
    StoredIndex(
      linkIndexName(tableName, column), on: tableName, column.sqlNames[0],
      where: isObject(column))
  }

  /// Returns the name of the index for finding the links to an object.
  static func linkIndexName(_ tableName: String, _ column: Column) -> String {
    "index_\(tableName).\(column.name).object"
  }

  /// Returns the condition of the partial index for links, which a query must repeat to use the index.
  static func isObject(_ column: Column) -> String {
    "substr(\(column.sqlNames[1]), 1, 5) = '\(objectPrefix)'"
  }

  /// Returns the condition of a link to an object; its parameters are the key, then the class with the
  /// prefix.
  static func isLink(_ column: Column) -> String {
    "\(column.sqlNames[0]) = ? AND \(column.sqlNames[1]) = ? AND \(isObject(column))"
  }
}

extension StoredRow {
  /// Returns a value of any type from two columns; an invalid combination reads as null.
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
