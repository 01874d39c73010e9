/// A part of a ring's border that runs from west to east and does not cross ±180°.
///
/// A great circle that does not pass through the poles crosses every meridian once. So an edge is
/// the graph of a function of the longitude, on the sphere as in the plane, and tests of points and
/// envelopes need no projection.
struct Arc {
  /// The orientation of an arc relative to the meridians.
  enum Kind: UInt8 {
    /// The graph of a function over an interval of longitudes.
    case sloped
    /// A part of a meridian.
    case meridian
    /// A parallel: all of it, or at a pole the part between two meridians.
    case parallel
  }

  /// The longitude of the western end, in degrees.
  var west: Double
  /// The longitude of the eastern end, in degrees; not less than `west`.
  var east: Double
  /// The latitude of the western end; on a meridian, of the southern end.
  var westLatitude: Double
  /// The latitude of the eastern end; on a meridian, of the northern end.
  var eastLatitude: Double
  /// A lower bound of the latitudes of the arc, bulge included.
  var south: Double
  /// An upper bound of the latitudes of the arc, bulge included.
  var north: Double
  /// The unit normal of the plane of a great-circle arc, on its northern side; unused in the plane.
  var normal = UnitVector(x: 0, y: 0, z: 0)
  /// The orientation.
  var kind: Kind
  /// The kind of ring that the arc is part of.
  var role: Role

  /// The kind of a ring, as a bit, so that crossings can be counted by exclusive or.
  struct Role: OptionSet {
    let rawValue: UInt8
    static let shell = Role(rawValue: 1)
    static let hole = Role(rawValue: 2)
    /// A border without interior: a box without width or height.
    static let line = Role(rawValue: 4)
  }
}

/// The position of a point relative to an arc that spans its longitude.
enum ArcSide {
  case north, south, border
}

extension Arc {
  /// The envelope of the arc; a part of an arc has the latitudes of the whole arc.
  var envelope: Envelope {
    Envelope(west: west, south: south, east: east, north: north)
  }

  /// The distance from a great-circle arc, in radians, up to which a point is on it: 25 nanometres.
  ///
  /// The unit vectors of a point and of the ends of an edge have errors up to 5e-16 each, and their
  /// determinant adds about 1e-15; 4e-15 covers the sum. Few points of a great circle have
  /// coordinates that are doubles, so a smaller tolerance is not possible.
  static let borderTolerance = 4e-15

  /// The margin of bounds of latitude, in degrees, which exceeds `borderTolerance` and the errors of the
  /// functions that compute the bounds.
  static let latitudeMargin = 1e-11

  /// Returns the side of a point whose longitude is in the arc's interval, in degrees.
  @inline(never)
  func side(longitude: Double, latitude: Double, edges: EdgeModel) -> ArcSide {
    switch (kind, edges) {
    case (.meridian, _): .border
    case (.parallel, _):
      latitude == westLatitude ? .border : latitude > westLatitude ? .north : .south
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

  /// Returns bounds of the latitudes between two longitudes, widened by a margin for rounding.
  ///
  /// The longitudes are in the arc's interval, the western one first.
  func latitudes(from start: Double, to end: Double, edges: EdgeModel) -> (Double, Double) {
    guard kind == .sloped else { return (south, north) }
    switch edges {
    case .planar:
      let slope = (eastLatitude - westLatitude) / (east - west)
      let first = westLatitude + (start - west) * slope
      let last = westLatitude + (end - west) * slope
      // The latitudes of a steep line are inaccurate; the latitudes of the ends bound them.
      guard first.isFinite, last.isFinite, east - west > 1e-6 else {
        return (south, north)
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
      // In a steep plane a small error of the normal becomes a large error of the latitude.
      return clipped(south, north, margin: Self.latitudeMargin + 1e-13 / normal.z)
    }
  }

  private func clipped(_ south: Double, _ north: Double, margin: Double) -> (Double, Double) {
    (max(self.south, south - margin), min(self.north, north + margin))
  }

  /// Returns the latitude in degrees at which the great circle crosses a meridian.
  private func sphericalLatitude(at longitude: Double) -> Double {
    let angle = longitude * radiansPerDegree
    let slope = -(normal.x * cosine(angle) + normal.y * sine(angle))
    return arcTangent(y: slope, x: normal.z) / radiansPerDegree
  }

  /// Returns the latitude farthest from the equator if it is between two longitudes, else nil.
  ///
  /// The interval is widened by 0.001°, because a great circle is flat near its summit.
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

  /// Sets the bounds of latitude of a great-circle arc from its ends and its summit.
  mutating func boundBySphere() {
    south = min(westLatitude, eastLatitude)
    north = max(westLatitude, eastLatitude)
    if let summit = summit(between: west, and: east) {
      south = min(south, summit)
      north = max(north, summit)
    }
    south = max(-90, south - Self.latitudeMargin)
    north = min(90, north + Self.latitudeMargin)
  }

  /// Returns whether the arc may intersect an envelope; a result of false is exact.
  func intersects(_ envelope: Envelope, edges: EdgeModel) -> Bool {
    let margin = Self.latitudeMargin
    guard west <= envelope.east, east >= envelope.west,
      south <= envelope.north + margin, north >= envelope.south - margin
    else { return false }
    guard kind == .sloped else { return true }
    let start = max(west, envelope.west)
    let end = min(east, envelope.east)
    switch edges {
    case .planar:
      let bounds = latitudes(from: start, to: end, edges: edges)
      return bounds.0 <= envelope.north && bounds.1 >= envelope.south
    case .spherical:
      return intersectsBand(envelope.south, envelope.north, from: start, to: end)
    }
  }

  /// Returns whether the great circle may enter the band between two parallels, in an interval of
  /// longitudes.
  ///
  /// The height of the point at (x, y) over the arc's plane is cos y · g(x) + normal.z · sin y with
  /// g(x) = normal.x · cos x + normal.y · sin x. If the height has the same sign along a whole parallel,
  /// the arc is on one side of that parallel.
  private func intersectsBand(
    _ south: Double, _ north: Double, from start: Double, to end: Double
  ) -> Bool {
    let (first, last) = (start * radiansPerDegree, end * radiansPerDegree)
    let firstValue = normal.x * cosine(first) + normal.y * sine(first)
    let lastValue = normal.x * cosine(last) + normal.y * sine(last)
    var minimum = min(firstValue, lastValue)
    var maximum = max(firstValue, lastValue)
    if let summit = summit(between: start, and: end) {
      let tilt = (normal.x * normal.x + normal.y * normal.y).squareRoot()
      if summit > 0 { minimum = -tilt } else { maximum = tilt }
    }
    let margin = 1e-13
    let isSouth = cosine(latitude: south) * minimum + normal.z * sine(latitude: south) > margin
    let isNorth = cosine(latitude: north) * maximum + normal.z * sine(latitude: north) < -margin
    return !isSouth && !isNorth
  }

  /// Returns the side of a box whose longitudes are in the arc's interval; `border` if it may
  /// intersect the arc.
  func side(of box: SmallBox, edges: EdgeModel) -> ArcSide {
    guard kind == .sloped else { return .border }
    let height: Double
    let reach: Double
    switch edges {
    case .spherical:
      height = normal.dot(UnitVector(longitude: box.longitude, latitude: box.latitude))
      reach = box.reach + Self.borderTolerance * 2
    case .planar:
      // The height over the line in degrees, times the width of the arc; `reach` is its maximum
      // change within the box.
      let (run, rise) = (east - west, eastLatitude - westLatitude)
      height = (box.latitude - westLatitude) * run - (box.longitude - west) * rise
      reach = (box.halfHeight * run + box.halfWidth * abs(rise)) * (1 + 1e-9) + 1e-10
    }
    if height > reach { return .north }
    return height < -reach ? .south : .border
  }
}
