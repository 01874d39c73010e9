import CadastreModel
import CadastrePredicate

/// Offers a full-text index where a term asks for words.
struct TextSearchSource: AccessPathSource {
  let kind = AccessPath.Kind.textSearch

  func offers(
    _ className: String, _ terms: [QueryPredicate], _ catalog: any Catalog, _ costs: CostModel
  ) -> [AccessPathOffer] {
    terms.enumerated().compactMap { place, term in
      guard case .comparison(let comparison) = term, comparison.operation == .text,
        case .property(let path) = comparison.left,
        case .value(.string(let text)) = comparison.right, let pattern = try? TextPattern(text),
        !pattern.included.isEmpty, catalog.hasTextIndex(className, path)
      else { return nil }
      let rows = catalog.estimatedRows(className, path, pattern)
      return AccessPathOffer(
        access: .textSearch(className: className, path: path, pattern), decided: [place],
        rows: rows, cost: costs.textDescent + rows * costs.indexStep)
    }
  }
}
