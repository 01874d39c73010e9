package import CadastreGeometry
import CadastreModel
import CadastrePredicate

/// A region given with options of the command line; it applies to the first point of a class, or to its
/// first geometry, which must have a point in the region.
package enum RegionCondition: Sendable {
  /// A circle: `--within 50km --of 2.35,48.86`.
  case circle(GeoCircle)
  /// A box between meridians and parallels: `--bbox W,S,E,N`.
  case box(BoundingBox)

  /// Returns the condition on the objects of a class.
  ///
  /// - Parameters:
  ///   - className: The class.
  ///   - schema: The schema of the store.
  /// - Returns: The condition.
  /// - Throws: ``QueryPredicateError`` if the class has neither a point nor a geometry.
  func predicate(
    _ className: String, _ schema: Schema
  ) throws(QueryPredicateError) -> QueryPredicate {
    guard let property = try schema.queriedClass(className).place(in: schema) else {
      throw QueryPredicateError(.invalidQuery, "class '\(className)' has no point and no geometry")
    }
    let path = PropertyPath([property.name])
    let regions: [(shape: GeoShape, edges: EdgeModel)] =
      switch self {
      case .circle(let circle): [(.circle(circle), .spherical)]
      case .box(let box): box.parts.map { (.box($0), .planar) }
      }
    return .any(
      regions.map { region in
        schema.isPoint(property)
          ? .geoWithin(GeoWithin(path, region.shape, edges: region.edges))
          : .relation(
            GeometryRelation(.path(path), .intersects, .region(region.shape), edges: region.edges))
      })
  }
}

extension BoundingBox {
  /// The boxes whose west is not greater than their east: two for a box that crosses ±180°.
  fileprivate var parts: [GeoBox] {
    (west <= east ? [(west, east)] : [(west, 180), (-180, east)]).compactMap {
      GeoBox(
        bottomLeft: (latitude: max(south, -90), longitude: max($0.0, -180)),
        topRight: (latitude: min(north, 90), longitude: min($0.1, 180)))
    }
  }
}
