package import CadastreModel
import CadastreSQLite

/// One column of a table.
///
/// A column of type `any` takes two columns in SQLite: the value in SQLite's storage class, and the name of
/// its type.
package struct Column: Hashable, Sendable {
  /// The name, such as `address.city`.
  package let name: String
  /// The type of its values; `object` for the row key of a link.
  package let type: PropertyType

  /// The declarations of the SQLite columns; the declared types are for other programs and give SQLite an
  /// affinity.
  var declarations: [String] {
    switch type {
    case .int, .bool, .date, .object, .linkingObjects: ["\(SQL.quoted(name)) INTEGER"]
    case .float, .double: ["\(SQL.quoted(name)) REAL"]
    case .string, .decimal128: ["\(SQL.quoted(name)) TEXT"]
    case .data, .objectId, .UUID, .geometry: ["\(SQL.quoted(name)) BLOB"]
    // Without a declared type SQLite stores each value in its own storage class.
    case .any: [SQL.quoted(name), "\(SQL.quoted(typeName)) TEXT"]
    }
  }

  /// The quoted names of the SQLite columns.
  var sqlNames: [String] {
    type == .any ? [SQL.quoted(name), SQL.quoted(typeName)] : [SQL.quoted(name)]
  }

  private var typeName: String { name + ".type" }
}

extension [Column] {
  /// The quoted names of the SQLite columns, separated by commas.
  var sqlList: String { flatMap(\.sqlNames).joined(separator: ", ") }
}

extension Column {
  /// The number of SQLite columns.
  var width: Int { type == .any ? 2 : 1 }
}
