package import CadastreGeometry
package import CadastreModel
package import CadastrePredicate

/// A way to rows of a class that holds at least those that match.
package enum AccessPath: Hashable, Sendable {
  /// No rows at all.
  case nothing(className: String)
  /// Every row.
  case scan(className: String)
  /// The rows with one of some values of the primary key.
  case keyLookup(className: String, path: PropertyPath, values: [Value])
  /// The rows in ranges of an ordered index.
  case indexSearch(className: String, path: PropertyPath, ranges: [ValueRange])
  /// The rows whose point in a spatial index lies as a predicate says that asks for nothing else,
  /// exactly.
  case spatialSearch(className: String, path: PropertyPath, QueryPredicate)
  /// The rows near one place in a spatial index, as near as its 32-bit floats can tell.
  case placeSearch(className: String, path: PropertyPath, longitude: Double, latitude: Double)
  /// The rows with a place, nearest first, until enough of them match.
  case nearestSearch(className: String, path: PropertyPath, GeoPoint)
  /// All rows in the order of an ordered index, until enough of them match.
  case orderedSearch(className: String, path: PropertyPath, isAscending: Bool)
  /// The rows with some words, and without others, in a full-text index.
  case textSearch(className: String, path: PropertyPath, TextPattern)
  /// The rows to which all of some ways lead.
  indirect case intersection(className: String, [AccessPath])
  /// The rows to which at least one of some ways leads.
  indirect case union(className: String, [AccessPath])

  /// The rows to which a way does not lead.
  indirect case complement(className: String, AccessPath)

  /// The rows with a link to some objects, in a property or a collection.
  indirect case linkSearch(className: String, property: String, LinkTargets)

  /// The rows that some objects link to by a property or a collection of theirs.
  indirect case linkedSearch(className: String, origin: String, property: String, LinkTargets)

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
    case .spatialSearch, .placeSearch: .spatialSearch
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

/// The objects that links are wanted to.
package enum LinkTargets: Hashable, Sendable {
  /// Objects named in the question.
  case objects([ObjectReference])
  /// What a question of its own finds.
  case found(Plan)
}
