import CadastreModel
import CadastrePredicate

/// Continues the ranges of a property in the columns that follow it in a compound index.
///
///     at > 5 OR (at == 5 AND id > 7)   →   at == 5 with id in (7, …), then at in (5, …)
extension OrderedRanges {
  /// Returns the ranges of the entries for which all terms hold that the ranges decide but for a few values; nil where
  /// the columns that follow do not decide these.
  ///
  /// - Parameters:
  ///   - path: The path of the property.
  ///   - further: The paths of the properties that follow it in the index.
  ///   - leading: The values in the columns before it.
  ///   - terms: The terms of the conjunction.
  /// - Returns: The ranges, ascending and apart.
  func entries(
    _ path: BoundPath, followedBy further: ArraySlice<BoundPath>, leading: [Value],
    _ terms: [BoundPredicate]
  ) -> [EntryRange]? {
    let open = nearlyDecided.sorted().map { terms[$0] }
    let values = undecided
    var entries: [EntryRange] = []
    for range in ranges {
      var rest: ValueRange? = range
      for value in values {
        guard let current = rest, !current.intersection(.exactly(value)).isEmpty else { continue }
        guard path.hasOneStoredForm(value), let next = further.first else { return nil }
        let bound = ValueRange.Bound(value, isIncluded: false)
        let (before, after) = (
          ValueRange(lower: current.lower, upper: bound),
          ValueRange(lower: bound, upper: current.upper)
        )
        if current.single == nil, !before.isEmpty {
          entries.append(EntryRange(leading: leading, before))
        }
        let known = open.map { $0.simplified(where: path, has: value) }
        guard
          let inner = Self.entries(
            next, followedBy: further.dropFirst(), leading: leading + [value], of: .all(known))
        else { return nil }
        entries += inner
        rest = current.single == nil && !after.isEmpty ? after : nil
      }
      if let rest { entries.append(EntryRange(leading: leading, rest)) }
    }
    return entries
  }

  /// Returns the ranges of the entries for which a predicate holds; nil where they do not decide it.
  private static func entries(
    _ path: BoundPath, followedBy further: ArraySlice<BoundPath>, leading: [Value],
    of predicate: BoundPredicate
  ) -> [EntryRange]? {
    if predicate.isConstant(false) { return [] }
    let terms = predicate.conjuncts.filter { !$0.isConstant(true) }
    let restricted = OrderedRanges(path, terms)
    guard restricted.decided.union(restricted.nearlyDecided).count == terms.count else {
      return nil
    }
    return restricted.entries(path, followedBy: further, leading: leading, terms)
  }

  /// The values for which some term is not decided, ascending and distinct.
  private var undecided: [Value] {
    undecidedValues.compactMap(\.single).sorted { $0.ordering($1) == .ascending }
      .reduce(into: []) { distinct, value in
        if distinct.last?.ordering(value) != .same { distinct.append(value) }
      }
  }
}

extension BoundPredicate {
  /// Returns the residual predicate for objects with a given value of a property.
  fileprivate func simplified(where path: BoundPath, has value: Value) -> BoundPredicate {
    switch self {
    case .comparison:
      guard let own = ownComparison, own.path == path, let search = IndexRanges(own),
        search.isExact
      else { return self }
      return .constant(search.ranges.contains { !$0.intersection(.exactly(value)).isEmpty })
    case .and(let parts):
      let known = parts.map { $0.simplified(where: path, has: value) }
      if known.contains(where: { $0.isConstant(false) }) { return .constant(false) }
      return .all(known.filter { !$0.isConstant(true) })
    case .or(let parts):
      let known = parts.map { $0.simplified(where: path, has: value) }
      if known.contains(where: { $0.isConstant(true) }) { return .constant(true) }
      return .any(known.filter { !$0.isConstant(false) })
    case .constant, .not, .geoWithin, .relation: return self
    }
  }
}

extension BoundPath {
  /// Whether a value of the property has one stored form: 0.0 equals -0.0, which is stored as bytes.
  func hasOneStoredForm(_ value: Value) -> Bool {
    guard case .value(let type) = end, type == .double || type == .float else { return true }
    return value.doubleValue != 0
  }
}
