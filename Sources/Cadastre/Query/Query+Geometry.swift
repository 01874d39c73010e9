public import CadastreGeometry
import CadastreModel
public import CadastrePredicate

/// A type of properties with geometries: `Geometry`, embedded objects in the shape of a GeoJSON point, and
/// their optionals and collections.
public protocol GeometryProperty {}

extension Geometry: GeometryProperty {}
extension EmbeddedObject: GeometryProperty {}
extension Optional: GeometryProperty where Wrapped: GeometryProperty {}
extension List: GeometryProperty where Element: GeometryProperty {}
extension Map: GeometryProperty where Value: GeometryProperty {}

/// A value that can be one side of a relation in a query: a geometry, a point, a region, or a property
/// of the query.
public protocol GeometryOperand {
  /// The value as a side of a relation.
  var relationSide: GeometryRelation.Side { get }
}

extension Geometry: GeometryOperand {
  /// The geometry as a side of a relation.
  public var relationSide: GeometryRelation.Side { .geometry(self) }
}

extension GeoPoint: GeometryOperand {
  /// The point as a side of a relation.
  public var relationSide: GeometryRelation.Side { .geometry(Geometry(self)) }
}

extension GeometryOperand where Self: GeoRegion {
  /// The region as a side of a relation.
  public var relationSide: GeometryRelation.Side { .region(shape) }
}

extension GeoBox: GeometryOperand {}
extension GeoCircle: GeometryOperand {}
extension GeoPolygon: GeometryOperand {}
extension GeoShape: GeometryOperand {}

extension Query: GeometryOperand where Value: GeometryProperty {
  /// The property as a side of a relation.
  public var relationSide: GeometryRelation.Side { side.operand.relationSide }
}

/// Relations of a geometry to another one.
///
/// Geometries are closed sets: a line contains its ends, a polygon its rings. A null property or an empty
/// geometry satisfies only ``geoDisjoint(from:edges:)``. A collection matches if one of its geometries is in
/// the relation. An invalid region stops the process.
extension Query where Value: GeometryProperty {
  /// Matches geometries whose points all lie in another geometry, including its boundary.
  ///
  ///     realm.objects(Airport.self).where { $0.location.geoWithin(france.border) }
  ///
  /// - Parameters:
  ///   - other: A geometry, a point, a region, or a property of the query.
  ///   - edges: How the edges run between positions: along great circles, or straight in degrees.
  /// - Returns: The condition.
  public func geoWithin(
    _ other: some GeometryOperand, edges: EdgeModel = .spherical
  ) -> Query<Bool> { relation(.within, other, edges) }

  /// Matches geometries with a point in common with another geometry; a boundary point suffices.
  ///
  /// - Parameters:
  ///   - other: A geometry, a point, a region, or a property of the query.
  ///   - edges: How the edges run between positions.
  /// - Returns: The condition.
  public func geoIntersects(
    _ other: some GeometryOperand, edges: EdgeModel = .spherical
  ) -> Query<Bool> { relation(.intersects, other, edges) }

  /// Matches geometries without a point in common with another geometry.
  ///
  /// - Parameters:
  ///   - other: A geometry, a point, a region, or a property of the query.
  ///   - edges: How the edges run between positions.
  /// - Returns: The condition.
  public func geoDisjoint(
    from other: some GeometryOperand, edges: EdgeModel = .spherical
  ) -> Query<Bool> { relation(.disjoint, other, edges) }

  /// Matches geometries that contain all points of another geometry, as the OGC relation `covers`.
  ///
  /// - Parameters:
  ///   - other: A geometry, a point, a region, or a property of the query.
  ///   - edges: How the edges run between positions.
  /// - Returns: The condition.
  public func geoContains(
    _ other: some GeometryOperand, edges: EdgeModel = .spherical
  ) -> Query<Bool> { relation(.contains, other, edges) }

  /// Matches geometries with the same points as another geometry, independent of the order of positions.
  ///
  /// - Parameters:
  ///   - other: A geometry, a point, a region, or a property of the query.
  ///   - edges: How the edges run between positions.
  /// - Returns: The condition.
  public func geoEquals(
    _ other: some GeometryOperand, edges: EdgeModel = .spherical
  ) -> Query<Bool> { relation(.equals, other, edges) }

  /// Matches geometries with a boundary point but no interior point in common with another geometry; with
  /// planar edges.
  ///
  /// - Parameter other: A geometry, a point, a region, or a property of the query.
  /// - Returns: The condition.
  public func geoTouches(_ other: some GeometryOperand) -> Query<Bool> {
    relation(.touches, other, .planar)
  }

  /// Matches geometries that cross another geometry as defined by the OGC; with planar edges.
  ///
  /// - Parameter other: A geometry, a point, a region, or a property of the query.
  /// - Returns: The condition.
  public func geoCrosses(_ other: some GeometryOperand) -> Query<Bool> {
    relation(.crosses, other, .planar)
  }

  /// Matches geometries that overlap another geometry as defined by the OGC; with planar edges.
  ///
  /// - Parameter other: A geometry, a point, a region, or a property of the query.
  /// - Returns: The condition.
  public func geoOverlaps(_ other: some GeometryOperand) -> Query<Bool> {
    relation(.overlaps, other, .planar)
  }

  /// Returns the least distance to another geometry along the sphere, for comparison with a `Distance` or with
  /// a property in metres.
  ///
  ///     realm.objects(Road.self).where { $0.course.geoDistance(to: school) < limit }
  ///     realm.objects(Mast.self).where { $0.location.geoDistance(to: house) <= $0.range }
  ///
  /// - Parameters:
  ///   - other: A geometry, a point, a region, or a property of the query.
  ///   - edges: How the edges run between positions.
  /// - Returns: The distance.
  public func geoDistance(
    to other: some GeometryOperand, edges: EdgeModel = .spherical
  ) -> GeometryDistance {
    func made(_ left: Operand, _ right: GeometryRelation.Side) -> Operand {
      .distance(MeasuredDistance(left.relationSide, right, edges: edges))
    }
    guard let property = (other as? any QueryOperand)?.side else {
      let right = other.relationSide
      return GeometryDistance(side: side.mapped { made($0, right) })
    }
    return GeometryDistance(
      side: side.joined(property) { made($0, $1.relationSide) })
  }
}

/// The distance between two geometries in a query, for comparison with a constant or a property.
///
/// A property has the distance in metres. Null, NaN and a missing geometry match nothing. Every distance is greater than
/// a negative number.
public struct GeometryDistance {
  /// The distance as one side of a comparison.
  let side: QuerySide

  /// Compares the distance with a constant.
  func compared(_ operation: ComparisonOperator, _ limit: Distance) -> Query<Bool> {
    Query<Bool>(
      side.condition { operand in
        guard case .distance(let distance) = operand else { return .constant(false) }
        return .relation(distance.compared(operation, limit))
      })
  }

  /// Matches distances less than a limit.
  public static func < (distance: GeometryDistance, limit: Distance) -> Query<Bool> {
    distance.compared(.less, limit)
  }

  /// Matches distances of at most a limit.
  public static func <= (distance: GeometryDistance, limit: Distance) -> Query<Bool> {
    distance.compared(.lessOrEqual, limit)
  }

  /// Matches distances greater than a limit.
  public static func > (distance: GeometryDistance, limit: Distance) -> Query<Bool> {
    distance.compared(.greater, limit)
  }

  /// Matches distances of at least a limit.
  public static func >= (distance: GeometryDistance, limit: Distance) -> Query<Bool> {
    distance.compared(.greaterOrEqual, limit)
  }

  /// Matches distances less than a property in metres.
  public static func < <Number: AddableType>(
    distance: GeometryDistance, limit: Query<Number>
  ) -> Query<Bool> { Query<Bool>(distance.side.compared(.less, limit.side)) }

  /// Matches distances of at most a property in metres.
  public static func <= <Number: AddableType>(
    distance: GeometryDistance, limit: Query<Number>
  ) -> Query<Bool> { Query<Bool>(distance.side.compared(.lessOrEqual, limit.side)) }

  /// Matches distances greater than a property in metres.
  public static func > <Number: AddableType>(
    distance: GeometryDistance, limit: Query<Number>
  ) -> Query<Bool> { Query<Bool>(distance.side.compared(.greater, limit.side)) }

  /// Matches distances of at least a property in metres.
  public static func >= <Number: AddableType>(
    distance: GeometryDistance, limit: Query<Number>
  ) -> Query<Bool> { Query<Bool>(distance.side.compared(.greaterOrEqual, limit.side)) }
}

extension Query {
  func relation(
    _ kind: GeometryRelation.Kind, _ other: some GeometryOperand, _ edges: EdgeModel
  ) -> Query<Bool> {
    if let property = other as? any QueryOperand {
      return relation(kind, with: property.side, edges)
    }
    return relation(kind, other.relationSide, edges)
  }

  private func relation(
    _ kind: GeometryRelation.Kind, _ other: GeometryRelation.Side, _ edges: EdgeModel
  ) -> Query<Bool> {
    condition { .regular(GeometryRelation($0.relationSide, kind, other, edges: edges)) }
  }

  /// Returns a relation to another property; in a subquery, to a property of the same object.
  private func relation(
    _ kind: GeometryRelation.Kind, with other: QuerySide, _ edges: EdgeModel
  ) -> Query<Bool> {
    func made(_ left: Operand, _ right: Operand) -> QueryPredicate {
      .regular(GeometryRelation(left.relationSide, kind, right.relationSide, edges: edges))
    }
    return Query<Bool>(
      QueryCondition(
        made(side.operand, other.operand),
        QuerySide.Inside.both(
          (side.operand, side.inside), (other.operand, other.inside), made)))
  }
}

/// A part of a query with a type-erased value.
private protocol QueryOperand {
  var side: QuerySide { get }
}

extension Query: QueryOperand {}

extension Operand {
  /// The property as a side of a relation; another operand stops the process.
  fileprivate var relationSide: GeometryRelation.Side {
    guard let path else { ProgrammingError.stop("Only a property lies in a region.") }
    return .path(path)
  }
}

extension Query where Value: GeometryProperty {
  /// Matches points within a distance of a point along the sphere, including points at exactly the distance.
  public func within(_ distance: Distance, of point: GeoPoint) -> Query<Bool> {
    geoWithin(GeoCircle(center: point, radius: distance))
  }
}

extension Query where Value: Persistable & MappedPersistable, Value.StoredType: EmbeddedObject {
  /// Matches values stored as points in a region, including its boundary.
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

/// A type of properties with measures: `Geometry`, its optional, and collections of geometries.
public protocol MeasuredProperty: GeometryProperty {}

extension Geometry: MeasuredProperty {}
extension Optional: MeasuredProperty where Wrapped == Geometry {}
extension List: MeasuredProperty where Element: MeasuredProperty {}
extension Map: MeasuredProperty where Value: MeasuredProperty {}

/// Measures of a geometry on the sphere, with great-circle edges.
///
///     realm.objects(Country.self).where { $0.border.area > 1_000_000_000 }
///     realm.objects(Region.self).where { $0.roads.course.length.sum > 50_000 }
///
/// Measures of null are null. A query computes the measure of each geometry that matches the other
/// conditions, in time proportional to the number of positions.
extension Query where Value: MeasuredProperty {
  /// The area of the polygons in square metres; 0 without polygons.
  public var area: Query<Double> { measure(.area) }

  /// The length of the rings of the polygons, including holes, in metres; 0 without polygons.
  public var perimeter: Query<Double> { measure(.perimeter) }

  /// The length of the lines in metres; 0 without lines.
  public var length: Query<Double> { measure(.length) }

  /// The number of positions of all parts.
  public var positionCount: Query<Int> { measure(.positionCount) }

  /// The centroid of the parts with the greatest dimension, for relations; null for an empty geometry.
  public var centroid: Query<Geometry?> { measure(.centroid) }

  /// The western longitude of the bounding box in degrees; null for an empty geometry.
  ///
  /// The western longitude is greater than the eastern one if the box crosses ±180°.
  public var west: Query<Double?> { measure(.west) }

  /// The southern latitude of the bounding box in degrees; null for an empty geometry.
  public var south: Query<Double?> { measure(.south) }

  /// The eastern longitude of the bounding box in degrees; null for an empty geometry.
  public var east: Query<Double?> { measure(.east) }

  /// The northern latitude of the bounding box in degrees; null for an empty geometry.
  public var north: Query<Double?> { measure(.north) }

  /// The longitude of a single point in degrees; null for other geometries.
  public var longitude: Query<Double?> { measure(.longitude) }

  /// The latitude of a single point in degrees; null for other geometries.
  public var latitude: Query<Double?> { measure(.latitude) }

  private func measure<Result>(_ measure: GeometryMeasure) -> Query<Result> {
    Query<Result>(.path(queryPath.appending(.geometry(measure))))
  }
}
