public import CadastreGeometry
import CadastreModel
import CadastrePredicate

extension Query {
  /// Lies in a region, its border included.
  ///
  /// The property must be an embedded object in the shape of a GeoJSON point: `type`, a string, and
  /// `coordinates`, longitude first. Behind a collection one of the points must lie there.
  ///
  /// - Parameters:
  ///   - region: A circle, box or polygon; one that is not valid stops the process.
  ///   - edges: How the edges of boxes and polygons run: along great circles, or straight in
  ///     degrees.
  /// - Returns: The condition.
  public func geoWithin<Wrapped: EmbeddedObject>(
    _ region: some GeoRegion, edges: EdgeModel = .spherical
  ) -> Query<Bool> where Value == Wrapped? { lies(in: region.shape, edges) }

  /// Matches points within a distance of a point, along the sphere, the exact distance included.
  public func within<Wrapped: EmbeddedObject>(
    _ distance: Distance, of point: GeoPoint
  ) -> Query<Bool> where Value == Wrapped? {
    geoWithin(GeoCircle(center: point, radius: distance))
  }

  private func lies(in shape: GeoShape, _ edges: EdgeModel) -> Query<Bool> {
    condition { side in
      guard let path = side.path else { ProgrammingError.stop("Only a property lies in a region.") }
      return .geoWithin(GeoWithin(path, shape, edges: edges))
    }
  }
}

extension Query where Value: QueryableCollection, Value.QueryElement: EmbeddedObject {
  /// Holds a point that lies in a region, its border included.
  public func geoWithin(
    _ region: some GeoRegion, edges: EdgeModel = .spherical
  ) -> Query<Bool> { lies(in: region.shape, edges) }

  /// Matches collections with a point within a distance of a point, along the sphere.
  public func within(_ distance: Distance, of point: GeoPoint) -> Query<Bool> {
    geoWithin(GeoCircle(center: point, radius: distance))
  }
}

extension Query where Value: Persistable & MappedPersistable, Value.StoredType: EmbeddedObject {
  /// Lies in a region, its border included; a value that is stored as a point.
  public func geoWithin(
    _ region: some GeoRegion, edges: EdgeModel = .spherical
  ) -> Query<Bool> { lies(in: region.shape, edges) }

  /// Matches values stored as points within a distance of a point, along the sphere.
  public func within(_ distance: Distance, of point: GeoPoint) -> Query<Bool> {
    geoWithin(GeoCircle(center: point, radius: distance))
  }
}

extension Operand {
  /// The path of the property.
  var path: PropertyPath? {
    switch self {
    case .property(let path), .elements(_, let path): path
    default: nil
    }
  }
}
