import CadastrePredicate

/// Offers a spatial index in order of distance where only the first few by distance are wanted.
struct NearestSearchSource {
  let catalog: any Catalog
  let costs: CostModel

  /// The way, if the question is sorted by the distance of an indexed point alone, and cut.
  func candidate(
    _ query: BoundQuery, _ terms: [BoundPredicate], others: [Candidate]
  ) -> Candidate? {
    guard query.order.count == 1, let key = query.order.first, key.isAscending,
      case .distance(let origin) = key.criterion, let needed = query.rowsNeeded,
      let index = catalog.spatialIndex(key.path)
    else { return nil }
    let objects = Double(catalog.objectCount(query.className))
    let rows = others.rowsUntil(needed, match: terms, of: objects)
    return Candidate(
      access: .nearestSearch(index, origin), decided: [],
      estimate: Estimate(
        rows: rows, cost: costs.spatialDescent + rows * (costs.rowRead + costs.indexStep)))
  }
}
