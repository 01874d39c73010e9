package import CadastreModel

/// A table of a Realm file.
package struct RealmFileTable: Sendable {
  /// The kinds of tables.
  package enum Kind: String, Sendable {
    /// Independent objects.
    case topLevel = "top-level"
    /// Parts of other objects.
    case embedded
    /// Objects that Realm only sends to a server.
    case asymmetric
  }

  /// The name; the table of a class has the prefix `class_`.
  package let name: String
  /// The key of the table, by which columns refer to it.
  package let key: Int
  /// The kind.
  package let kind: Kind
  /// The columns with values, in the order of the specification of the table.
  package let columns: [RealmFileColumn]
  /// The index of the primary key in `columns`; nil if there is none.
  package let primaryKey: Int?

  /// The tree of objects.
  let root: Node
  /// The backlink columns.
  let backlinks: [BacklinkColumn]

  /// The name of the class; nil for internal tables.
  package var className: String? { Self.className(ofTable: name) }

  /// Returns the class that is stored in a table; nil for internal tables.
  ///
  /// Names that begin with two underscores belong to Realm's synchronisation.
  package static func className(ofTable name: String) -> String? {
    guard name.hasPrefix(prefix), !name.hasPrefix(prefix + "__") else { return nil }
    return String(name.dropFirst(prefix.count))
  }

  /// Returns the name of the table of a class.
  package static func tableName(ofClass name: String) -> String { prefix + name }

  private static let prefix = "class_"
}

/// A column of a table.
package struct RealmFileColumn: Sendable {
  /// The name of the property in the file.
  package let name: String
  /// The type of the values or elements.
  package let type: PropertyType
  /// Whether null is allowed.
  package let isNullable: Bool
  /// The kind of collection; nil for single values.
  package let collection: CollectionKind?
  /// The name of the table that links refer to; nil for other types.
  package let target: String?
  /// Whether the column has an ordered index; true for a primary key.
  package let isIndexed: Bool
  /// Whether the column has a full-text index.
  package let isFullTextIndexed: Bool

  /// The identity of the column.
  let key: UInt64
  /// The distinct strings of an enumerated column.
  let distinct: Node?

  /// The index of the column in the leaves of the tree of objects.
  var leaf: Int { Int(key & 0xFFFF) }
}

/// A column with the objects that link to each object.
struct BacklinkColumn: Sendable {
  /// The index of the column in the leaves of the tree of objects.
  let leaf: Int
  /// The key of the table with the links.
  let originTable: Int
  /// The key of the column with the links.
  let originColumn: UInt64
}
