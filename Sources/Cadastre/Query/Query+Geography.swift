public import CadastreGeometry
import CadastrePredicate

extension Query {
  /// Lies in a region, its border included.
  ///
  /// The property must be an embedded object in the shape of a GeoJSON point: `type`, a string, and
  /// `coordinates`, longitude first.
  ///
  /// - Parameters:
  ///   - region: A circle, box or polygon; one that is not valid stops the process.
  ///   - edges: How the edges of boxes and polygons run: along great circles, or straight in degrees.
  /// - Returns: The condition.
  public func geoWithin<Wrapped: EmbeddedObject>(
    _ region: some GeoRegion, edges: EdgeModel = .spherical
  ) -> Query<Bool> where Value == Wrapped? {
    Query<Bool>(.geoWithin(GeoWithin(path, region.shape, edges: edges)))
  }
}
