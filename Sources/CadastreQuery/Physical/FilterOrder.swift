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

  /// The cost of evaluating filters for one row whose columns are in memory, in comparisons of a number; nil where the
  /// first filter reads other tables than the class's own columns.
  ///
  /// A third of the rows are taken to pass each filter.
  static func cost(_ filters: [BoundPredicate]) -> Double? {
    let ranks = filters.map(rank).sorted()
    guard let first = ranks.first, first > 0 else { return 1 }
    guard first < otherTables else { return nil }
    return ranks.reversed().reduce(0) { $0 / 3 + Double($1) }
  }

  /// Whether SQLite tests a filter while it scans the file, so that no columns of the other rows are read.
  static func isTestedInScan(_ filter: BoundPredicate) -> Bool {
    guard case .comparison(let comparison) = filter, rank(comparison) <= values,
      let (path, other) = comparison.columnComparison, other == nil,
      case .value(let type) = path.end
    else { return false }
    return switch type {
    case .int, .bool, .float, .double: comparison.operation != .notEqual
    case .string: comparison.operation == .equal || comparison.operation == .beginsWith
    default: false
    }
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

  /// The number of values up to which a number is compared with each of them.
  private static let fewValues = 8
  private static let values = 1
  private static let dates = 2
  private static let substrings = 12
  private static let numberLists = 24
  private static let regions = 24
  private static let stringLists = 100
  private static let relations = 128
  private static let otherTables = 192

  /// A rough cost of evaluating a filter for one row, in comparisons of a number.
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
    let isPrefix = comparison.operation == .beginsWith && comparison.options.isEmpty
    if comparison.operation.isSubstring && !isPrefix || !comparison.options.isEmpty {
      return substrings
    }
    if comparison.operation == .isIn, case .list(let values) = comparison.right,
      values.count > fewValues || path.end == .value(.string)
    {
      return path.end == .value(.string) ? stringLists : numberLists
    }
    return switch path.end {
    case .object: values
    case .collection: substrings
    case .value(.int), .value(.bool), .value(.float), .value(.double), .value(.object),
      .value(.linkingObjects), .value(.string), .value(.data), .value(.objectId), .value(.UUID),
      .value(.geometry):
      values
    case .value(.date), .value(.decimal128), .value(.any): dates
    }
  }
}

extension BoundComparison {
  /// Whether a distance is compared.
  fileprivate var hasDistance: Bool { if case .distance = left { true } else { false } }

  fileprivate var paths: [BoundPath] { BoundPredicate.comparison(self).paths }
}
