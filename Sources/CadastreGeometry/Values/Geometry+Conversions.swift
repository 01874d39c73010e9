extension Geometry {
  /// Creates a point.
  ///
  /// - Parameter point: The point; an altitude of 0 becomes none.
  public init(_ point: GeoPoint) {
    self.init(unchecked: .point(GeoPosition(point)))
  }

  /// Creates a polygon.
  ///
  /// - Parameter polygon: The polygon; altitudes of 0 become none.
  public init(_ polygon: GeoPolygon) {
    self.init(unchecked: .polygon(polygon.rings.map { $0.map(GeoPosition.init) }))
  }

  /// Creates the polygon of the four corners of a box.
  ///
  /// The ring is counter-clockwise if the first corner is the south-western one. With spherical
  /// edges its northern and southern sides are great-circle arcs, as those of the box.
  ///
  /// - Parameter box: The box.
  public init(_ box: GeoBox) {
    let (west, south) = (box.bottomLeft.longitude, box.bottomLeft.latitude)
    let (east, north) = (box.topRight.longitude, box.topRight.latitude)
    let ring = [(west, south), (east, south), (east, north), (west, north), (west, south)].map {
      GeoPosition(uncheckedLongitude: $0.0, latitude: $0.1)
    }
    self.init(unchecked: .polygon([ring]))
  }

  /// Creates a regular polygon inside a circle, with its vertices on the circle.
  ///
  /// The greatest distance between the polygon and the circle is about `radius · (1 - cos(π / n))`:
  /// 0.5 % of the radius with 32 vertices.
  ///
  /// - Parameters:
  ///   - circle: The circle; its radius is more than 0 and less than 90°.
  ///   - vertices: The number of vertices; at least 3.
  /// - Throws: ``GeometryError/circleTooLarge(radians:)``, or
  ///   ``GeometryError/ringTooShort(part:ring:)`` for fewer than three vertices.
  public init(_ circle: GeoCircle, vertices: Int = 64) throws(GeometryError) {
    guard circle.radiusInRadians < .pi / 2
    else { throw .circleTooLarge(radians: circle.radiusInRadians) }
    guard vertices >= 3 else { throw .ringTooShort(part: 0, ring: 0) }
    let center = UnitVector(longitude: circle.center.longitude, latitude: circle.center.latitude)
    let chart = GnomonicChart(center: center)
    let radius = sine(circle.radiusInRadians) / cosine(circle.radiusInRadians)
    var ring = (0..<vertices).map { index in
      let angle = 2 * Double.pi * Double(index) / Double(vertices)
      let direction = chart.direction(
        to: PlanePoint(x: radius * cosine(angle), y: radius * sine(angle)))
      return GeoPosition(
        uncheckedLongitude: direction.longitude, latitude: direction.latitude)
    }
    ring.append(ring[0])
    self.init(unchecked: .polygon([ring]))
  }

  /// The point, if the geometry is one point that is not empty.
  public var point: GeoPoint? {
    if case .point(let position) = shape { position?.point } else { nil }
  }

  /// The region of the polygons; nil if there is a part that is no polygon, or no part.
  ///
  /// A polygon gives a polygon, several polygons or a collection of polygons give a multi-polygon.
  ///
  /// - Complexity: O(n) in the number of positions.
  public var region: GeoShape? {
    switch shape {
    case .polygon(let rings): return GeoPolygon(rings).map { .polygon($0) }
    case .multiPolygon(let polygons): return .multiPolygon(polygons.compactMap { GeoPolygon($0) })
    case .collection:
      let parts = parts
      guard parts.points.isEmpty, parts.lines.isEmpty else { return nil }
      return .multiPolygon(parts.polygons.compactMap { GeoPolygon($0) })
    case .point, .multiPoint, .lineString, .multiLineString: return nil
    }
  }
}

extension GeoPolygon {
  /// Creates a polygon from the rings of a geometry; nil if there are none.
  fileprivate init?(_ rings: [[GeoPosition]]) {
    let rings = rings.map { $0.map(\.point) }
    guard let exterior = rings.first else { return nil }
    self.init(outerRing: exterior, holes: Array(rings.dropFirst()))
  }
}

extension GeoShape {
  /// The polygons of the region; nil for a circle.
  package var geometry: Geometry? {
    switch self {
    case .circle: nil
    case .box(let box): Geometry(box)
    case .polygon(let polygon): Geometry(polygon)
    case .multiPolygon(let polygons):
      Geometry(
        unchecked: .multiPolygon(polygons.map { $0.rings.map { $0.map(GeoPosition.init) } }))
    }
  }
}
