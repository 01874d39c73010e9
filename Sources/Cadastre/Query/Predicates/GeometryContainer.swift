public import CadastreGeometry
import CadastreModel

/// A region or a geometry that others are tested to lie in, as in `#Predicate`.
public protocol GeometryContainer: GeometryOperand, GeometryMembers {}

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
    GeometrySet(self, .within).contains(geometry)
  }

  /// Returns whether an embedded object in the shape of a GeoJSON point lies in this region or
  /// geometry, its border included.
  ///
  ///     try realm.objects(Airport.self).filter(#Predicate { france.contains($0.location) })
  ///
  /// - Parameter point: The embedded object.
  /// - Returns: False also for nil, and for an object that is no valid point.
  public func contains(_ point: EmbeddedObject?) -> Bool {
    GeometrySet(self, .within).contains(point)
  }

  /// The geometries that lie in this one, its border included: `GEOWITHIN`.
  ///
  /// `covered.contains(a)` is `contains(a)`; `covered.planar.contains(a)` takes planar edges.
  public var covered: GeometrySet { GeometrySet(self, .within) }

  /// The geometries that have a point in common with this one: `GEOINTERSECTS`.
  ///
  ///     try realm.objects(Road.self).filter(#Predicate { france.intersecting.contains($0.course) })
  public var intersecting: GeometrySet { GeometrySet(self, .intersects) }

  /// The geometries that have the same points as this one: `GEOEQUALS`.
  public var equalling: GeometrySet { GeometrySet(self, .equals) }

  /// The geometries that touch this one, with planar edges: `GEOTOUCHES[planar]`.
  public var touching: GeometrySet { GeometrySet(self, .touches) }

  /// The geometries that cross this one, with planar edges: `GEOCROSSES[planar]`.
  public var crossing: GeometrySet { GeometrySet(self, .crosses) }

  /// The geometries that overlap this one, with planar edges: `GEOOVERLAPS[planar]`.
  public var overlapping: GeometrySet { GeometrySet(self, .overlaps) }

  /// The distances of geometries from this one, in metres: `GEODISTANCE`.
  ///
  ///     try realm.objects(Road.self).filter(#Predicate { france.distances[$0.course] < 5_000 })
  public var distances: GeometryDistances { GeometryDistances(side: relationSide) }
}
