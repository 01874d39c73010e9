public import CadastreGeometry
import CadastreModel

/// A region or a geometry that others are tested to lie in, as in `#Predicate`.
public protocol GeometryContainer: GeometryOperand {}

extension Geometry: GeometryContainer {}
extension GeoBox: GeometryContainer {}
extension GeoCircle: GeometryContainer {}
extension GeoPolygon: GeometryContainer {}
extension GeoShape: GeometryContainer {}

extension GeometryContainer {
  /// Returns whether every point of a geometry lies in this region or geometry, its border included.
  ///
  /// Edges run along great circles. In `#Predicate` it is the relation `GEOWITHIN`.
  ///
  /// - Parameter geometry: The geometry.
  /// - Returns: False also for nil and for an empty geometry.
  public func contains(_ geometry: Geometry?) -> Bool {
    geometry.map { prepared.covers(PreparedGeometry($0, edges: .spherical)) } ?? false
  }

  /// Returns whether an embedded object in the shape of a GeoJSON point lies in this region or
  /// geometry, its border included.
  ///
  ///     try realm.objects(Airport.self).filter(#Predicate { france.contains($0.location) })
  ///
  /// - Parameter point: The embedded object.
  /// - Returns: False also for nil, and for an object that is no valid point.
  public func contains(_ point: EmbeddedObject?) -> Bool {
    contains(point.flatMap(\.location).map { Geometry($0) })
  }

  private var prepared: PreparedGeometry {
    switch relationSide {
    case .geometry(let geometry): PreparedGeometry(geometry, edges: .spherical)
    case .region(let shape): PreparedGeometry(region: shape, edges: .spherical)
    case .path, .objects: PreparedGeometry(Geometry(), edges: .spherical)
    }
  }
}

extension EmbeddedObject {
  /// The place of an object in the shape of a GeoJSON point; nil for an object that is no valid
  /// point.
  fileprivate var location: GeoPoint? {
    guard case .string(let type)? = content(of: ObjectSchema.pointTypeName)?.value,
      case .elements(let elements)? = content(of: ObjectSchema.pointCoordinatesName)
    else { return nil }
    return PointShape.location(
      type: type, coordinates: elements.compactMap { $0.value?.doubleValue }
    ).flatMap { GeoPoint(latitude: $0.latitude, longitude: $0.longitude) }
  }
}
