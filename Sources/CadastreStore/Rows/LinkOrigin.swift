package import CadastreModel

/// A property of a class in which links start, to be followed backwards.
package enum LinkOrigin: Hashable, Sendable {
  /// A link, or an embedded object with a row of its own, in a column.
  case column(Int, TableLayout)
  /// The elements of a collection.
  case collection(CollectionLayout)

  /// The property of a class with a name; nil where it holds no links.
  package init?(_ propertyName: String, in layout: TableLayout) {
    guard let index = layout.schema.index(of: propertyName) else { return nil }
    switch layout.fields[index] {
    case .link(let column), .owned(let column): self = .column(column, layout)
    case .collection(let collection) where collection.target != nil: self = .collection(collection)
    case .collection, .embedded, .scalar, .pointType, .pointCoordinates: return nil
    }
  }

  /// The keys of the objects that link to another, ascending; those that link twice, twice.
  ///
  /// - Complexity: O(log n + k) for k keys.
  package func keys(
    linkingTo target: ObjectKey, _ reader: any StoreReader
  ) throws(StoreError) -> [Int64] {
    switch self {
    case .column(let column, let layout):
      try LinkIndexSearch(column, layout, reader)?.keys(linkingTo: target) ?? []
    case .collection(let layout):
      try CollectionReader(layout, reader).owners(linkingTo: target)
    }
  }
}
