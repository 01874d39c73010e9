import CadastreModel
import CadastrePredicate

/// Offers a spatial index where a term asks for a region or for one exact place.
struct SpatialSearchSource: AccessPathSource {
  let kind = AccessPath.Kind.spatialSearch

  func offers(
    _ className: String, _ terms: [QueryPredicate], _ catalog: any Catalog, _ costs: CostModel
  ) -> [AccessPathOffer] {
    terms.enumerated().compactMap { place, term in
      region(className, term, place, catalog, costs) ?? spot(className, term, catalog, costs)
    }
  }

  private func region(
    _ className: String, _ term: QueryPredicate, _ place: Int, _ catalog: any Catalog,
    _ costs: CostModel
  ) -> AccessPathOffer? {
    guard case .geoWithin(let within) = term, catalog.hasSpatialIndex(className, within.path) else {
      return nil
    }
    let rows = catalog.estimatedRows(className, within)
    return AccessPathOffer(
      access: .spatialSearch(className: className, within), decided: [place], rows: rows,
      cost: costs.spatialDescent + rows * costs.spatialStep)
  }

  /// `location.coordinates == {2.35, 48.86}`: the rows at that place, to be compared in full.
  private func spot(
    _ className: String, _ term: QueryPredicate, _ catalog: any Catalog, _ costs: CostModel
  ) -> AccessPathOffer? {
    guard let (comparison, path) = term.ownComparison(in: catalog.schema, className),
      comparison.operation == .equal, path.properties.count > 1,
      case .list(let values) = comparison.right, values.count >= 2,
      let longitude = values[0].doubleValue, let latitude = values[1].doubleValue,
      abs(longitude) <= 180, abs(latitude) <= 90
    else { return nil }
    let owner = PropertyPath(Array(path.path.names.dropLast()))
    let isPoint = catalog.schema.isPoint(path.properties[path.properties.count - 2])
    guard isPoint, path.leaf.name == ObjectSchema.pointCoordinatesName,
      catalog.hasSpatialIndex(className, owner)
    else { return nil }
    return AccessPathOffer(
      access: .placeSearch(
        className: className, path: owner, longitude: longitude, latitude: latitude),
      decided: [], rows: 1, cost: costs.spatialDescent)
  }
}
