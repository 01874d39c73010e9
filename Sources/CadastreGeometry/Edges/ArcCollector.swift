/// A builder that converts the rings of a polygon into arcs and determines the interior of rings.
struct ArcCollector {
  private(set) var arcs: [Arc] = []
  /// The kinds of rings whose interior contains the north pole: the initial value of parities.
  private(set) var base: Arc.Role = []
  let edges: EdgeModel

  init(edges: EdgeModel) {
    self.edges = edges
  }

  /// Adds a ring of at least three vertices, without the repeated last one.
  ///
  /// Consecutive vertices differ.
  ///
  /// - Throws: `RegionError.Reason` if consecutive vertices are antipodes, with spherical edges.
  mutating func addRing(_ ring: [Vertex], role: Arc.Role) throws(RegionError.Reason) {
    switch edges {
    case .planar: addPlanarRing(ring, role: role)
    case .spherical: try addSphericalRing(ring, role: role)
    }
  }

  /// Adds a ring whose course may have whole parallels.
  ///
  /// - Parameters:
  ///   - loop: The vertices of the loop, as for a ring; empty without a loop.
  ///   - course: The course of the ring on the sphere.
  ///   - role: The kind of the ring.
  /// - Throws: `RegionError.Reason` if consecutive vertices are antipodes.
  mutating func addRing(
    _ loop: [Vertex], of course: RingCourse, role: Arc.Role
  ) throws(RegionError.Reason) {
    var area = try addLoop(loop, role: role)
    for latitude in course.borders { addParallel(latitude, role: role) }
    for parallel in course.parallels {
      area += parallel.sign * 2 * .pi * (1 + sine(latitude: parallel.latitude))
    }
    if course.isBalanced ? course.followsPole(90) : Self.isInteriorNorthern(area) {
      base.formSymmetricDifference(role)
    }
  }

  /// Adds an edge of a geometry as a border without interior.
  mutating func addLine(_ segment: Segment) {
    if segment.isParallel { return addParallel(segment.start.latitude, role: .line) }
    // The ends of a segment are never antipodes, so this cannot fail.
    try? addLine(from: segment.start, to: segment.end)
  }

  /// Adds a whole parallel.
  mutating func addParallel(_ latitude: Double, role: Arc.Role) {
    arcs.append(
      Arc(
        west: -180, east: 180, westLatitude: latitude, eastLatitude: latitude,
        south: latitude, north: latitude, kind: .parallel, role: role))
  }

  /// Adds the edge between two vertices as a border without interior.
  ///
  /// - Throws: `RegionError.Reason` if the ends are antipodes, with spherical edges.
  mutating func addLine(from start: Vertex, to end: Vertex) throws(RegionError.Reason) {
    switch edges {
    case .planar: addPlanarEdge(from: start, to: end, role: .line)
    case .spherical: _ = try addSphericalEdge(from: start, to: end, role: .line)
    }
  }

  // MARK: Planar

  private mutating func addPlanarRing(_ ring: [Vertex], role: Arc.Role) {
    for index in ring.indices {
      addPlanarEdge(from: ring[index], to: ring[(index + 1) % ring.count], role: role)
    }
  }

  private mutating func addPlanarEdge(from start: Vertex, to end: Vertex, role: Arc.Role) {
    if start.longitude == end.longitude {
      return addMeridian(start.longitude, start.latitude, end.latitude, role: role)
    }
    let (west, east) = start.longitude < end.longitude ? (start, end) : (end, start)
    arcs.append(
      Arc(
        west: west.longitude, east: east.longitude, westLatitude: west.latitude,
        eastLatitude: east.latitude, south: min(west.latitude, east.latitude),
        north: max(west.latitude, east.latitude), kind: .sloped, role: role))
  }

  private mutating func addMeridian(
    _ longitude: Double, _ first: Double, _ second: Double, role: Arc.Role
  ) {
    let (south, north) = (min(first, second), max(first, second))
    arcs.append(
      Arc(
        west: longitude, east: longitude, westLatitude: south, eastLatitude: north,
        south: south, north: north, kind: .meridian, role: role))
  }

  // MARK: Spherical

  /// Adds a ring and determines from its area whether its interior contains the north pole.
  private mutating func addSphericalRing(
    _ ring: [Vertex], role: Arc.Role
  ) throws(RegionError.Reason) {
    if Self.isInteriorNorthern(try addLoop(ring, role: role)) {
      base.formSymmetricDifference(role)
    }
  }

  /// Returns whether the interior of a ring contains the north pole.
  ///
  /// The sum of the signed areas between each edge and the south pole is the area of the side
  /// without the north pole. The interior is the smaller side; of two equal sides, the left one.
  private static func isInteriorNorthern(_ area: Double) -> Bool {
    let half = 2 * Double.pi
    let tie = abs(abs(area) - half) < 1e-12
    return tie ? area > 0 : abs(area) > half
  }

  /// Adds the edges of a ring and returns the sum of the signed areas between them and the south pole.
  private mutating func addLoop(
    _ ring: [Vertex], role: Arc.Role
  ) throws(RegionError.Reason) -> Double {
    var area = 0.0
    for index in ring.indices {
      let vertex = ring[index]
      let next = ring[(index + 1) % ring.count]
      if vertex.isPole {
        let previous = ring[(index + ring.count - 1) % ring.count]
        area += addPole(
          vertex.latitude, from: previous.longitude, to: next.longitude, role: role)
      }
      area += try addSphericalEdge(from: vertex, to: next, role: role)
    }
    return area
  }

  /// Adds an edge and returns the signed area between it and the south pole; eastward is positive.
  private mutating func addSphericalEdge(
    from first: Vertex, to second: Vertex, role: Arc.Role
  ) throws(RegionError.Reason) -> Double {
    var (start, end) = (first, second)
    if start.isPole { start.longitude = end.longitude }
    if end.isPole { end.longitude = start.longitude }
    let turn = longitudeDifference(from: start.longitude, to: end.longitude)
    let isOpposite = start.latitude == -end.latitude
    if isOpposite && (start.isPole || abs(turn) == 180) {
      throw .antipodalNeighbours(longitude: first.longitude, latitude: first.latitude)
    }
    if turn == 0 {
      addSphericalMeridian(start.longitude, start.latitude, end.latitude, role: role)
      return 0
    }
    if abs(turn) == 180 {
      let pole = start.latitude + end.latitude > 0 ? 90.0 : -90.0
      addSphericalMeridian(start.longitude, start.latitude, pole, role: role)
      addSphericalMeridian(end.longitude, pole, end.latitude, role: role)
      return addPole(pole, from: start.longitude, to: end.longitude, role: role)
    }
    let (west, east) = turn > 0 ? (start, end) : (end, start)
    guard let normal = west.unitVector.edgeNormal(to: east.unitVector) else {
      throw .antipodalNeighbours(longitude: first.longitude, latitude: first.latitude)
    }
    addSloped(from: west, to: east, normal: normal, role: role)
    return Self.areaToSouthPole(turn, start.latitude, end.latitude)
  }

  /// Adds a part of a meridian; the meridian ±180° is added twice, at both longitudes.
  private mutating func addSphericalMeridian(
    _ longitude: Double, _ first: Double, _ second: Double, role: Arc.Role
  ) {
    addMeridian(longitude, first, second, role: role)
    if longitude == -180 { addMeridian(180, first, second, role: role) }
  }

  /// Adds a pole as a line of latitude along the shorter interval of longitudes, and returns the
  /// signed area south of the line.
  private mutating func addPole(
    _ latitude: Double, from start: Double, to end: Double, role: Arc.Role
  ) -> Double {
    let turn = longitudeDifference(from: start, to: end)
    guard turn != 0 else { return 0 }
    let (west, east) = turn > 0 ? (start, end) : (end, start)
    let arc = Arc(
      west: west, east: east, westLatitude: latitude, eastLatitude: latitude,
      south: latitude, north: latitude, kind: .parallel, role: role)
    appendSplit(arc)
    return latitude > 0 ? 2 * turn * radiansPerDegree : 0
  }

  private mutating func addSloped(
    from west: Vertex, to east: Vertex, normal: UnitVector, role: Arc.Role
  ) {
    var arc = Arc(
      west: west.longitude, east: east.longitude, westLatitude: west.latitude,
      eastLatitude: east.latitude, south: 0, north: 0, normal: normal,
      kind: .sloped, role: role)
    if arc.east < arc.west { arc.east += 360 }
    arc.boundBySphere()
    arc.east = east.longitude
    appendSplit(arc)
    // A ring may have a vertex at ±180° and turn back; points there have two longitudes.
    for vertex in [west, east] where vertex.longitude == -180 {
      addSphericalMeridian(-180, vertex.latitude, vertex.latitude, role: role)
    }
  }

  /// Appends an arc, split at ±180° if it crosses it; both parts have the bounds of the full arc.
  private mutating func appendSplit(_ arc: Arc) {
    guard arc.east < arc.west else {
      arcs.append(arc)
      return
    }
    var western = arc
    western.east = 180
    arcs.append(western)
    guard arc.east > -180 else { return }
    var eastern = arc
    eastern.west = -180
    arcs.append(eastern)
  }

  /// Returns the area of the spherical triangle between an edge and the south pole, in steradians;
  /// positive for an eastward edge.
  private static func areaToSouthPole(
    _ turn: Double, _ startLatitude: Double, _ endLatitude: Double
  ) -> Double {
    let start = (90 + startLatitude) * (radiansPerDegree / 2)
    let end = (90 + endLatitude) * (radiansPerDegree / 2)
    let sines = sine(start) * sine(end)
    let cosines = cosine(start) * cosine(end)
    let angle = turn * radiansPerDegree
    return 2 * arcTangent(y: sines * sine(angle), x: cosines + sines * cosine(angle))
  }
}
