public import CadastreGeometry
import CadastreModel
import CadastrePredicate

/// A set of geometries for membership tests in `#Predicate`.
public protocol GeometryMembers {
  /// Returns whether a geometry is a member.
  func contains(_ geometry: Geometry?) -> Bool
  /// Returns whether an embedded object in the shape of a GeoJSON point is a member.
  func contains(_ point: EmbeddedObject?) -> Bool
}

/// The geometries in a relation to a geometry or a region; see ``GeometryContainer/intersecting``.
public struct GeometrySet: GeometryMembers, Sendable {
  let side: GeometryRelation.Side
  let kind: GeometryRelation.Kind
  /// The model of the edges of the relation.
  let edges: EdgeModel

  init(_ container: some GeometryContainer, _ kind: GeometryRelation.Kind) {
    self.init(container.relationSide, kind)
  }

  init(_ side: GeometryRelation.Side, _ kind: GeometryRelation.Kind, edges: EdgeModel? = nil) {
    self.side = side
    self.kind = kind
    self.edges = edges ?? (kind.isPlanarOnly ? .planar : .spherical)
  }

  /// The geometries in the relation with edges that are straight in longitude and latitude:
  /// `GEOINTERSECTS[planar]`.
  ///
  ///     try realm.objects(Road.self).filter(
  ///       #Predicate { france.intersecting.planar.contains($0.course) })
  public var planar: GeometrySet { GeometrySet(side, kind, edges: .planar) }

  /// Returns whether a geometry is in the relation.
  ///
  /// - Parameter geometry: The geometry.
  /// - Returns: False also for nil and for an empty geometry.
  public func contains(_ geometry: Geometry?) -> Bool {
    guard let member = geometry.flatMap({ LocatedGeometry($0, edges: edges) }),
      let other = side.located(edges)
    else { return false }
    return kind.holds(member, other, edges: edges)
  }

  /// Returns whether an embedded object in the shape of a GeoJSON point is in the relation.
  ///
  /// - Parameter point: The embedded object.
  /// - Returns: False also for nil and for an invalid point.
  public func contains(_ point: EmbeddedObject?) -> Bool {
    contains(point.flatMap(\.location).map { Geometry($0) })
  }
}

/// The distances of geometries from a geometry or a region, along the sphere; see
/// ``GeometryContainer/distancesInMeters``.
public struct GeometryDistances: Sendable {
  let side: GeometryRelation.Side

  /// The distance of a geometry in metres, 0 for a common point; NaN for nil or an empty geometry.
  public subscript(geometry: Geometry?) -> Double {
    guard let member = geometry.flatMap({ LocatedGeometry($0, edges: .spherical) }),
      let other = side.located(.spherical)
    else { return .nan }
    return member.distance(to: other, edges: .spherical).asMeters()
  }

  /// The distance of an embedded object in the shape of a GeoJSON point in metres; NaN for nil or an invalid
  /// point.
  public subscript(point: EmbeddedObject?) -> Double {
    self[point.flatMap(\.location).map { Geometry($0) }]
  }
}

extension GeometryRelation.Side {
  /// Returns the geometry or region; nil if it is empty, or a path.
  fileprivate func located(_ edges: EdgeModel) -> LocatedGeometry? {
    switch self {
    case .geometry(let geometry): LocatedGeometry(geometry, edges: edges)
    case .region(let shape): .shape(PreparedGeometry(region: shape, edges: edges))
    case .path, .objects: nil
    }
  }
}

extension EmbeddedObject {
  /// The location of an object in the shape of a GeoJSON point; nil for an invalid point.
  fileprivate var location: GeoPoint? {
    guard case .string(let type)? = content(of: ObjectSchema.pointTypeName)?.value,
      case .elements(let elements)? = content(of: ObjectSchema.pointCoordinatesName)
    else { return nil }
    return PointShape.location(
      type: type, coordinates: elements.compactMap { $0.value?.doubleValue }
    ).flatMap { GeoPoint(latitude: $0.latitude, longitude: $0.longitude) }
  }
}

/// A region or a geometry with containment tests, also in `#Predicate`.
public protocol GeometryContainer: GeometryOperand, GeometryMembers {}

extension Geometry: GeometryContainer {}
extension GeoBox: GeometryContainer {}
extension GeoCircle: GeometryContainer {}
extension GeoPolygon: GeometryContainer {}
extension GeoShape: GeometryContainer {}

extension GeometryContainer {
  /// Returns whether every point of a geometry lies in this region or geometry, including its boundary.
  ///
  /// Edges are great-circle arcs. In `#Predicate` the test is the relation `GEOWITHIN`.
  ///
  /// - Parameter geometry: The geometry.
  /// - Returns: False also for nil and for an empty geometry.
  public func contains(_ geometry: Geometry?) -> Bool {
    GeometrySet(self, .within).contains(geometry)
  }

  /// Returns whether an embedded object in the shape of a GeoJSON point lies in this region or geometry,
  /// including its boundary.
  ///
  ///     try realm.objects(Airport.self).filter(#Predicate { france.contains($0.location) })
  ///
  /// - Parameter point: The embedded object.
  /// - Returns: False also for nil and for an invalid point.
  public func contains(_ point: EmbeddedObject?) -> Bool {
    GeometrySet(self, .within).contains(point)
  }

  /// The geometries that lie in this one, including its boundary: `GEOWITHIN`.
  ///
  /// `within.contains(a)` is `contains(a)`; `within.planar.contains(a)` takes planar edges.
  public var within: GeometrySet { GeometrySet(self, .within) }

  /// The geometries that have a point in common with this one: `GEOINTERSECTS`.
  ///
  ///     try realm.objects(Road.self).filter(#Predicate { france.intersecting.contains($0.course) })
  public var intersecting: GeometrySet { GeometrySet(self, .intersects) }

  /// The geometries that have the same points as this one: `GEOEQUALS`.
  public var equal: GeometrySet { GeometrySet(self, .equals) }

  /// The geometries that touch this one, with planar edges: `GEOTOUCHES[planar]`.
  public var touching: GeometrySet { GeometrySet(self, .touches) }

  /// The geometries that cross this one, with planar edges: `GEOCROSSES[planar]`.
  public var crossing: GeometrySet { GeometrySet(self, .crosses) }

  /// The geometries that overlap this one, with planar edges: `GEOOVERLAPS[planar]`.
  public var overlapping: GeometrySet { GeometrySet(self, .overlaps) }

  /// The distances of geometries from this one, in metres: `GEODISTANCE`.
  ///
  ///     try realm.objects(Road.self).filter(
  ///       #Predicate { france.distancesInMeters[$0.course] < 5_000 })
  ///
  /// `#Predicate` accepts a subscript without a label and refuses the method `distance(to:)`.
  public var distancesInMeters: GeometryDistances { GeometryDistances(side: relationSide) }
}
