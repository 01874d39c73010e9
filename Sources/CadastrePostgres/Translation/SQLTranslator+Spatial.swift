import CadastreGeometry
import CadastreModel
import CadastrePredicate

/// Regions: a bounding condition for the index, and an exact condition.
extension SQLTranslator {
  /// Returns the condition that a point lies in a region.
  mutating func condition(_ within: BoundGeoWithin) throws(UntranslatablePart) -> String {
    let condition = try quantified(within.quantifier, within.path) {
      (translator, operand) throws(UntranslatablePart) in
      let location = try translator.location(operand, within.path)
      var parts: [String] = []
      for outline in within.shape.prepared.outlines {
        parts.append(try translator.contains(outline, location, within.shape.prepared))
      }
      let isInside = "(" + parts.joined(separator: " OR ") + ")"
      let isNear = translator.isNear(within.shape.prepared, location)
      return isNear.map { "(\($0) AND \(isInside))" } ?? isInside
    }
    guard within.quantifier == .all else { return condition }
    // The quantifier ALL requires at least one point.
    return "(\(condition) AND \(try quantified(.any, within.path) { _, _ in "true" }))"
  }

  /// Returns the condition that a point is in one of the grid cells that a region intersects; nil if the table is not
  /// partitioned by these cells, or if the region intersects all cells.
  mutating func isNear(_ region: PreparedRegion, _ location: SQLOperand.Location) -> String? {
    guard let cells = tableIfKnown(location.owner)?.cells(touching: region, location.cell.name)
    else { return nil }
    return "\(location.cell.text) = ANY(\(parameter(.array(.int8, cells.map(PostgresValue.int8)))))"
  }

  private mutating func contains(
    _ outline: RegionOutline, _ location: SQLOperand.Location, _ region: PreparedRegion
  ) throws(UntranslatablePart) -> String {
    let (longitude, latitude) = (location.longitude, location.latitude)
    switch outline {
    case .everything: return "\(longitude) IS NOT NULL"
    case .envelope(let envelope):
      let sides = [
        envelope.west, envelope.east, envelope.south, envelope.north,
      ].map { parameter(.float8($0)) }
      return "(\(prefilter(envelope, location))\(longitude) BETWEEN \(sides[0]) AND \(sides[1]) "
        + "AND \(latitude) BETWEEN \(sides[2]) AND \(sides[3]))"
    case .circle(let circle): return self.circle(circle, location)
    case .spherical(let rings):
      guard !rings.contains(where: WellKnownBinary.hasHalfCircle) else {
        throw refused("GEOWITHIN", "an edge of the region is half of a great circle")
      }
      let polygon = parameter(
        .spatial(WellKnownBinary.polygon(rings, identifier: 4326)), as: .geography)
      return corrected(
        "\(names.spatial("ST_Covers"))(\(polygon), \(location.geography))", location,
        RegionBorder(
          region: region, lines: rings, polygon: WellKnownBinary.polygon(rings, identifier: 4326),
          location))
    case .planar(let rings):
      let polygon = parameter(
        .spatial(WellKnownBinary.polygon(rings, identifier: nil)), as: .geometry)
      let around = rings.first.map { prefilter(Envelope(around: $0), location) } ?? ""
      let point = "\(names.spatial("ST_MakePoint"))(\(longitude), \(latitude))"
      return "(\(around)\(names.spatial("ST_Intersects"))(\(polygon), \(point)))"
    case .mixed:
      throw refused("GEOWITHIN", "the region has edges of 360° of longitude beside other edges")
    case .line(let start, let end):
      return corrected(
        "false", location, RegionBorder(region: region, lines: [[start, end]], location))
    }
  }

  /// The maximum radius of the circle around an envelope, in radians, for which the index is used.
  private static let mostReach = 0.35

  /// Returns an index condition that accepts all points of an envelope, followed by AND; empty for a large envelope.
  ///
  /// The condition is a circle through the corners, which are the points farthest from the center of an envelope of at
  /// most 180 degrees of longitude.
  private mutating func prefilter(
    _ envelope: Envelope, _ location: SQLOperand.Location
  ) -> String {
    let width = envelope.east - envelope.west
    func point(_ longitude: Double, _ latitude: Double) -> GeoPoint? {
      GeoPoint(latitude: latitude, longitude: longitude)
    }
    guard (0...180).contains(width),
      let middle = point(
        envelope.west + width / 2, (envelope.south + envelope.north) / 2),
      let south = point(envelope.west, envelope.south),
      let north = point(envelope.west, envelope.north)
    else { return "" }
    let reach = max(
      middle.distance(to: south).radians, middle.distance(to: north).radians)
    guard reach < Self.mostReach else { return "" }
    let limit = parameter(.float8(reach * Self.sphereRadius * (1 + 1e-9) + 1e-2))
    let center = geography(degrees(middle))
    return "\(names.spatial("ST_DWithin"))(\(location.geography), \(center), \(limit), false) AND "
  }

  /// Returns a condition with the corrections for points near the border.
  private mutating func corrected(
    _ condition: String, _ location: SQLOperand.Location, _ border: RegionBorder
  ) -> String {
    borders.append(border)
    guard let corrections else { return condition }
    let correction = corrections[borders.count - 1]
    var condition = condition
    if !correction.added.isEmpty {
      condition = "(\(condition) OR \(location.key) = ANY(\(keys(correction.added))))"
    }
    if !correction.removed.isEmpty {
      condition = "(\(condition) AND \(location.key) <> ALL(\(keys(correction.removed))))"
    }
    return condition
  }

  private mutating func keys(_ keys: [Int64]) -> String {
    parameter(.array(.int8, keys.map(PostgresValue.int8)))
  }

  /// Returns the columns of the location at the end of a path.
  func location(
    _ operand: SQLOperand, _ path: BoundPath
  ) throws(UntranslatablePart) -> SQLOperand.Location {
    guard let location = operand.location else {
      throw refused(path, "places are translated for embedded points only")
    }
    return location
  }

  /// Adds the coordinates of a point as parameters.
  mutating func degrees(_ point: GeoPoint) -> (longitude: String, latitude: String) {
    (parameter(.float8(point.longitude)), parameter(.float8(point.latitude)))
  }

  /// Returns the geography of a point.
  func geography(_ point: (longitude: String, latitude: String)) -> String {
    names.point(point.longitude, point.latitude)
  }

  /// The radius in metres of the sphere of `ST_DWithin`.
  private static let sphereRadius = 6_371_008.771_415_059_8

  private mutating func circle(_ circle: GeoCircle, _ location: SQLOperand.Location) -> String {
    let center = degrees(circle.center)
    // The larger circle accepts all points for the index. The smaller circle accepts points without the refinement by
    // the angle.
    let radius = circle.radiusInRadians * Self.sphereRadius
    let (outer, inner) = (radius * (1 + 1e-12) + 1e-3, radius * (1 - 1e-12) - 1e-3)
    let point = geography(center)
    let within = names.spatial("ST_DWithin")
    func isWithin(_ reach: String) -> String {
      "\(within)(\(location.geography), \(point), \(reach), false)"
    }
    let angle = Self.angle(
      (center.longitude, center.latitude), (location.longitude, location.latitude))
    let isNear = isWithin(parameter(.float8(outer)))
    let isInside = "\(angle) <= \(parameter(.float8(circle.radiusInRadians)))"
    guard inner > 0 else { return "(\(isNear) AND \(isInside))" }
    return "(\(isNear) AND (\(isWithin(parameter(.float8(inner)))) OR \(isInside)))"
  }

  /// Returns the angle between two points in radians, with the same operations as `greatCircleAngle`.
  ///
  /// Differences below 1e-150 degrees become 0, because PostgreSQL reports underflow as an error.
  static func angle(
    _ from: (longitude: String, latitude: String), _ to: (longitude: String, latitude: String)
  ) -> String {
    let half = "(pi()/180/2)"
    func unlessTiny(_ degrees: String) -> String {
      "(CASE WHEN abs(\(degrees)) < 1e-150 THEN 0 ELSE \(degrees) END * \(half))"
    }
    let turn = "(\(to.longitude) - \(from.longitude))"
    let shortTurn = unlessTiny(
      "(CASE WHEN \(turn) > 180 THEN \(turn) - 360 WHEN \(turn) < -180 THEN \(turn) + 360 "
        + "ELSE \(turn) END)")
    let difference = "sin(\(unlessTiny("(\(to.latitude) - \(from.latitude))")))"
    let sum = "sin(\(unlessTiny("(\(from.latitude) + \(to.latitude))")))"
    let scale = [from.latitude, to.latitude].map { "sin((90 - abs(\($0))) * (pi()/180))" }
      .joined(separator: " * ")
    let (sine, cosine) = ("sin(\(shortTurn))", "cos(\(shortTurn))")
    return "2 * atan2(sqrt(\(difference) * \(difference) + (\(scale)) * (\(sine) * \(sine))), "
      + "sqrt(\(sum) * \(sum) + (\(scale)) * (\(cosine) * \(cosine))))"
  }
}

extension Envelope {
  /// Creates the planar envelope of the vertices of a ring.
  fileprivate init(around ring: [RegionOutline.Position]) {
    let (longitudes, latitudes) = (ring.map(\.longitude), ring.map(\.latitude))
    self.init(
      west: longitudes.min() ?? 0, south: latitudes.min() ?? 0, east: longitudes.max() ?? 0,
      north: latitudes.max() ?? 0)
  }
}

/// The nearest objects: the first statement reads a distance with the index, the second one the objects within it.
extension SQLTranslator {
  /// The maximum number of nearest objects for a search with the index.
  private static let mostNearest = 100_000

  /// Returns the point and the number of the nearest objects of a query; nil for other queries.
  static func nearest(_ query: BoundQuery) -> (path: BoundPath, origin: GeoPoint, count: Int)? {
    guard let count = query.rowsNeeded, (1...mostNearest).contains(count),
      let key = query.order.first, key.isAscending, case .distance(let origin) = key.criterion
    else { return nil }
    return (key.path, origin, count)
  }

  /// Returns the statement that reads the distance of the last of the nearest objects, in metres on the sphere of
  /// PostGIS, and the number of objects.
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

  /// Returns the condition that an object is within a slightly enlarged distance of the origin of a query.
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
