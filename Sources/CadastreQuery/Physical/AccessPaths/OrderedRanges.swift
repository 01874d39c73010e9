import CadastreModel
import CadastrePredicate

/// The ranges of an ordered index that contain all rows that match the conditions on its property.
struct OrderedRanges {
  /// The ranges, ascending and apart.
  private(set) var ranges = ValueRange.everything
  /// The indexes of the terms that hold for every entry in the ranges.
  private(set) var decided: Set<Int> = []
  /// The indexes of the terms that hold for every entry in the ranges, except for those with a few values.
  private(set) var nearlyDecided: Set<Int> = []
  /// Those values.
  private(set) var undecidedValues: [ValueRange] = []

  /// Restricts an index on the property at a path by the terms of a conjunction.
  init(_ path: BoundPath, _ terms: [BoundPredicate]) {
    for (place, term) in terms.enumerated() {
      guard let restriction = Restriction.of(path, by: term) else { continue }
      ranges = IndexSearchSource.intersection(ranges, restriction.ranges)
      if restriction.undecided.isEmpty {
        decided.insert(place)
      } else if restriction.undecided.allSatisfy({ $0.single != nil }) {
        nearlyDecided.insert(place)
        undecidedValues += restriction.undecided
      }
    }
  }

  /// Whether rows with null are in the ranges.
  var includesNull: Bool { ranges.contains(where: \.isNull) }
}

/// The values of one property that a predicate allows.
///
///     at > 5 OR (at == 5 AND id > 7)   →   [5, …), undecided for 5
private struct Restriction {
  /// The ranges of the values, apart.
  var ranges: [ValueRange]
  /// The ranges in which the predicate may be false; none where the values decide it.
  var undecided: [ValueRange]

  /// The levels of logic, and the number of constants or parts, up to which ranges cost little to compute.
  private static let (maximumDepth, maximumCount) = (4, 200)

  /// The restriction of the property at a path by a predicate; nil where every value is allowed.
  static func of(_ path: BoundPath, by predicate: BoundPredicate, depth: Int = 0) -> Restriction? {
    guard depth < maximumDepth else { return nil }
    func restrictions(_ parts: [BoundPredicate]) -> [Restriction?] {
      parts.map { of(path, by: $0, depth: depth + 1) }
    }
    switch predicate {
    case .comparison(let comparison):
      guard let own = predicate.ownComparison, own.path == path,
        comparison.right.constants?.count ?? 1 <= maximumCount, let search = IndexRanges(own)
      else { return nil }
      return Restriction(ranges: search.ranges, undecided: search.isExact ? [] : search.ranges)
    case .and(let parts): return parts.count > maximumCount ? nil : all(restrictions(parts))
    case .or(let parts): return parts.count > maximumCount ? nil : any(restrictions(parts))
    case .constant, .not, .geoWithin, .relation: return nil
    }
  }

  /// The restriction by a conjunction; nil where no part restricts the values.
  private static func all(_ parts: [Restriction?]) -> Restriction? {
    let known = parts.compactMap(\.self)
    guard !known.isEmpty else { return nil }
    let ranges = known.reduce(ValueRange.everything) {
      IndexSearchSource.intersection($0, $1.ranges)
    }
    let isDecided = known.count == parts.count && known.allSatisfy(\.undecided.isEmpty)
    return Restriction(ranges: ranges, undecided: isDecided ? [] : ranges)
  }

  /// The restriction by a disjunction; nil where some part allows all values.
  private static func any(_ parts: [Restriction?]) -> Restriction? {
    let known = parts.compactMap(\.self)
    guard known.count == parts.count else { return nil }
    let decided = known.filter(\.undecided.isEmpty).flatMap(\.ranges)
    return Restriction(
      ranges: IndexSearchSource.union([], known.flatMap(\.ranges)),
      undecided: known.flatMap(\.undecided).filter { range in
        !decided.contains { range.single != nil && $0.intersection(range) == range }
      })
  }
}
