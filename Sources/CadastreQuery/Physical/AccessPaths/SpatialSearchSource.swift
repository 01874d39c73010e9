import CadastreModel
import CadastrePredicate

/// Offers a spatial index where a term restricts a point to regions or to one exact position, or a
/// geometry by its relation to a constant or by its distance from one.
struct SpatialSearchSource: AccessPathSource {
  let kind = AccessPath.Kind.spatialSearch

  func mayServe(_ terms: [BoundPredicate], _ catalog: any Catalog) -> Bool {
    terms.contains { term in
      term.pointPath.map { catalog.spatialIndex($0) != nil } ?? false
        || term.indexedRelation.map { catalog.spatialIndex($0.left) != nil } ?? false
        || DistanceSearch(term).map { catalog.spatialIndex($0.path) != nil } ?? false
        || term.ownComparison?.leaf.name == ObjectSchema.pointCoordinatesName
    }
  }

  func offers(
    _ className: String, _ terms: [BoundPredicate], _ catalog: any Catalog, _ costs: CostModel
  ) -> [AccessPathOffer] {
    regions(className, terms, catalog, costs)
      + terms.enumerated().compactMap { relation($1, at: $0, catalog, costs) }
      + terms.compactMap { distance($0, catalog, costs) }
      + terms.compactMap { spot(className, $0, terms, catalog, costs) }
  }

  /// Offers one search for all terms on the regions of the same point.
  ///
  ///     place GEOWITHIN $0 AND NOT (place GEOWITHIN $1 OR place GEOWITHIN $2)
  ///
  /// Rows without a point are in no spatial index, so the terms together must exclude them.
  private func regions(
    _ className: String, _ terms: [BoundPredicate], _ catalog: any Catalog, _ costs: CostModel
  ) -> [AccessPathOffer] {
    var order: [IndexReference] = []
    var places: [IndexReference: [Int]] = [:]
    for (place, term) in terms.enumerated() {
      guard let path = term.pointPath, let index = catalog.spatialIndex(path) else { continue }
      if places[index] == nil { order.append(index) }
      places[index, default: []].append(place)
    }
    return order.compactMap { index in
      let places = places[index] ?? []
      let term = BoundPredicate.all(places.map { terms[$0] })
      guard !term.matchesMissingPoint, let inside = PositionPredicate(term) else { return nil }
      let rows = catalog.estimatedRows(index, inside)
      return AccessPathOffer(
        access: .spatialSearch(index, inside), decided: Set(places), rows: rows,
        cost: costs.spatialDescent + rows * costs.spatialStep)
    }
  }

  /// Offers the geometries in a relation to a constant.
  ///
  ///     border GEOINTERSECTS $0
  private func relation(
    _ term: BoundPredicate, at place: Int, _ catalog: any Catalog, _ costs: CostModel
  ) -> AccessPathOffer? {
    guard let relation = term.indexedRelation, let index = catalog.spatialIndex(relation.left)
    else { return nil }
    let rows = catalog.estimatedRows(index, relation)
    return AccessPathOffer(
      access: .relationSearch(index, relation), decided: [place], rows: rows,
      cost: costs.spatialDescent + rows * costs.relationTest)
  }

  /// Offers the geometries within the greatest distance of all rows, to be compared in full.
  ///
  ///     GEODISTANCE(center, $0) <= radius
  private func distance(
    _ term: BoundPredicate, _ catalog: any Catalog, _ costs: CostModel
  ) -> AccessPathOffer? {
    guard let search = DistanceSearch(term), let index = catalog.spatialIndex(search.path),
      let reach = search.reach(catalog.bounds)
    else { return nil }
    let rows = catalog.estimatedRows(index, reach)
    return AccessPathOffer(
      access: .distanceSearch(index, search), decided: [], rows: rows,
      cost: costs.spatialDescent + rows * costs.relationTest)
  }

  /// Offers the rows at one position, to be compared in full.
  ///
  ///     location.type == 'Point' AND location.coordinates == {2.35, 48.86}
  ///
  /// Without the type `Point`, objects that are no valid points can have the coordinates too, and
  /// those are in no spatial index.
  private func spot(
    _ className: String, _ term: BoundPredicate, _ terms: [BoundPredicate],
    _ catalog: any Catalog, _ costs: CostModel
  ) -> AccessPathOffer? {
    guard let own = term.ownComparison, own.comparison.operation == .equal,
      own.leaf.name == ObjectSchema.pointCoordinatesName,
      let owner = own.path.droppingLast(),
      own.properties.dropLast().last?.target.contains(.point) == true,
      case .list(let values) = own.comparison.right
    else { return nil }
    let coordinates = values.compactMap(\.doubleValue)
    let places = terms.lazy.compactMap { type(of: owner, $0) }
      .compactMap { PointShape.location(type: $0, coordinates: coordinates) }
    guard let (longitude, latitude) = places.first, let index = catalog.spatialIndex(owner) else {
      return nil
    }
    return AccessPathOffer(
      access: .pointSearch(index, longitude: longitude, latitude: latitude), decided: [], rows: 1,
      cost: costs.spatialDescent)
  }

  /// The type that a term requires of the point at a path.
  private func type(of point: BoundPath, _ term: BoundPredicate) -> String? {
    guard let own = term.ownComparison, own.comparison.operation == .equal,
      own.leaf.name == ObjectSchema.pointTypeName, own.path.droppingLast() == point,
      case .value(.string(let type)) = own.comparison.right, own.comparison.options.isEmpty
    else { return nil }
    return type
  }
}

extension BoundPredicate {
  /// The relation of one geometry to a constant that a spatial index can find; nil for others.
  fileprivate var indexedRelation: BoundRelation? {
    guard case .relation(let relation) = self, relation.quantifier == .any,
      relation.right.constant != nil
    else { return nil }
    switch relation.kind {
    case .distance(.greater, _), .distance(.greaterOrEqual, _), .disjoint: return nil
    default: return relation
    }
  }
}
