/// An edge between two vertices, for exact tests against other edges.
struct Segment {
  let start: Vertex
  let end: Vertex
  /// The direction of `start`, on the sphere.
  let from: UnitVector
  /// The direction of `end`, on the sphere.
  let to: UnitVector
  /// The unit normal of the plane of a great-circle edge; unused for planar edges and whole parallels.
  let normal: UnitVector
  /// Whether the edge is a whole parallel, from -180 to 180; its ends are one vertex.
  let isParallel: Bool

  /// Creates a whole parallel on the sphere.
  init(parallel latitude: Double) {
    start = Vertex(longitude: -180, latitude: latitude)
    end = start
    from = start.unitVector
    to = from
    normal = UnitVector(x: 0, y: 0, z: 1)
    isParallel = true
  }

  /// Creates an edge; nil if the vertices are equal, or have the same or opposite directions on the
  /// sphere.
  init?(_ start: Vertex, _ end: Vertex, edges: EdgeModel) {
    guard start != end else { return nil }
    self.start = start
    self.end = end
    from = start.unitVector
    to = end.unitVector
    isParallel = false
    switch edges {
    case .planar: normal = UnitVector(x: 0, y: 0, z: 0)
    case .spherical:
      guard let normal = from.edgeNormal(to: to) else { return nil }
      self.normal = normal
    }
  }

  /// Returns the edges of a line, or of a ring without its repeated last vertex.
  static func chain(_ vertices: [Vertex], isClosed: Bool, edges: EdgeModel) -> [Segment] {
    let segments = zip(vertices, vertices.dropFirst()).compactMap {
      Segment($0, $1, edges: edges)
    }
    guard isClosed, let first = vertices.first, let last = vertices.last,
      let closing = Segment(last, first, edges: edges)
    else { return segments }
    return segments + [closing]
  }

  /// Returns whether two edges cross between their ends.
  ///
  /// An end on the other edge, within the tolerance of borders, is not a crossing.
  ///
  /// Source: S2, "s2edge_crossings.h", for the four signs.
  func crosses(_ other: Segment, edges: EdgeModel) -> Bool {
    if isParallel { return !other.isParallel && other.crosses(parallel: start.latitude) }
    if other.isParallel { return crosses(parallel: other.start.latitude) }
    let first = sign(of: other.start, other.from, edges)
    let second = sign(of: other.end, other.to, edges)
    guard first * second < 0 else { return false }
    let third = other.sign(of: start, from, edges)
    let fourth = other.sign(of: end, to, edges)
    // On the sphere the signs are also opposite if an edge crosses the antipodes of the other edge.
    return third * fourth < 0 && first * fourth > 0
  }

  /// Returns whether two edges are on one line or great circle, so that they may overlap.
  func isCollinear(with other: Segment, edges: EdgeModel) -> Bool {
    if isParallel || other.isParallel {
      // The equator is the only parallel that is a great circle.
      let isEquator = (isParallel && other.isParallel) || start.latitude == 0
      return isEquator && start.latitude == other.start.latitude
        && end.latitude == other.end.latitude && start.latitude == end.latitude
        && other.start.latitude == other.end.latitude
    }
    return other.sign(of: start, from, edges) == 0 && other.sign(of: end, to, edges) == 0
      || sign(of: other.start, other.from, edges) == 0 && sign(of: other.end, other.to, edges) == 0
  }

  /// Returns whether a vertex is on the edge, within the tolerance of borders.
  func contains(_ vertex: Vertex, edges: EdgeModel) -> Bool {
    if vertex == start || vertex == end { return true }
    guard sign(of: vertex, vertex.unitVector, edges) == 0 else { return false }
    let position = position(of: vertex, edges: edges)
    return position >= 0 && position <= length(edges)
  }

  /// Returns the side of a point: 1 for left, -1 for right, 0 for on the line.
  private func sign(of point: Vertex, _ direction: UnitVector, _ edges: EdgeModel) -> Int {
    switch edges {
    case .planar:
      return orientation(
        fromX: start.longitude, y: start.latitude, toX: end.longitude, y: end.latitude,
        pointX: point.longitude, y: point.latitude)
    case .spherical:
      if isParallel {
        return point.latitude == start.latitude ? 0 : point.latitude > start.latitude ? 1 : -1
      }
      // Equal vertices are decided without arithmetic.
      if point == start || point == end { return 0 }
      let height = normal.dot(direction)
      if height > Arc.borderTolerance { return 1 }
      return height < -Arc.borderTolerance ? -1 : 0
    }
  }

  /// Returns the position of a point along the edge, increasing from the start to the end.
  func position(of point: Vertex, edges: EdgeModel) -> Double {
    switch edges {
    case .planar:
      return abs(end.longitude - start.longitude) >= abs(end.latitude - start.latitude)
        ? (point.longitude - start.longitude) / (end.longitude - start.longitude)
        : (point.latitude - start.latitude) / (end.latitude - start.latitude)
    case .spherical:
      return isParallel ? point.longitude + 180 : position(of: point.unitVector)
    }
  }

  /// Returns the angle from the start to a direction in the plane of the edge.
  private func position(of direction: UnitVector) -> Double {
    arcTangent(y: normal.dot(from.cross(direction)), x: from.dot(direction))
  }

  /// Returns the position of the crossing with another edge, which must cross this one.
  func position(ofCrossing other: Segment, edges: EdgeModel) -> Double {
    switch edges {
    case .planar:
      let (dx, dy) = (end.longitude - start.longitude, end.latitude - start.latitude)
      let (ex, ey) = (
        other.end.longitude - other.start.longitude, other.end.latitude - other.start.latitude
      )
      let (fx, fy) = (
        other.start.longitude - start.longitude, other.start.latitude - start.latitude
      )
      return min(1, max(0, (fx * ey - fy * ex) / (dx * ey - dy * ex)))
    case .spherical:
      var direction = normal.cross(other.normal)
      if direction.dot(from + to) < 0 { direction = direction * -1 }
      return min(length(.spherical), max(0, position(of: direction)))
    }
  }

  /// Returns the position of the end: 1 in the plane, the angle in radians on the sphere, 360 on a parallel.
  func length(_ edges: EdgeModel) -> Double {
    switch edges {
    case .planar: 1
    case .spherical: isParallel ? 360 : position(of: to)
    }
  }

  /// Returns the point at a position; the ends exactly.
  func point(at position: Double, edges: EdgeModel) -> Vertex {
    if position <= 0 { return start }
    switch edges {
    case .planar:
      if position >= 1 { return end }
      return Vertex(
        longitude: start.longitude + (end.longitude - start.longitude) * position,
        latitude: start.latitude + (end.latitude - start.latitude) * position)
    case .spherical:
      if isParallel {
        return Vertex(longitude: position - 180, latitude: start.latitude).onSphere
      }
      let side = normal.cross(from)
      let direction = from * cosine(position) + side * sine(position)
      // The longitude of a meridian is copied, because a computed one would be rounded.
      let isMeridian = start.longitude == end.longitude || start.isPole || end.isPole
      let longitude =
        isMeridian
        ? (start.isPole ? end.longitude : start.longitude) : direction.longitude
      return Vertex(longitude: longitude, latitude: direction.latitude)
    }
  }

  /// Returns the angle between a point and the nearest point of the edge, in radians.
  ///
  /// With planar edges the nearest point is searched along the straight line in degrees, to about
  /// 1e-8 of the distance.
  func angle(to point: Vertex, edges: EdgeModel) -> Double {
    switch edges {
    case .spherical:
      if isParallel { return abs(point.latitude - start.latitude) * radiansPerDegree }
      let direction = point.unitVector
      let isBeside =
        normal.cross(from).dot(direction) > 0 && to.cross(normal).dot(direction) > 0
      guard isBeside else { return min(point.angle(to: start), point.angle(to: end)) }
      let height = abs(normal.dot(direction))
      return arcTangent(y: height, x: max(0, 1 - height * height).squareRoot())
    case .planar:
      var (low, high) = (0.0, 1.0)
      for _ in 0..<45 {
        let (first, second) = (low + (high - low) / 3, high - (high - low) / 3)
        if self.point(at: first, edges: edges).angle(to: point)
          < self.point(at: second, edges: edges).angle(to: point)
        {
          high = second
        } else {
          low = first
        }
      }
      return min(
        self.point(at: (low + high) / 2, edges: edges).angle(to: point),
        min(point.angle(to: start), point.angle(to: end)))
    }
  }
}

/// Whole parallels.
extension Segment {
  /// The latitude farthest from the equator on a great-circle edge; nil if an end is the farthest point.
  private var summit: Double? {
    let (along, across) = (from.z, normal.cross(from).z)
    let tilt = (along * along + across * across).squareRoot()
    guard tilt > 0 else { return nil }
    let length = length(.spherical)
    for (sign, angle) in [
      (1.0, arcTangent(y: across, x: along)), (-1, arcTangent(y: -across, x: -along)),
    ]
    where angle > 0 && angle < length {
      return sign * arcTangent(y: tilt, x: abs(normal.z)) / radiansPerDegree
    }
    return nil
  }

  /// Returns whether a great-circle edge has points on both sides of a parallel.
  fileprivate func crosses(parallel latitude: Double) -> Bool {
    let (isNorth, isSouth) = (
      max(start.latitude, end.latitude) > latitude, min(start.latitude, end.latitude) < latitude
    )
    if isNorth, isSouth { return true }
    guard let summit else { return false }
    let margin = 1e-12
    return isSouth && summit > latitude + margin || isNorth && summit < latitude - margin
  }

  /// Returns the positions along a great-circle edge of the points with a latitude.
  private func positions(atLatitude latitude: Double) -> [Double] {
    let (along, across) = (from.z, normal.cross(from).z)
    let tilt = (along * along + across * across).squareRoot()
    let height = sine(latitude: latitude)
    guard abs(height) <= tilt else { return [] }
    let middle = arcTangent(y: across, x: along)
    let spread = arcTangent(y: (tilt * tilt - height * height).squareRoot(), x: height)
    let length = length(.spherical)
    return [middle - spread, middle + spread].map { $0 < 0 ? $0 + 2 * .pi : $0 }
      .filter { $0 < length }
  }

  /// Returns the positions of the crossings with another edge that is not collinear.
  func positions(ofCrossings other: Segment, edges: EdgeModel) -> [Double] {
    guard crosses(other, edges: edges) else { return [] }
    if isParallel {
      return other.positions(atLatitude: start.latitude).map {
        position(of: other.point(at: $0, edges: edges).onSphere, edges: edges)
      }
    }
    if other.isParallel { return positions(atLatitude: other.start.latitude) }
    return [position(ofCrossing: other, edges: edges)]
  }

  /// Returns the intervals of positions that a collinear edge covers.
  func parts(on other: Segment, edges: EdgeModel) -> [ClosedRange<Double>] {
    let length = length(edges)
    if other.isParallel { return [0...length] }
    let ends = [other.start, other.end].map { position(of: $0, edges: edges) }
    let (low, high) = (min(ends[0], ends[1]), max(ends[0], ends[1]))
    // A part of the equator may cross ±180°.
    return isParallel && high - low > length / 2 ? [0...low, high...length] : [low...high]
  }

  /// Returns the angle between a parallel and the nearest point of the edge, which does not cross it.
  func angle(toParallel latitude: Double) -> Double {
    let latitudes =
      [start.latitude, end.latitude] + (isParallel ? [] : [summit].compactMap(\.self))
    return latitudes.reduce(.infinity) { min($0, abs($1 - latitude)) } * radiansPerDegree
  }

  /// Returns a circle on the sphere that contains the edge: its centre, and its radius in radians.
  func circle(_ edges: EdgeModel) -> (center: Vertex, radius: Double) {
    if isParallel {
      let pole = Vertex(longitude: 0, latitude: start.latitude < 0 ? -90 : 90)
      return (pole, pole.angle(to: start) + 1e-14)
    }
    let center = point(at: length(edges) / 2, edges: edges)
    switch edges {
    case .spherical: return (center, length(edges) / 2 + 1e-14)
    case .planar:
      // A degree of longitude is longest at the equator.
      let (dx, dy) = (end.longitude - start.longitude, end.latitude - start.latitude)
      return (center, (dx * dx + dy * dy).squareRoot() / 2 * radiansPerDegree * (1 + 1e-9))
    }
  }

  /// Returns the envelopes of the arcs of the edge.
  func envelopes(_ edges: EdgeModel) -> [Envelope] {
    var collector = ArcCollector(edges: edges)
    collector.addLine(self)
    return collector.arcs.map(\.envelope)
  }
}
