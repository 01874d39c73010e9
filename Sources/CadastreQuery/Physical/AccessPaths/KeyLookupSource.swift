import CadastreModel
import CadastrePredicate

/// Offers the primary key where a term compares it with one or several values.
struct KeyLookupSource: AccessPathSource {
  let kind = AccessPath.Kind.keyLookup

  func mayServe(_ terms: [BoundPredicate], _ catalog: any Catalog) -> Bool {
    terms.contains { $0.ownComparison?.leaf.isPrimaryKey == true }
  }

  func offers(
    _ className: String, _ terms: [BoundPredicate], _ catalog: any Catalog, _ costs: CostModel
  ) -> [AccessPathOffer] {
    terms.enumerated().compactMap { place, term in
      guard let own = term.ownComparison, own.leaf.isPrimaryKey, own.properties.count == 1,
        own.comparison.operation == .equal || own.comparison.operation == .isIn,
        let search = IndexRanges(own)
      else { return nil }
      let values = search.ranges.compactMap(\.single)
      return AccessPathOffer(
        access: .keyLookup(path: own.path, values: values),
        decided: [place], rows: Double(values.count),
        cost: Double(values.count) * costs.keyLookup)
    }
  }
}
