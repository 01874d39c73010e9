import CadastrePredicate

/// Offers a spatial index in order of distance where a limit needs only the nearest rows.
struct NearestSearchSource {
  let catalog: any Catalog
  let costs: CostModel
  /// The cost of reading a row by its key.
  let fetch: Double

  /// The access path, if the query is ordered by the distance of an indexed point alone, and
  /// limited.
  func candidate(_ query: BoundQuery, _ selectivity: Selectivity) -> Candidate? {
    // The index lacks the objects without a point, which are last unless the order has null first.
    guard query.order.count == 1, let key = query.order.first, key.isAscending,
      key.nulls != .first, case .distance(let origin) = key.criterion,
      let needed = query.rowsNeeded,
      let index = catalog.spatialIndex(key.path)
    else { return nil }
    let rows = selectivity.rowsUntil(Double(needed), match: selectivity.conditions) {
      $0 * (fetch + costs.nearestStep)
    }
    guard rows <= Double(RowsInOrder.most(of: catalog.objectCount(query.className))) else {
      return nil
    }
    return Candidate(
      access: .nearestSearch(index, origin), decided: [],
      estimate: Estimate(
        rows: rows,
        cost: costs.spatialDescent + rows * (fetch + costs.nearestStep)
          + costs.sorting(rows, for: query)))
  }
}
