import CadastreModel
import CadastrePredicate

/// Offers a full-text index where a term matches words.
struct TextSearchSource: AccessPathSource {
  let kind = AccessPath.Kind.textSearch

  func mayServe(_ terms: [BoundPredicate], _ catalog: any Catalog) -> Bool {
    terms.contains { term in
      if case .comparison(let comparison) = term, case .pattern(.words) = comparison.right {
        true
      } else {
        false
      }
    }
  }

  func offers(
    _ className: String, _ terms: [BoundPredicate], _ catalog: any Catalog, _ costs: CostModel
  ) -> [AccessPathOffer] {
    terms.enumerated().compactMap { place, term in
      guard case .comparison(let comparison) = term, case .property(let path) = comparison.left,
        case .pattern(.words(let pattern, _)) = comparison.right, !pattern.included.isEmpty,
        let index = catalog.textIndex(path)
      else { return nil }
      let rows = catalog.estimatedRows(index, pattern)
      return AccessPathOffer(
        access: .textSearch(index, pattern), decided: [place],
        rows: rows, cost: costs.textDescent + rows * costs.indexStep)
    }
  }
}
