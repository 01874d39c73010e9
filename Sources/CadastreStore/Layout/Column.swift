package import CadastreModel
import CadastreSQLite

/// One column of a table.
///
/// A column of type `any` takes two in SQLite: the value in SQLite's own terms, and the name of its
/// type.
package struct Column: Hashable, Sendable {
  /// The name, such as `address.city`.
  package let name: String
  /// The type of its values; `object` for the row key of a link.
  package let type: PropertyType

  /// The columns that SQLite sees, quoted, with the types that are declared for them; these give other
  /// tools a hint and SQLite an affinity.
  var declarations: [String] {
    switch type {
    case .int, .bool, .date, .object, .linkingObjects: ["\(SQL.quoted(name)) INTEGER"]
    case .float, .double: ["\(SQL.quoted(name)) REAL"]
    case .string, .decimal128: ["\(SQL.quoted(name)) TEXT"]
    case .data, .objectId, .UUID: ["\(SQL.quoted(name)) BLOB"]
    // Without a declared type SQLite keeps each value as it comes.
    case .any: [SQL.quoted(name), "\(SQL.quoted(typeName)) TEXT"]
    }
  }

  /// The names that SQLite sees, quoted.
  var sqlNames: [String] {
    type == .any ? [SQL.quoted(name), SQL.quoted(typeName)] : [SQL.quoted(name)]
  }

  private var typeName: String { name + ".type" }
}

extension [Column] {
  /// The names that SQLite sees, quoted, with commas between them.
  var sqlList: String { flatMap(\.sqlNames).joined(separator: ", ") }

  /// The number of columns that SQLite sees.
  var sqlCount: Int { reduce(0) { $0 + $1.width } }
}

extension Column {
  /// The number of columns that SQLite sees.
  var width: Int { type == .any ? 2 : 1 }
}
