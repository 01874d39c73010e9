import CadastrePredicate

/// Offers a spatial index in order of distance where only the first few by distance are wanted.
struct NearestSearchSource {
  let catalog: any Catalog
  let costs: CostModel

  /// The way, if the question is sorted by the distance of an indexed point alone, and cut.
  ///
  /// How many rows must be looked at until enough match follows from the most selective of the
  /// other ways; terms that no index can judge are taken to leave a third each.
  func candidate(
    _ query: ObjectQuery, _ terms: [QueryPredicate], others: [Candidate]
  ) -> Candidate? {
    guard query.order.count == 1, let origin = query.order[0].origin, query.order[0].isAscending,
      let needed = query.rowsNeeded,
      catalog.hasSpatialIndex(query.className, query.order[0].path)
    else { return nil }
    let objects = Double(catalog.objectCount(query.className))
    let fewest = others.min { $0.estimate.rows < $1.estimate.rows }
    let judged = fewest.map { $0.estimate.rows / max(1, objects) } ?? 1
    let unjudged = terms.count { $0 != .constant(true) } - (fewest?.decided.count ?? 0)
    let share = max(1e-6, judged) * (0..<max(0, unjudged)).reduce(1.0) { share, _ in share / 3 }
    let rows = min(objects, (Double(needed) + 1) / share)
    return Candidate(
      access: .nearestSearch(
        className: query.className, path: query.order[0].path, origin),
      decided: [],
      estimate: Estimate(
        rows: rows, cost: costs.spatialDescent + rows * (costs.rowRead + costs.indexStep)))
  }
}
