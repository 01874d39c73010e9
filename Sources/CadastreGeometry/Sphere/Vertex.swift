/// A vertex of a ring: longitude and latitude in degrees.
struct Vertex: Hashable {
  var longitude: Double
  var latitude: Double

  /// The same point with canonical coordinates: longitude -180 for 180, and 0 at the poles.
  var onSphere: Vertex {
    if isPole { return Vertex(longitude: 0, latitude: latitude) }
    return Vertex(
      longitude: longitude == 180 ? -180 : longitude == 0 ? 0 : longitude,
      latitude: latitude == 0 ? 0 : latitude)
  }

  /// Returns the same point with canonical coordinates on the sphere; in the plane the point itself.
  func canonical(_ edges: EdgeModel) -> Vertex { edges == .spherical ? onSphere : self }

  /// Whether the point is the north or the south pole.
  var isPole: Bool { abs(latitude) == 90 }

  /// The opposite point of the sphere.
  var antipode: Vertex {
    Vertex(longitude: longitude > 0 ? longitude - 180 : longitude + 180, latitude: -latitude)
  }

  /// The direction of the point from the centre of the sphere.
  var unitVector: UnitVector { UnitVector(longitude: longitude, latitude: latitude) }
}

extension Vertex {
  /// Returns whether another vertex is the antipode, so that no unique great circle passes through both.
  func isAntipodal(to other: Vertex) -> Bool {
    let (direction, opposite) = (unitVector, other.unitVector)
    return direction.dot(opposite) < 0 && direction.edgeNormal(to: opposite) == nil
  }

  /// Returns whether another vertex has the same direction, up to the rounding of directions.
  func hasDirection(of other: Vertex) -> Bool {
    guard !isClearlyApart(from: other) else { return false }
    let (direction, second) = (unitVector, other.unitVector)
    return direction.dot(second) > 0 && direction.edgeNormal(to: second) == nil
  }

  /// Returns whether the directions of two vertices clearly differ and are not opposite.
  ///
  /// Most consecutive vertices of geometries pass this fast test.
  func isClearlyApart(from other: Vertex) -> Bool {
    let (dx, dy) = (abs(longitude - other.longitude), abs(latitude - other.latitude))
    guard dx < 90, abs(latitude) < 89, abs(other.latitude) < 89 else { return false }
    return dx > 1e-6 || dy > 1e-6
  }

  /// Returns the central angle to another vertex, in radians.
  func angle(to other: Vertex) -> Double {
    greatCircleAngle(
      fromLongitude: longitude, latitude: latitude, toLongitude: other.longitude,
      latitude: other.latitude)
  }

  /// The envelopes of all coordinates of the point on the sphere: two at ±180°, all longitudes at a
  /// pole.
  var envelopes: [Envelope] {
    let longitudes = isPole ? [(-180.0, 180.0)] : [(longitude, longitude)]
    let opposite = abs(longitude) == 180 && !isPole ? [(-longitude, -longitude)] : []
    return (longitudes + opposite).map {
      Envelope(west: $0.0, south: latitude, east: $0.1, north: latitude)
    }
  }

  /// Returns whether the point is in an envelope, at one of the longitudes of the point.
  func isOnSphere(in envelope: Envelope) -> Bool {
    guard envelope.south <= latitude, latitude <= envelope.north else { return false }
    if isPole { return true }
    if envelope.west <= longitude, longitude <= envelope.east { return true }
    return abs(longitude) == 180
      && envelope.west <= -longitude && -longitude <= envelope.east
  }

  /// Returns whether the edge to a vertex as written is a meridian from pole to pole.
  func isMeridian(to other: Vertex) -> Bool {
    isPole && other.latitude == -latitude && longitude == other.longitude
  }
}

extension [Vertex] {
  /// The vertices without consecutive ones that are equal.
  var withoutRepetitions: [Vertex] {
    var vertices: [Vertex] = []
    vertices.reserveCapacity(count)
    for vertex in self where vertices.last != vertex { vertices.append(vertex) }
    return vertices
  }
}
