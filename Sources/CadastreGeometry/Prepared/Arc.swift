/// A piece of a ring's border that runs from west to east without crossing ±180°.
///
/// A great circle that misses the poles meets every meridian once, so seen in longitude and
/// latitude each edge is the graph of a function, as a straight line is. Point location and
/// rectangle tests therefore need no chart, on the sphere as in the plane.
struct Arc {
  /// How an arc relates to the meridians.
  enum Kind: UInt8 {
    /// A graph over an interval of longitudes.
    case sloped
    /// Part of one meridian.
    case meridian
    /// A pole, seen as the line of latitude ±90 between two meridians.
    case pole
  }

  /// The western end in degrees.
  var west: Double
  /// The eastern end in degrees; not less than `west`.
  var east: Double
  /// The latitude of the western end; of the southern one on a meridian.
  var westLatitude: Double
  /// The latitude of the eastern end; of the northern one on a meridian.
  var eastLatitude: Double
  /// No point of the arc lies further south; bulge included.
  var minLatitude: Double
  /// No point of the arc lies further north; bulge included.
  var maxLatitude: Double
  /// On the sphere the unit normal of the arc's plane, on its northern side; else unused.
  var normal = UnitVector(x: 0, y: 0, z: 0)
  var kind: Kind
  /// Which rings' insides change across the arc.
  var role: Role

  /// What part the arc's ring plays.
  struct Role: OptionSet {
    let rawValue: UInt8
    static let shell = Role(rawValue: 1)
    static let hole = Role(rawValue: 2)
    /// A border without an inside: what is left of a box without width or height.
    static let line = Role(rawValue: 4)
  }
}

/// Where a point lies as seen from an arc that spans its longitude.
enum ArcSide {
  case north, south, border
}

extension Arc {
  /// Distances in radians below which a point is on an arc of the sphere: 25 nanometres.
  ///
  /// The unit vectors of a point and of the ends of an edge are each off by up to 5e-16, and their
  /// determinant adds some 1e-15; 4e-15 covers the sum. Few points of a great circle have
  /// coordinates that are doubles, so "on the border" cannot mean less than this.
  static let borderTolerance = 4e-15

  /// Degrees by which bounds of latitude are widened: more than `borderTolerance` and than the
  /// error of the functions that compute them.
  static let latitudeMargin = 1e-11

  /// Where a point lies; its longitude is within the arc's.
  @inline(never)
  func side(longitude: Double, latitude: Double, edges: EdgeModel) -> ArcSide {
    switch (kind, edges) {
    case (.meridian, _): .border
    case (.pole, _): latitude == westLatitude ? .border : latitude > westLatitude ? .north : .south
    case (.sloped, .spherical):
      sphericalSide(UnitVector(longitude: longitude, latitude: latitude))
    case (.sloped, .planar): planarSide(longitude: longitude, latitude: latitude)
    }
  }

  private func sphericalSide(_ point: UnitVector) -> ArcSide {
    let height = normal.dot(point)
    if height > Self.borderTolerance { return .north }
    return height < -Self.borderTolerance ? .south : .border
  }

  private func planarSide(longitude: Double, latitude: Double) -> ArcSide {
    let turn = orientation(
      fromX: west, y: westLatitude, toX: east, y: eastLatitude, pointX: longitude, y: latitude)
    if turn == 0 { return .border }
    return turn > 0 ? .north : .south
  }

  /// Bounds of the latitudes of the part between two longitudes, widened by a safe margin.
  ///
  /// The longitudes are within the arc's, west first.
  func latitudes(from start: Double, to end: Double, edges: EdgeModel) -> (Double, Double) {
    guard kind == .sloped else { return (minLatitude, maxLatitude) }
    switch edges {
    case .planar:
      let slope = (eastLatitude - westLatitude) / (east - west)
      let first = westLatitude + (start - west) * slope
      let last = westLatitude + (end - west) * slope
      // The slope of a steep line, and so its latitudes, may be anything: fall back to the ends.
      guard first.isFinite, last.isFinite, east - west > 1e-6 else {
        return (minLatitude, maxLatitude)
      }
      return clipped(min(first, last), max(first, last), margin: 1e-8)
    case .spherical:
      let first = sphericalLatitude(at: start)
      let last = sphericalLatitude(at: end)
      var south = min(first, last)
      var north = max(first, last)
      if let summit = summit(between: start, and: end) {
        south = min(south, summit)
        north = max(north, summit)
      }
      // A steep plane turns a tiny error of the normal into a large one of the latitude.
      return clipped(south, north, margin: Self.latitudeMargin + 1e-13 / normal.z)
    }
  }

  private func clipped(_ south: Double, _ north: Double, margin: Double) -> (Double, Double) {
    (max(minLatitude, south - margin), min(maxLatitude, north + margin))
  }

  /// The latitude in degrees at which the great circle crosses a meridian.
  private func sphericalLatitude(at longitude: Double) -> Double {
    let angle = longitude * radiansPerDegree
    let slope = -(normal.x * cosine(angle) + normal.y * sine(angle))
    return arcTangent(y: slope, x: normal.z) / radiansPerDegree
  }

  /// The latitude furthest from the equator, if the great circle reaches it between two longitudes.
  ///
  /// The interval is widened by 0.001°: near the summit a circle is flat.
  func summit(between start: Double, and end: Double) -> Double? {
    let tilt = (normal.x * normal.x + normal.y * normal.y).squareRoot()
    guard tilt > 0 else { return nil }
    let height = arcTangent(y: tilt, x: normal.z) / radiansPerDegree
    let northmost = arcTangent(y: -normal.y, x: -normal.x) / radiansPerDegree
    let middle = (start + end) / 2
    let reach = (end - start) / 2 + 1e-3
    if abs(longitudeDifference(from: middle, to: northmost)) <= reach { return height }
    let southmost = arcTangent(y: normal.y, x: normal.x) / radiansPerDegree
    return abs(longitudeDifference(from: middle, to: southmost)) <= reach ? -height : nil
  }

  /// Sets the bounds of a great-circle arc from its ends and its bulge.
  mutating func boundBySphere() {
    minLatitude = min(westLatitude, eastLatitude)
    maxLatitude = max(westLatitude, eastLatitude)
    if let summit = summit(between: west, and: east) {
      minLatitude = min(minLatitude, summit)
      maxLatitude = max(maxLatitude, summit)
    }
    minLatitude = max(-90, minLatitude - Self.latitudeMargin)
    maxLatitude = min(90, maxLatitude + Self.latitudeMargin)
  }
}
