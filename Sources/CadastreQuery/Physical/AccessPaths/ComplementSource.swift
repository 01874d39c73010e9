import CadastreModel
import CadastrePredicate

/// Offers all rows except those of a spatial search, where a term excludes a region.
///
///     NOT place GEOWITHIN $0
///
/// A row without a point is outside every region, and in no spatial index.
struct ComplementSource: AccessPathSource {
  let kind = AccessPath.Kind.complement
  /// The access paths for a conjunction.
  let offers: (String, [BoundPredicate]) -> [AccessPathOffer]

  func mayServe(_ terms: [BoundPredicate], _ catalog: any Catalog) -> Bool {
    terms.contains { $0.matchesMissingPoint && $0.pointPath != nil }
  }

  func offers(
    _ className: String, _ terms: [BoundPredicate], _ catalog: any Catalog, _ costs: CostModel
  ) -> [AccessPathOffer] {
    terms.enumerated().compactMap { place, term in
      guard term.matchesMissingPoint, let path = term.pointPath, catalog.spatialIndex(path) != nil
      else { return nil }
      let outside = offers(className, [term.negated])
      guard let left = outside.first(where: { $0.access.kind == .spatialSearch })
      else { return nil }
      let objects = Double(catalog.objectCount(className))
      let share = catalog.cachedShare(className, [])
      return AccessPathOffer(
        access: .complement(className: className, left.access), decided: [place],
        rows: max(0, objects - left.rows),
        cost: left.cost + left.rows * costs.keyStep + costs.scanStart
          + objects * (share * costs.keyStep + (1 - share) * costs.keyScanStep))
    }
  }
}
