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
    let isNull = { (range: ValueRange) in range.single?.isNull == true }
    var common: [ValueRange] = []
    if first.contains(where: isNull), second.contains(where: isNull) {
      common.append(.exactly(.null))
    }
    let left = ascending(first.filter { !isNull($0) })
    let right = ascending(second.filter { !isNull($0) })
    var (one, other) = (0, 0)
    while one < left.count, other < right.count {
      let both = left[one].intersection(right[other])
      if !both.isEmpty { common.append(both) }
      if left[one].ends(before: right[other]) { one += 1 } else { other += 1 }
    }
    return common
  }

  private static func ascending(_ ranges: [ValueRange]) -> [ValueRange] {
    ranges.sorted { first, second in
      guard let start = second.lower else { return false }
      return first.lower.map { $0.value.ordering(start.value) == .ascending } ?? true
    }
  }
}

extension ValueRange {
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
