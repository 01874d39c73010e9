public import CadastreGeometry
import CadastreModel
import CadastrePredicate

/// Geometries, as a condition on a property in `#Predicate`.
public protocol GeometryMembers {
  /// Returns whether a geometry is a member.
  func contains(_ geometry: Geometry?) -> Bool
  /// Returns whether an embedded object in the shape of a GeoJSON point is a member.
  func contains(_ point: EmbeddedObject?) -> Bool
}

/// The geometries that are in a relation to a geometry or a region; see
/// ``GeometryContainer/intersecting``.
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

  /// The geometries that are in the relation where edges run straight in longitude and latitude:
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
  /// - Returns: False also for nil, and for an object that is no valid point.
  public func contains(_ point: EmbeddedObject?) -> Bool {
    contains(point.flatMap(\.location).map { Geometry($0) })
  }
}

/// The distances of geometries from a geometry or a region along the sphere; see
/// ``GeometryContainer/distances``.
public struct GeometryDistances: Sendable {
  let side: GeometryRelation.Side

  /// The distance of a geometry in metres, 0 if it has a point in common; NaN without a geometry.
  public subscript(geometry: Geometry?) -> Double {
    guard let member = geometry.flatMap({ LocatedGeometry($0, edges: .spherical) }),
      let other = side.located(.spherical)
    else { return .nan }
    return member.distance(to: other, edges: .spherical).asMeters()
  }

  /// The distance of an embedded object in the shape of a GeoJSON point in metres; NaN without a
  /// valid point.
  public subscript(point: EmbeddedObject?) -> Double {
    self[point.flatMap(\.location).map { Geometry($0) }]
  }
}

extension GeometryRelation.Side {
  /// The geometry or region; nil if it is empty, or a path.
  fileprivate func located(_ edges: EdgeModel) -> LocatedGeometry? {
    switch self {
    case .geometry(let geometry): LocatedGeometry(geometry, edges: edges)
    case .region(let shape): .shape(PreparedGeometry(region: shape, edges: edges))
    case .path, .objects: nil
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
