import CadastreModel
import CadastrePredicate

/// Offers a spatial index where a term asks for a region or for one exact place.
struct SpatialSearchSource: AccessPathSource {
  let kind = AccessPath.Kind.spatialSearch

  func offers(
    _ className: String, _ terms: [QueryPredicate], _ catalog: any Catalog, _ costs: CostModel
  ) -> [AccessPathOffer] {
    regions(className, terms, catalog, costs)
      + terms.compactMap { spot(className, $0, terms, catalog, costs) }
  }

  /// Offers one search for all terms that ask in which regions the same point lies.
  ///
  ///     place GEOWITHIN $0 AND NOT (place GEOWITHIN $1 OR place GEOWITHIN $2)
  ///
  /// Rows without a point are in no index, so one of the terms must leave them out.
  private func regions(
    _ className: String, _ terms: [QueryPredicate], _ catalog: any Catalog, _ costs: CostModel
  ) -> [AccessPathOffer] {
    var order: [PropertyPath] = []
    var places: [PropertyPath: [Int]] = [:]
    for (place, term) in terms.enumerated() {
      guard let path = term.pointPath, catalog.hasSpatialIndex(className, path) else { continue }
      if places[path] == nil { order.append(path) }
      places[path, default: []].append(place)
    }
    return order.compactMap { path in
      let places = places[path] ?? []
      let inside = QueryPredicate.all(places.map { terms[$0] })
      guard !inside.matchesNowhere else { return nil }
      let rows = catalog.estimatedRows(className, path, inside)
      return AccessPathOffer(
        access: .spatialSearch(className: className, path: path, inside), decided: Set(places),
        rows: rows, cost: costs.spatialDescent + rows * costs.spatialStep)
    }
  }

  /// Offers the rows at one place, to be compared in full.
  ///
  ///     location.type == 'Point' AND location.coordinates == {2.35, 48.86}
  ///
  /// Without a type that makes it a place, odd points can have the coordinates too, and those are in
  /// no spatial index.
  private func spot(
    _ className: String, _ term: QueryPredicate, _ terms: [QueryPredicate],
    _ catalog: any Catalog, _ costs: CostModel
  ) -> AccessPathOffer? {
    guard let (comparison, path) = term.ownComparison(in: catalog.schema, className),
      comparison.operation == .equal, path.properties.count > 1,
      path.leaf.name == ObjectSchema.pointCoordinatesName,
      catalog.schema.isPoint(path.properties[path.properties.count - 2]),
      case .list(let values) = comparison.right
    else { return nil }
    let owner = PropertyPath(Array(path.path.names.dropLast()))
    let coordinates = values.compactMap(\.doubleValue)
    let places = terms.lazy.compactMap { type(of: owner, $0) }
      .compactMap { PointShape.place(type: $0, coordinates: coordinates) }
    guard let (longitude, latitude) = places.first, catalog.hasSpatialIndex(className, owner) else {
      return nil
    }
    return AccessPathOffer(
      access: .placeSearch(
        className: className, path: owner, longitude: longitude, latitude: latitude),
      decided: [], rows: 1, cost: costs.spatialDescent)
  }

  /// The type that a term asks of the point at a path.
  private func type(of point: PropertyPath, _ term: QueryPredicate) -> String? {
    guard case .comparison(let comparison) = term, comparison.operation == .equal,
      case .property(point.appending(ObjectSchema.pointTypeName)) = comparison.left,
      case .value(.string(let type)) = comparison.right, comparison.options.isEmpty
    else { return nil }
    return type
  }
}
