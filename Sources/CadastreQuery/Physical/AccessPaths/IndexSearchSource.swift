import CadastreModel
import CadastrePredicate

/// Offers an ordered index where terms compare its properties with constants.
///
///     country IN {'FR', 'DE'} AND at >= 2024-01-01
///
/// Lower and upper bounds on the same property become one range. In a compound index, the range of a property follows
/// the values that terms give to all properties before it.
struct IndexSearchSource: AccessPathSource {
  let kind = AccessPath.Kind.indexSearch

  /// The values of a property that terms allow.
  private struct Restriction {
    let path: BoundPath
    /// The index of the property alone; nil where there is none.
    let index: IndexReference?
    var ranges: [ValueRange]
    /// The indexes of the terms that the ranges decide.
    var decided: Set<Int>
  }

  /// A search of an index.
  private struct Search {
    let index: IndexReference
    let ranges: [EntryRange]
    /// The paths that the ranges restrict.
    let paths: [BoundPath]
    /// The indexes of the terms that the ranges decide.
    let decided: Set<Int>
  }

  func mayServe(_ terms: [BoundPredicate], _ catalog: any Catalog) -> Bool {
    terms.contains { term in
      guard let path = term.ownComparison?.path else { return false }
      return catalog.valueIndex(path) != nil
        || catalog.compoundIndexes(path.root.className).contains {
          $0.properties[0] == path.path
        }
    }
  }

  func offers(
    _ className: String, _ terms: [BoundPredicate], _ catalog: any Catalog, _ costs: CostModel
  ) -> [AccessPathOffer] {
    let compound = catalog.compoundIndexes(className)
    let restrictions = Self.restrictions(terms, compound, catalog)
    let searches = compound.compactMap { Self.search($0, restrictions) }
    let single = restrictions.compactMap { restriction in
      restriction.index.map { index in
        Search(
          index: index, ranges: restriction.ranges.map { EntryRange($0) },
          paths: [restriction.path], decided: restriction.decided)
      }
    }.filter { search in
      // A compound index yields some of its rows, in no more ranges.
      !searches.contains {
        $0.paths.contains(search.paths[0]) && $0.ranges.count <= search.ranges.count
      }
    }
    return (single + searches).map { search in
      let predicate = BoundPredicate.all(search.decided.sorted().map { terms[$0] })
      return offer(search, predicate, catalog, costs)
    }
  }

  private func offer(
    _ search: Search, _ predicate: BoundPredicate, _ catalog: any Catalog, _ costs: CostModel
  ) -> AccessPathOffer {
    let rows = catalog.estimatedRows(search.index, search.ranges, where: predicate)
    return AccessPathOffer(
      access: .indexSearch(search.index, ranges: search.ranges), decided: search.decided,
      rows: rows,
      cost: Double(search.ranges.count) * costs.indexDescent + rows * costs.indexStep)
  }

  /// Returns the values that terms allow, of each property in an index.
  private static func restrictions(
    _ terms: [BoundPredicate], _ compound: [CompoundIndex], _ catalog: any Catalog
  ) -> [Restriction] {
    var restrictions: [Restriction] = []
    for (place, term) in terms.enumerated() {
      guard let own = term.ownComparison else { continue }
      let index = catalog.valueIndex(own.path)
      guard
        index != nil || compound.contains(where: { $0.properties.contains(own.path.path) }),
        let search = IndexRanges(own)
      else { continue }
      let decided: Set<Int> = search.isExact ? [place] : []
      if let known = restrictions.firstIndex(where: { $0.path == own.path }) {
        restrictions[known].ranges = intersection(restrictions[known].ranges, search.ranges)
        restrictions[known].decided.formUnion(decided)
      } else {
        restrictions.append(
          Restriction(path: own.path, index: index, ranges: search.ranges, decided: decided))
      }
    }
    return restrictions
  }

  /// Returns the search of a compound index; nil where its first property is not restricted, or where an index of this
  /// property alone serves.
  private static func search(_ compound: CompoundIndex, _ restrictions: [Restriction]) -> Search? {
    var leading: [[Value]] = [[]]
    var paths: [BoundPath] = []
    var decided: Set<Int> = []
    func restriction(_ column: Int) -> Restriction? {
      guard column < compound.properties.count else { return nil }
      return restrictions.first { $0.path.path == compound.properties[column] }
    }
    for column in compound.properties.indices {
      guard let own = restriction(column) else { return nil }
      paths.append(own.path)
      decided.formUnion(own.decided)
      let values = own.ranges.compactMap(\.single)
      let combinations = leading.count * values.count
      if let next = restriction(column + 1), !values.isEmpty, values.count == own.ranges.count,
        combinations <= maximumLeading,
        combinations == 1 || combinations * next.ranges.count <= maximumRanges
      {
        leading = leading.flatMap { leading in values.map { leading + [$0] } }
        continue
      }
      guard column > 0 || own.index == nil else { return nil }
      return Search(
        index: IndexReference(own.path, in: compound, column: column),
        ranges: leading.flatMap { leading in
          own.ranges.map { EntryRange(leading: leading, $0) }
        }, paths: paths, decided: decided)
    }
    return nil
  }

  /// The largest number of combinations of values in leading columns.
  private static let maximumLeading = 200
  /// The largest number of ranges that several combinations of leading values multiply to.
  private static let maximumRanges = 4096

  /// The intersection of two sets of ranges; the ranges of a set are disjoint.
  ///
  /// - Complexity: O(n log n) for n ranges.
  static func intersection(_ first: [ValueRange], _ second: [ValueRange]) -> [ValueRange] {
    var common: [ValueRange] = []
    if first.contains(where: \.isNull), second.contains(where: \.isNull) {
      common.append(.exactly(.null))
    }
    let left = ascending(first.filter { !$0.isNull })
    let right = ascending(second.filter { !$0.isNull })
    var (one, other) = (0, 0)
    while one < left.count, other < right.count {
      let both = left[one].intersection(right[other])
      if !both.isEmpty { common.append(both) }
      if left[one].ends(before: right[other]) { one += 1 } else { other += 1 }
    }
    return common
  }

  /// The union of two sets of ranges, ascending; ranges that overlap or touch become one.
  ///
  /// - Complexity: O(n log n) for n ranges.
  static func union(_ first: [ValueRange], _ second: [ValueRange]) -> [ValueRange] {
    let all = first + second
    let nulls = all.contains(where: \.isNull) ? [ValueRange.exactly(.null)] : []
    return ascending(all.filter { !$0.isNull }).reduce(into: nulls) { union, range in
      if let last = union.last, !last.isNull, last.touches(range) {
        union[union.count - 1].extend(through: range)
      } else {
        union.append(range)
      }
    }
  }

  /// Ranges in the order of their lower bounds.
  private static func ascending(_ ranges: [ValueRange]) -> [ValueRange] {
    ranges.sorted { first, second in
      guard let start = second.lower else { return false }
      guard let own = first.lower else { return true }
      let order = own.value.ordering(start.value)
      return order == .same ? own.isIncluded && !start.isIncluded : order == .ascending
    }
  }
}

extension ValueRange {
  /// Whether no value is between the range and another one that does not begin before it.
  fileprivate func touches(_ other: ValueRange) -> Bool {
    guard let end = upper, let start = other.lower else { return true }
    switch end.value.ordering(start.value) {
    case .ascending: return false
    case .same: return end.isIncluded || start.isIncluded
    case .descending: return true
    }
  }

  /// Extends the range to the upper end of another one, which touches it.
  fileprivate mutating func extend(through other: ValueRange) {
    guard ends(before: other) else { return }
    upper = other.upper
  }

  /// Whether the range has its upper end below that of another.
  fileprivate func ends(before other: ValueRange) -> Bool {
    guard let upper else { return false }
    guard let end = other.upper else { return true }
    switch upper.value.ordering(end.value) {
    case .ascending: return true
    case .same: return !upper.isIncluded
    case .descending: return false
    }
  }
}
