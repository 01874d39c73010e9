import CadastreModel
package import CadastrePredicate

/// The order in which the filters of a plan are evaluated.
package enum FilterOrder {
  /// Sorts filters by their cost, the cheapest first; filters of equal cost keep their order.
  static func cheapestFirst(_ filters: [BoundPredicate]) -> [BoundPredicate] {
    guard filters.count > 1 else { return filters }
    let ranked = filters.enumerated().map { ($0.offset, rank($0.element), $0.element) }
    return ranked.sorted { ($0.1, $0.0) < ($1.1, $1.0) }.map(\.2)
  }

  /// The rank of the filter that is evaluated first; nil where it reads other tables than the
  /// class's own columns.
  static func firstRank(_ filters: [BoundPredicate]) -> Int? {
    let first = filters.map(rank).min() ?? 1
    return first < otherTables ? max(1, first) : nil
  }

  /// The index of the first of some filters, the cheapest first, whose columns a scan should read only for the
  /// rows that pass those before it: of a region, a relation, or other tables.
  ///
  /// - Parameter filters: The filters of a plan.
  /// - Returns: The index; nil where the first filter is such a filter, or none is.
  package static func firstLate(_ filters: [BoundPredicate]) -> Int? {
    let first = filters.firstIndex { rank($0) >= regions }
    return first == 0 ? nil : first
  }

  /// Whether the first filter tests relations of geometries, which takes longer than reading a row.
  static func beginsWithRelation(_ filters: [BoundPredicate]) -> Bool {
    !filters.isEmpty && filters.allSatisfy(isRelation)
  }

  private static func isRelation(_ predicate: BoundPredicate) -> Bool {
    switch predicate {
    case .relation: true
    case .not(let inner): isRelation(inner)
    case .and(let parts): parts.allSatisfy(isRelation)
    case .or(let parts): parts.contains(where: isRelation)
    case .comparison(let comparison): comparison.hasDistance
    case .constant, .geoWithin: false
    }
  }

  private static let regions = 8
  private static let relations = 12
  private static let otherTables = 16

  /// A rough cost of evaluating a filter for one row: numbers 1, strings 2, substrings 4, regions
  /// 8, relations 12, reads of other tables 16.
  private static func rank(_ predicate: BoundPredicate) -> Int {
    switch predicate {
    case .constant: 0
    case .not(let inner): rank(inner)
    case .and(let parts), .or(let parts): parts.reduce(0) { $0 + rank($1) }
    case .geoWithin: regions
    case .relation(let relation):
      if case .objects = relation.right {
        2 * otherTables
      } else {
        relation.left.isOrdinary ? relations : otherTables
      }
    case .comparison(let comparison): rank(comparison)
    }
  }

  private static func rank(_ comparison: BoundComparison) -> Int {
    guard let (path, _) = comparison.columnComparison else {
      let readsRow = comparison.hasDistance && comparison.paths.allSatisfy(\.isOrdinary)
      return readsRow ? relations : otherTables
    }
    if comparison.operation.isSubstring || !comparison.options.isEmpty { return 4 }
    return switch path.end {
    case .object: 1
    case .collection: 4
    case .value(.int), .value(.bool), .value(.float), .value(.double), .value(.date),
      .value(.object), .value(.linkingObjects):
      1
    case .value(.string), .value(.data), .value(.objectId), .value(.UUID), .value(.geometry): 2
    case .value(.decimal128), .value(.any): 3
    }
  }
}

extension BoundComparison {
  /// Whether a distance is compared.
  fileprivate var hasDistance: Bool { if case .distance = left { true } else { false } }

  fileprivate var paths: [BoundPath] { BoundPredicate.comparison(self).paths }
}
