package import CadastreModel
package import CadastreSQLite

/// The columns or the table that store a property, for following its links backwards.
package struct LinkLocation: Sendable {
  /// The class whose rows contain the property.
  package let layout: TableLayout
  /// The embedded object in the row that has the property; nil where the row's object has it.
  package let embedded: EmbeddedLayout?
  /// The storage of the property in the row.
  package let field: FieldLayout

  /// Returns the keys of the rows in which the property links to an object, ascending, once for each link.
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
  /// Returns the location of a property of the class itself; nil where the class lacks it.
  package func linkLocation(of property: String) -> LinkLocation? {
    schema.index(of: property).map(linkLocation(ofField:))
  }

  /// Returns the location of the property that a field of the class itself stores.
  package func linkLocation(ofField index: Int) -> LinkLocation {
    LinkLocation(layout: self, embedded: nil, field: fields[index])
  }
}

extension Catalogue {
  /// Returns the locations of the links that a property of linking objects follows backwards.
  package func linkLocations(of property: Property) -> [LinkLocation] {
    linkLocations(
      of: property.linkOriginPropertyName ?? "", in: property.objectClassName ?? "")
  }

  /// Returns the locations of a property of a class: in the class's own table, and, for an embedded class,
  /// in the rows of all owners.
  package func linkLocations(of property: String, in className: String) -> [LinkLocation] {
    guard let index = schema[className]?.index(of: property) else { return [] }
    return tables.flatMap { layout -> [LinkLocation] in
      let own = layout.schema.className == className ? layout.linkLocation(of: property) : nil
      let inner = layout.fields.embeddedObjects.filter { $0.schema.className == className }
      return [own].compactMap { $0 }
        + inner.map { LinkLocation(layout: layout, embedded: $0, field: $0.fields[index]) }
    }
  }
}

extension [FieldLayout] {
  /// The embedded objects in the same row, including nested ones.
  fileprivate var embeddedObjects: [EmbeddedLayout] {
    flatMap { field -> [EmbeddedLayout] in
      guard case .embedded(let layout) = field else { return [] }
      return [layout] + layout.fields.embeddedObjects
    }
  }
}

/// A search of a link column's index for the rows that link to an object.
struct LinkIndexSearch {
  private let connection: Connection
  private let sql: String

  /// Prepares to search the index of a link column; nil where the column has no index.
  init?(_ column: Int, _ layout: TableLayout, _ reader: any StoreReader) {
    guard layout.valueIndexes.contains(where: { $0.isLink && $0.column == column }) else {
      return nil
    }
    connection = reader.connection
    let key = SQL.quoted(TableLayout.keyName)
    sql =
      "SELECT \(key) FROM \(SQL.quoted(layout.tableName)) "
      + "WHERE \(SQL.quoted(layout.columns[column].name)) = ? ORDER BY \(key)"
  }

  /// Returns the keys of the rows that link to an object, ascending.
  ///
  /// - Complexity: O(log n + k) for k keys.
  func keys(linkingTo target: ObjectKey) throws(StoreError) -> [Int64] {
    try connection.integers(sql, .link(target))
  }
}
