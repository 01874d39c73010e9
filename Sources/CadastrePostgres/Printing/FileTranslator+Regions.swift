import CadastreGeometry
import CadastreModel
import CadastrePredicate

/// Regions, as conditions on the coordinates of the points of the file.
extension FileTranslator {
  private static let column = "geometry"

  /// Returns the condition that a point lies in a region.
  mutating func condition(_ within: BoundGeoWithin) throws(UntranslatablePart) -> String {
    guard within.path.hops.count == 1, case .property(let bound)? = within.path.hops.first,
      bound.property.name == geometry?.property
    else { throw refused(within.path, "only the first geometry of the class has a column") }
    guard geometry?.isPoint == true else {
      throw refused(within.path, "regions are translated for points only")
    }
    let point = SQLTranslator.column(Self.alias, Self.column)
    let longitude = "ST_X(\(point))"
    let latitude = "ST_Y(\(point))"
    var parts: [String] = []
    for outline in within.region.outlines {
      let part = try contains(outline, longitude: longitude, latitude: latitude)
      // SedonaDB returns NaN for the coordinates of null.
      parts.append("(\(point) IS NOT NULL AND \(part))")
    }
    if dialect == .duckdb { note("Needs the extension spatial: LOAD spatial;") }
    return "(" + parts.joined(separator: " OR ") + ")"
  }

  private mutating func contains(
    _ outline: RegionOutline, longitude: String, latitude: String
  ) throws(UntranslatablePart) -> String {
    switch outline {
    case .everything: return "true"
    case .envelope(let envelope):
      return "\(longitude) BETWEEN \(Self.literal(envelope.minLongitude)) AND "
        + "\(Self.literal(envelope.maxLongitude)) AND \(latitude) BETWEEN "
        + "\(Self.literal(envelope.minLatitude)) AND \(Self.literal(envelope.maxLatitude))"
    case .circle(let circle): return self.circle(circle, longitude, latitude)
    case .planar(let rings):
      return "ST_Intersects(ST_GeomFromText(\(Self.wellKnownText(rings))), "
        + "ST_Point(\(longitude), \(latitude)))"
    case .spherical(let rings):
      guard dialect == .sedona else {
        throw refused(
          "GEOWITHIN",
          "its polygons have straight edges on the map, not great circles; --edges planar has the same"
        )
      }
      guard !rings.contains(where: WellKnownBinary.hasHalfCircle) else {
        throw refused("GEOWITHIN", "an edge of the region is half of a great circle")
      }
      note("ST_Intersects may differ for points within a micrometre of the border of a region.")
      return "ST_Intersects(ST_GeogFromText(\(Self.wellKnownText(rings))), "
        + "ST_GeogPoint(\(longitude), \(latitude)))"
    case .mixed:
      throw refused("GEOWITHIN", "the region has edges of 360° of longitude beside other edges")
    case .line: throw refused("GEOWITHIN", "the region is a line")
    }
  }

  private mutating func circle(
    _ circle: GeoCircle, _ longitude: String, _ latitude: String
  ) -> String {
    note(
      "The distance is computed by its formula, on a sphere of 6,378,100 m; distance functions use another radius or "
        + "an ellipsoid. Rounding may decide points within a micrometre of the circle.")
    let center = (Self.literal(circle.center.longitude), Self.literal(circle.center.latitude))
    // Row groups are skipped by the covering box.
    let reach = circle.radiusInRadians * 180 / .pi + 1e-5
    let (south, north) = (circle.center.latitude - reach, circle.center.latitude + reach)
    let angle = SQLTranslator.angle(center, (longitude, latitude))
    return "\(Self.side("ymax")) >= \(Self.literal(south)) AND "
      + "\(Self.side("ymin")) <= \(Self.literal(north)) AND "
      + "\(angle) <= \(Self.literal(circle.radiusInRadians))"
  }

  private static func side(_ name: String) -> String {
    "\(SQLTranslator.column(alias, "bbox"))[\(literal(name))]"
  }

  /// Returns a polygon as well-known text, as a literal.
  private static func wellKnownText(_ rings: [[RegionOutline.Position]]) -> String {
    let texts = rings.map { ring in
      "(" + ring.map { "\($0.longitude) \($0.latitude)" }.joined(separator: ", ") + ")"
    }
    return literal("POLYGON (\(texts.joined(separator: ", ")))")
  }
}
