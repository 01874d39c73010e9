import CadastreModel
import CadastreStore

/// An object to be stored: a row, its collections and its owned objects.
struct ImportRow: Sendable {
  /// A part of the object that is stored in another table.
  enum Member: Sendable {
    case list(CollectionLayout, [Element])
    case map(CollectionLayout, [(key: String, value: Element)])
    /// An embedded object with its own row, referenced by a column of this row.
    case owned(column: Int, className: String, ImportRow)
  }

  /// An element of a collection.
  enum Element: Sendable {
    case value(Value)
    /// An embedded object of the collection's class.
    case object(ImportRow)
  }

  /// A value for each column of the table.
  var values: [Value]
  /// The parts that are stored in other tables.
  var members: [Member] = []

  /// Creates a row of nulls.
  init(columns: Int) { values = Array(repeating: .null, count: columns) }
}
