import CadastreModel
import CadastrePredicate

/// Offers the primary key where a term asks for one or several of its values.
struct KeyLookupSource: AccessPathSource {
  let kind = AccessPath.Kind.keyLookup

  func offers(
    _ className: String, _ terms: [QueryPredicate], _ catalog: any Catalog, _ costs: CostModel
  ) -> [AccessPathOffer] {
    terms.enumerated().compactMap { place, term in
      guard let (comparison, path) = term.ownComparison(in: catalog.schema, className),
        path.leaf.isPrimaryKey, path.properties.count == 1,
        comparison.operation == .equal || comparison.operation == .isIn,
        let found = IndexRanges(comparison, on: path)
      else { return nil }
      let values = found.ranges.compactMap(\.single)
      return AccessPathOffer(
        access: .keyLookup(className: className, path: path.path, values: values),
        decided: [place], rows: Double(values.count),
        cost: Double(values.count) * costs.indexDescent)
    }
  }
}
