import CadastreModel
import CadastrePredicate

/// Offers an ordered index in its order where a limit needs only the first rows.
struct OrderedSearchSource {
  let catalog: any Catalog
  let costs: CostModel

  /// The access path, if the query is ordered by one indexed property alone, and limited.
  func candidate(
    _ query: BoundQuery, _ terms: [BoundPredicate], others: [Candidate]
  ) -> Candidate? {
    guard query.order.count == 1, let key = query.order.first, key.criterion == .value,
      let needed = query.rowsNeeded, let index = catalog.valueIndex(key.path),
      case .value(let type) = key.path.end, Self.isOrderedAlike(type),
      // An index has null for a missing embedded object, which sorts after all values.
      key.isAscending || key.path.hops.count == 1
    else { return nil }
    let objects = Double(catalog.objectCount(query.className))
    let rows = others.rowsUntil(needed, match: terms, of: objects)
    return Candidate(
      access: .orderedSearch(index, isAscending: key.isAscending), decided: [],
      estimate: Estimate(
        rows: rows, cost: costs.indexDescent + rows * (costs.rowRead + costs.indexStep)))
  }

  /// Whether SQLite orders all values of a type as the executor does: not fractions, since NaN is
  /// stored as bytes.
  private static func isOrderedAlike(_ type: PropertyType) -> Bool {
    switch type {
    case .int, .bool, .date, .string: true
    case .float, .double, .data, .objectId, .decimal128, .UUID, .geometry, .any, .object,
      .linkingObjects:
      false
    }
  }
}
