package import CadastreGeometry
package import CadastreModel
package import CadastrePredicate

/// A way to obtain row keys of a class that includes at least all matching rows.
package enum AccessPath: Hashable, Sendable {
  /// Yields no rows.
  case nothing(className: String)
  /// Yields every row.
  case scan(className: String)
  /// Yields the rows with one of some values of the primary key.
  case keyLookup(path: BoundPath, values: [Value])
  /// Yields the rows in ranges of an ordered index.
  case indexSearch(IndexReference, ranges: [EntryRange])
  /// Yields exactly the rows whose point in a spatial index satisfies a predicate on its position.
  case spatialSearch(IndexReference, PositionPredicate)
  /// Yields exactly the rows whose geometry in a spatial index is in a relation to a constant.
  case relationSearch(IndexReference, BoundRelation)
  /// Yields the rows whose geometry in a spatial index is within the greatest of the distances of all rows, which
  /// the run finds out, from a constant.
  case distanceSearch(IndexReference, DistanceSearch)
  /// Yields the rows at one position in a spatial index, within the precision of its 32-bit floats.
  case pointSearch(IndexReference, longitude: Double, latitude: Double)
  /// Yields the rows with a point, nearest first, until enough of them match.
  case nearestSearch(IndexReference, GeoPoint)
  /// Yields the rows in ranges of an ordered index, which ascend and lie apart, in the order of the index, until
  /// enough of them match.
  case orderedSearch(IndexReference, ranges: [EntryRange], isAscending: Bool)
  /// Yields the rows with some words, and without others, in a full-text index.
  case textSearch(IndexReference, TextPattern)
  /// Yields the rows that all of several access paths yield.
  indirect case intersection(className: String, [AccessPath])
  /// Yields the rows that at least one of several access paths yields.
  indirect case union(className: String, [AccessPath])
  /// Yields the rows that another access path does not yield.
  indirect case complement(className: String, AccessPath)
  /// Yields the rows with a link to some objects, in a property or a collection.
  indirect case linkSearch(className: String, BoundProperty, LinkTargets)
  /// Yields the rows that some objects link to by a property or a collection of their own.
  indirect case linkedSearch(className: String, links: Property, LinkTargets)

  /// The kinds of access path, by which they are switched off.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case scan = "Scan"
    case keyLookup = "KeyLookup"
    case indexSearch = "IndexSearch"
    case spatialSearch = "SpatialSearch"
    case nearestSearch = "NearestSearch"
    case orderedSearch = "OrderedSearch"
    case linkSearch = "LinkSearch"
    case textSearch = "TextSearch"
    case intersection = "Intersection"
    case union = "Union"
    case complement = "Complement"
  }

  /// The kind.
  package var kind: Kind {
    switch self {
    case .nothing, .scan: .scan
    case .keyLookup: .keyLookup
    case .indexSearch: .indexSearch
    case .spatialSearch, .relationSearch, .distanceSearch, .pointSearch: .spatialSearch
    case .nearestSearch: .nearestSearch
    case .orderedSearch: .orderedSearch
    case .linkSearch, .linkedSearch: .linkSearch
    case .textSearch: .textSearch
    case .intersection: .intersection
    case .union: .union
    case .complement: .complement
    }
  }
}

/// A compound index of a table.
package struct CompoundIndex: Hashable, Sendable {
  /// The paths of its properties, in the order of the index.
  package let properties: [PropertyPath]
  /// The position among the ordered indexes of the table.
  package let position: Int

  /// Describes an index of a table.
  package init(_ properties: [PropertyPath], position: Int) {
    self.properties = properties
    self.position = position
  }
}

/// An index of a table, found once by the catalog.
package struct IndexReference: Hashable, Sendable {
  /// The path of the indexed property; in a compound index, of the property after the leading ones.
  package let path: BoundPath
  /// The position among the indexes of its kind in the table.
  package let position: Int
  /// The properties of a compound index; none for other indexes.
  let properties: [PropertyPath]
  /// The number of leading properties.
  private let column: Int

  /// Refers to an index by its position in the table of the class in which the path begins.
  package init(_ path: BoundPath, position: Int) {
    self.path = path
    self.position = position
    properties = []
    column = 0
  }

  /// Refers to a compound index, where conditions give the values of the properties before a column.
  package init(_ path: BoundPath, in compound: CompoundIndex, column: Int) {
    self.path = path
    position = compound.position
    properties = compound.properties
    self.column = column
  }

  /// Whether the index is on one property.
  var isSingle: Bool { properties.isEmpty }

  /// The leading properties of a compound index, whose values conditions give.
  var leading: ArraySlice<PropertyPath> { properties.prefix(column) }

  /// The properties of a compound index after that of the path.
  var further: ArraySlice<PropertyPath> { properties.dropFirst(column + 1) }

  /// The name of the class.
  package var className: String { path.root.className }
}

/// The objects at the other end of links.
package enum LinkTargets: Hashable, Sendable {
  /// Objects named in the query.
  case objects([ObjectReference])
  /// The result of a plan of its own.
  case found(Plan)
}
