import CadastrePredicate

/// Offers a spatial index in order of distance where only the first few by distance are wanted.
struct NearestSearchSource {
  let catalog: any Catalog
  let costs: CostModel

  /// The way, if the question is sorted by the distance of an indexed point alone, and cut.
  func candidate(
    _ query: ObjectQuery, _ terms: [QueryPredicate], others: [Candidate]
  ) -> Candidate? {
    guard query.order.count == 1, let origin = query.order[0].origin, query.order[0].isAscending,
      let needed = query.rowsNeeded,
      catalog.hasSpatialIndex(query.className, query.order[0].path)
    else { return nil }
    let objects = Double(catalog.objectCount(query.className))
    let rows = others.rowsUntil(needed, match: terms, of: objects)
    return Candidate(
      access: .nearestSearch(
        className: query.className, path: query.order[0].path, origin),
      decided: [],
      estimate: Estimate(
        rows: rows, cost: costs.spatialDescent + rows * (costs.rowRead + costs.indexStep)))
  }
}
