public import CadastreGeometry
import CadastreModel
import CadastrePredicate

extension Query where Value: GeometryProperty {
  /// Matches points within a distance of a point, along the sphere, the exact distance included.
  public func within(_ distance: Distance, of point: GeoPoint) -> Query<Bool> {
    geoWithin(GeoCircle(center: point, radius: distance))
  }
}

extension Query where Value: Persistable & MappedPersistable, Value.StoredType: EmbeddedObject {
  /// Lies in a region, its border included; a value that is stored as a point.
  public func geoWithin(
    _ region: some GeoRegion, edges: EdgeModel = .spherical
  ) -> Query<Bool> { relation(.within, region.shape, edges) }

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
