import CadastreGeometry
import CadastrePredicate

/// The nearest objects: one statement finds a distance by the index, a second one the objects within.
extension SQLTranslator {
  /// The greatest number of nearest objects that are searched through the index.
  private static let mostNearest = 100_000

  /// The point and the number of the nearest objects, if a query asks for them.
  static func nearest(_ query: BoundQuery) -> (path: BoundPath, origin: GeoPoint, count: Int)? {
    guard let count = query.rowsNeeded, (1...mostNearest).contains(count),
      let key = query.order.first, key.isAscending, case .distance(let origin) = key.criterion
    else { return nil }
    return (key.path, origin, count)
  }

  /// The statement that returns the distance of the last of the nearest objects in metres on the
  /// sphere of PostGIS, and the number of objects.
  mutating func reach(_ query: BoundQuery) throws(UntranslatablePart) -> SQLStatement? {
    guard let (path, origin, count) = Self.nearest(query) else { return nil }
    clear()
    let condition = try condition(query.predicate)
    let location = try location(try operand(path), path)
    let point = geography(degrees(origin))
    let distance = "\(location.geography) \(names.spatialOperator("<->")) \(point)"
    let nearest =
      "SELECT \(distance) AS d FROM \(try source(query.className)) WHERE \(condition) "
      + "AND \(location.geography) IS NOT NULL ORDER BY \(distance) LIMIT "
      + parameter(.int8(Int64(count)))
    return SQLStatement("SELECT max(d), count(*) FROM (\(nearest)) m", parameters.parameters)
  }

  /// The condition that an object is within a distance, slightly enlarged, of the origin of a query.
  mutating func isNear(
    _ query: BoundQuery, reach: Double
  ) throws(UntranslatablePart) -> String {
    guard let (path, origin, _) = Self.nearest(query) else { return "true" }
    let location = try location(try operand(path), path)
    let point = geography(degrees(origin))
    let limit = parameter(.float8(reach * (1 + 1e-9) + 1e-3))
    return "\(names.spatial("ST_DWithin"))(\(location.geography), \(point), \(limit), false)"
  }
}
