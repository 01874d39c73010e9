import CadastreModel
import CadastrePredicate

/// Offers an ordered index where a term asks for ranges of its property.
///
/// Lower and upper bounds on the same property become one range.
struct IndexSearchSource: AccessPathSource {
  let kind = AccessPath.Kind.indexSearch

  func offers(
    _ className: String, _ terms: [QueryPredicate], _ catalog: any Catalog, _ costs: CostModel
  ) -> [AccessPathOffer] {
    var order: [PropertyPath] = []
    var found: [PropertyPath: (ranges: [ValueRange], decided: Set<Int>)] = [:]
    for (place, term) in terms.enumerated() {
      guard let (comparison, path) = term.ownComparison(in: catalog.schema, className),
        catalog.hasValueIndex(className, path.path),
        let search = IndexRanges(comparison, on: path)
      else { continue }
      let ranges = search.ranges
      let decided: Set<Int> = search.isExact ? [place] : []
      if let known = found[path.path] {
        found[path.path] = (
          Self.intersection(known.ranges, ranges), known.decided.union(decided)
        )
      } else {
        order.append(path.path)
        found[path.path] = (ranges, decided)
      }
    }
    return order.compactMap { path in
      found[path].map { offer(className, path, $0.ranges, $0.decided, catalog, costs) }
    }
  }

  private func offer(
    _ className: String, _ path: PropertyPath, _ ranges: [ValueRange], _ decided: Set<Int>,
    _ catalog: any Catalog, _ costs: CostModel
  ) -> AccessPathOffer {
    let rows = catalog.estimatedRows(className, path, ranges)
    return AccessPathOffer(
      access: .indexSearch(className: className, path: path, ranges: ranges), decided: decided,
      rows: rows, cost: Double(ranges.count) * costs.indexDescent + rows * costs.indexStep)
  }

  /// What two sets of ranges have in common.
  static func intersection(_ first: [ValueRange], _ second: [ValueRange]) -> [ValueRange] {
    first.flatMap { one in
      second.compactMap { other in
        let common = one.intersection(other)
        return common.isEmpty ? nil : common
      }
    }
  }
}
