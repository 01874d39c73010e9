package import CadastreModel

/// An object to be stored: a row, its collections and its owned objects.
package struct ImportRow: Sendable {
  /// A part of the object that is stored in another table.
  package enum Member: Sendable {
    case list(CollectionLayout, [Element])
    case map(CollectionLayout, [(key: String, value: Element)])
    /// An embedded object with its own row, referenced by a column of this row.
    case owned(column: Int, className: String, ImportRow)
  }

  /// An element of a collection.
  package enum Element: Sendable {
    case value(Value)
    /// An embedded object of the collection's class.
    case object(ImportRow)

    /// The value; nil for an embedded object.
    package var value: Value? { if case .value(let value) = self { value } else { nil } }
  }

  /// A value for each column of the table.
  package var values: [Value]
  /// The parts that are stored in other tables.
  package var members: [Member] = []
  /// The indexes of the properties that the record does not name; an update does not change them.
  package var absent: [Int] = []

  /// The elements of a list or set; nil if the row has none.
  package func elements(of collection: CollectionLayout) -> [Element]? {
    for case .list(collection, let elements) in members { return elements }
    return nil
  }

  /// The entries of a map; nil if the row has none.
  package func entries(of collection: CollectionLayout) -> [(key: String, value: Element)]? {
    for case .map(collection, let entries) in members { return entries }
    return nil
  }

  /// Creates a row of nulls.
  package init(columns: Int) { values = Array(repeating: .null, count: columns) }
}
