package import CadastreModel
package import CadastreSQLite

/// A place in which the objects of a class keep one of their properties, to follow its links backwards.
package struct LinkPlace: Sendable {
  /// The class in whose rows it is.
  package let layout: TableLayout
  /// The embedded object in such a row that has the property; nil where the row's own object has it.
  package let embedded: EmbeddedLayout?
  /// Where in the row it is.
  package let field: FieldLayout

  /// The keys of the rows in which the property links to the object of another row, ascending; those
  /// that link twice, twice.
  ///
  /// - Complexity: O(log n + k) for k keys.
  package func keys(
    linkingTo target: ObjectKey, _ reader: any StoreReader
  ) throws(StoreError) -> [Int64] {
    switch field {
    case .link(let column), .owned(let column):
      try LinkIndexSearch(column, layout, reader)?.keys(linkingTo: target) ?? []
    case .collection(let collection) where collection.target != nil:
      try CollectionReader(collection, reader).owners(linkingTo: target)
    case .collection, .embedded, .scalar, .pointType, .pointCoordinates: []
    }
  }
}

extension TableLayout {
  /// The place of a property of the class itself; nil where it has none of that name.
  package func linkPlace(of property: String) -> LinkPlace? {
    schema.index(of: property).map(linkPlace(ofField:))
  }

  /// The location of the property of the class itself that a field stores.
  package func linkPlace(ofField index: Int) -> LinkPlace {
    LinkPlace(layout: self, embedded: nil, field: fields[index])
  }
}

extension Catalogue {
  /// The places in which a class keeps a property: its own table, and, of an embedded class, the rows
  /// of all owners that its objects are kept in.
  package func places(of property: String, in className: String) -> [LinkPlace] {
    guard let index = schema[className]?.index(of: property) else { return [] }
    return tables.flatMap { layout -> [LinkPlace] in
      let own = layout.schema.className == className ? layout.linkPlace(of: property) : nil
      let inner = layout.fields.embeddedObjects.filter { $0.schema.className == className }
      return [own].compactMap { $0 }
        + inner.map { LinkPlace(layout: layout, embedded: $0, field: $0.fields[index]) }
    }
  }
}

extension [FieldLayout] {
  /// The embedded objects in the same row, those in others included.
  fileprivate var embeddedObjects: [EmbeddedLayout] {
    flatMap { field -> [EmbeddedLayout] in
      guard case .embedded(let layout) = field else { return [] }
      return [layout] + layout.fields.embeddedObjects
    }
  }
}
