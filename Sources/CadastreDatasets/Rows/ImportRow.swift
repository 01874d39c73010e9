import CadastreModel
import CadastreStore

/// An object on its way into the store.
struct ImportRow: Sendable {
  /// What lies in tables of its own.
  enum Member: Sendable {
    case list(CollectionLayout, [Element])
    case map(CollectionLayout, [(key: String, value: Element)])
    /// An embedded object with a row of its own, to which a column of this row refers.
    case owned(column: Int, className: String, ImportRow)
  }

  /// An element of a collection.
  enum Element: Sendable {
    case value(Value)
    /// An embedded object of the collection's class.
    case object(ImportRow)
  }

  /// A value for every column of the table.
  var values: [Value]
  /// What lies outside of the row.
  var members: [Member] = []

  /// A row of nothing but nulls.
  init(columns: Int) { values = Array(repeating: .null, count: columns) }
}
