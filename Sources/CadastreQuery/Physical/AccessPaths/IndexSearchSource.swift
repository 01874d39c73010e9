import CadastreModel
import CadastrePredicate

/// Offers an ordered index where a term compares its property with constants.
///
/// Lower and upper bounds on the same property become one range.
struct IndexSearchSource: AccessPathSource {
  let kind = AccessPath.Kind.indexSearch

  func mayServe(_ terms: [BoundPredicate], _ catalog: any Catalog) -> Bool {
    terms.contains { $0.ownComparison.map { catalog.valueIndex($0.path) != nil } ?? false }
  }

  func offers(
    _ className: String, _ terms: [BoundPredicate], _ catalog: any Catalog, _ costs: CostModel
  ) -> [AccessPathOffer] {
    var searches: [(index: IndexReference, ranges: [ValueRange], decided: Set<Int>)] = []
    for (place, term) in terms.enumerated() {
      guard let own = term.ownComparison, let index = catalog.valueIndex(own.path),
        let search = IndexRanges(own)
      else { continue }
      let decided: Set<Int> = search.isExact ? [place] : []
      if let known = searches.firstIndex(where: { $0.index == index }) {
        searches[known].ranges = Self.intersection(searches[known].ranges, search.ranges)
        searches[known].decided.formUnion(decided)
      } else {
        searches.append((index, search.ranges, decided))
      }
    }
    return searches.map { offer($0.index, $0.ranges, $0.decided, catalog, costs) }
  }

  private func offer(
    _ index: IndexReference, _ ranges: [ValueRange], _ decided: Set<Int>, _ catalog: any Catalog,
    _ costs: CostModel
  ) -> AccessPathOffer {
    let rows = catalog.estimatedRows(index, ranges)
    return AccessPathOffer(
      access: .indexSearch(index, ranges: ranges), decided: decided, rows: rows,
      cost: Double(ranges.count) * costs.indexDescent + rows * costs.indexStep)
  }

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
