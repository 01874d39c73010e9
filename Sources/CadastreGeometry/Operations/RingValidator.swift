/// A validator of the rings of a polygon: rings may not cross, touch themselves or leave the exterior ring.
///
/// GEOS validates rings in the plane. With spherical edges a polygon is accepted if it is valid in one of
/// these planes: longitude and latitude as written, longitude and latitude continued across ±180°, or a
/// gnomonic projection. Rings that are too large for the projection, contain a pole or have a whole
/// parallel are checked on the sphere: no edges cross or occur twice, and the holes are inside the exterior ring and
/// outside of each other.
struct RingValidator {
  private let borders: GeoPolygon.Borders
  /// The model of the edges.
  let edges: EdgeModel

  /// Creates a validator of the rings of a polygon.
  init(_ borders: GeoPolygon.Borders, edges: EdgeModel) {
    self.borders = borders
    self.edges = edges
  }

  /// The rings with canonical coordinates.
  private var rings: [[Vertex]] { borders.loops }

  /// Validates the rings.
  ///
  /// - Parameter collector: The arcs of the rings.
  /// - Throws: `RegionError.Reason` with the location in longitude and latitude.
  func check(_ collector: ArcCollector) throws(RegionError.Reason) {
    switch edges {
    case .planar:
      try validate(rings, projection: nil)
    case .spherical:
      if Self.isValid(borders.written) { return }
      let hasParallels = borders.hasParallels
      if !hasParallels, let unwrapped = unwrappedRings, Self.isValid(unwrapped) { return }
      if !hasParallels, let projection = GnomonicProjection(around: rings.joined()) {
        try validate(rings, projection: projection)
      } else {
        var crossings = ArcCrossings(collector.arcs)
        if let crossing = crossings.first() {
          throw .selfCrossing(longitude: crossing.longitude, latitude: crossing.latitude)
        }
        if rings.count > 1 { try checkNesting() }
      }
    }
  }

  /// Checks on the sphere that the holes are inside the exterior ring and outside of each other.
  ///
  /// The edges do not cross, so all edges of a ring are on the same side of another one. Their middles are tested; those
  /// that touch the other ring may be on either side within the rounding, and most do not touch it.
  private func checkNesting() throws(RegionError.Reason) {
    if let edge = duplicateEdge {
      throw .duplicateEdge(longitude: edge.longitude, latitude: edge.latitude)
    }
    let parts = try rings.indices.map { (ring) throws(RegionError.Reason) in
      let border = borders.ring(ring)
      return (borders: border, arcs: try border.arcs(edges: edges))
    }
    let shell = PreparedPolygon(parts[0].arcs)
    for hole in parts.dropFirst() {
      let middles = hole.borders.segments.joined().map {
        $0.point(at: $0.length(edges) / 2, edges: edges)
      }
      let inside = middles.filter {
        shell.contains(longitude: $0.longitude, latitude: $0.latitude)
      }
      guard inside.count * 2 > middles.count || middles.isEmpty else {
        throw .holeOutsideShell(longitude: middles[0].longitude, latitude: middles[0].latitude)
      }
    }
    do throws(RegionError.Reason) {
      try MultiPolygonValidator(Array(parts.dropFirst()))?.check()
    } catch {
      guard case .overlappingPolygons(let longitude, let latitude) = error else { throw error }
      throw .nestedHoles(longitude: longitude, latitude: latitude)
    }
  }

  /// Returns whether GEOS considers rings valid in longitude and latitude.
  static func isValid(_ rings: [[Vertex]]) -> Bool {
    let validator = RingValidator(
      GeoPolygon.Borders(written: rings, loops: rings, courses: []), edges: .planar)
    return (try? validator.validate(rings, projection: nil)) != nil
  }

  /// Validates the rings with GEOS, in a gnomonic projection or in longitude and latitude.
  private func validate(_ rings: [[Vertex]], projection: GnomonicProjection?) throws(RegionError
    .Reason)
  {
    var planes: [[PlanePoint]] = []
    for ring in rings {
      var points: [PlanePoint] = []
      points.reserveCapacity(ring.count + 1)
      for vertex in ring {
        points.append(
          projection?.project(vertex.unitVector)
            ?? PlanePoint(x: vertex.longitude, y: vertex.latitude))
      }
      points.append(points[0])
      planes.append(points)
    }
    let fault: GEOSGeometry.Fault?
    do throws(GEOSError) {
      fault = try GEOSGeometry(rings: planes).fault()
    } catch {
      throw .geometryLibrary(error.message)
    }
    if let fault { throw reason(for: fault, projection: projection) }
  }

  /// Returns the reason for a fault in a projection or in the plane, with its longitude and latitude.
  private func reason(
    for fault: GEOSGeometry.Fault, projection: GnomonicProjection?
  ) -> RegionError.Reason {
    var (longitude, latitude) = (fault.location.x, fault.location.y)
    if let projection {
      let direction = projection.direction(to: fault.location)
      (longitude, latitude) = (direction.longitude, direction.latitude)
    }
    if let edge = duplicateEdge {
      return .duplicateEdge(longitude: edge.longitude, latitude: edge.latitude)
    }
    return switch fault.reason {
    case "Self-intersection", "Ring Self-intersection", "Duplicate Rings":
      .selfCrossing(longitude: longitude, latitude: latitude)
    case "Hole lies outside shell": .holeOutsideShell(longitude: longitude, latitude: latitude)
    case "Holes are nested", "Nested holes":
      .nestedHoles(longitude: longitude, latitude: latitude)
    case "Interior is disconnected":
      .insideDisconnected(longitude: longitude, latitude: latitude)
    default: .geometryLibrary(fault.reason)
    }
  }

  /// The start of the first edge that occurs twice, in either direction.
  private var duplicateEdge: Vertex? {
    var seen: Set<Set<Vertex>> = []
    for ring in rings {
      for index in ring.indices {
        let next = ring[(index + 1) % ring.count]
        if !seen.insert([ring[index], next]).inserted { return ring[index] }
      }
    }
    return nil
  }

  /// The rings with longitudes that continue across ±180°; nil if a ring touches or contains a
  /// pole.
  private var unwrappedRings: [[Vertex]]? {
    var unwrapped: [[Vertex]] = []
    for ring in rings {
      guard var next = Self.unwrapped(ring) else { return nil }
      if let exterior = unwrapped.first {
        let shift = ((Self.middle(exterior) - Self.middle(next)) / 360).rounded() * 360
        for index in next.indices { next[index].longitude += shift }
      }
      unwrapped.append(next)
    }
    return unwrapped
  }

  private static func unwrapped(_ ring: [Vertex]) -> [Vertex]? {
    var shift = 0.0
    var unwrapped: [Vertex] = []
    unwrapped.reserveCapacity(ring.count)
    for index in ring.indices {
      let vertex = ring[index]
      unwrapped.append(Vertex(longitude: vertex.longitude + shift, latitude: vertex.latitude))
      let step = ring[(index + 1) % ring.count].longitude - vertex.longitude
      if vertex.isPole { return nil }
      if step > 180 { shift -= 360 }
      if step < -180 { shift += 360 }
    }
    return shift == 0 ? unwrapped : nil
  }

  private static func middle(_ ring: [Vertex]) -> Double {
    let longitudes = ring.map(\.longitude)
    return ((longitudes.min() ?? 0) + (longitudes.max() ?? 0)) / 2
  }
}

extension GeoPolygon {
  /// The rings of a polygon as vertices.
  struct Borders {
    /// The rings as written, without repeated vertices.
    let written: [[Vertex]]
    /// The rings without the repeated last vertex; with spherical edges the loops of the courses.
    let loops: [[Vertex]]
    /// The courses of the rings on the sphere; none with planar edges.
    let courses: [RingCourse]

    /// Whether a ring has a whole parallel.
    var hasParallels: Bool { courses.contains { !$0.parallels.isEmpty } }

    /// Returns one of the rings as an exterior ring.
    func ring(_ index: Int) -> Borders {
      Borders(
        written: [written[index]], loops: [loops[index]],
        courses: courses.isEmpty ? [] : [courses[index]])
    }

    /// Returns the arcs of the rings, of which the first is the exterior ring.
    func arcs(edges: EdgeModel) throws(RegionError.Reason) -> ArcCollector {
      var collector = ArcCollector(edges: edges)
      for (index, loop) in loops.enumerated() {
        let role: Arc.Role = index == 0 ? .shell : .hole
        if edges == .spherical {
          try collector.addRing(loop, of: courses[index], role: role)
        } else {
          try collector.addRing(loop, role: role)
        }
      }
      return collector
    }
  }

  /// Returns the validated border of the polygon.
  ///
  /// - Parameter edges: The model of the edges.
  /// - Returns: A collector with all rings.
  /// - Throws: `RegionError.Reason`, first for single rings, then for the rings together.
  /// - Complexity: O(n log n) in the number of points.
  func checkedArcs(edges: EdgeModel) throws(RegionError.Reason) -> ArcCollector {
    try checkedBorders(edges: edges).arcs
  }

  /// Returns the validated rings of the polygon and a collector with them.
  ///
  /// - Parameter edges: The model of the edges.
  /// - Returns: The rings and their arcs.
  /// - Throws: `RegionError.Reason` as ``checkedArcs(edges:)``.
  func checkedBorders(
    edges: EdgeModel
  ) throws(RegionError.Reason) -> (borders: Borders, arcs: ArcCollector) {
    let borders = try borders(edges: edges)
    let collector = try borders.arcs(edges: edges)
    try RingValidator(borders, edges: edges).check(collector)
    return (borders, collector)
  }

  /// Returns the vertices of all rings.
  ///
  /// - Parameter edges: The model of the edges.
  /// - Returns: The rings as written and as the edges run.
  /// - Throws: `RegionError.Reason` for a ring that is not closed, has too few vertices, or a whole
  ///   parallel that encloses nothing.
  func borders(edges: EdgeModel) throws(RegionError.Reason) -> Borders {
    let points = rings.map { $0.map(\.vertex) }
    var written: [[Vertex]] = []
    for (index, ring) in points.enumerated() {
      written.append(try Self.vertices(ring, index: index, edges: .planar))
    }
    guard edges == .spherical else { return Borders(written: written, loops: written, courses: []) }
    let courses = points.map { RingCourse($0) }
    var loops: [[Vertex]] = []
    for (index, course) in courses.enumerated() {
      if let parallel = course.parallels.first, !course.isBalanced {
        throw .openParallel(latitude: parallel.latitude)
      }
      let isClosed = course.vertices.isEmpty && (!course.borders.isEmpty || course.isWorld)
      loops.append(
        isClosed ? [] : try Self.vertices(course.vertices, index: index, edges: .spherical))
    }
    return Borders(written: written, loops: loops, courses: courses)
  }

  /// Returns the vertices of a ring without consecutive vertices at the same point and without the closing
  /// vertex.
  private static func vertices(
    _ ring: [Vertex], index: Int, edges: EdgeModel
  ) throws(RegionError.Reason) -> [Vertex] {
    guard ring.first == ring.last else { throw .ringNotClosed(ring: index) }
    let isRepetition = { (first: Vertex, second: Vertex) in
      first == second || edges == .spherical && first.hasDirection(of: second)
    }
    var vertices: [Vertex] = []
    vertices.reserveCapacity(ring.count)
    for vertex in ring where vertices.last.map({ !isRepetition($0, vertex) }) ?? true {
      vertices.append(vertex)
    }
    if let first = vertices.first, let last = vertices.last, isRepetition(last, first) {
      vertices.removeLast()
    }
    guard Set(vertices).count >= 3 else { throw .tooFewVertices(ring: index) }
    return vertices
  }
}
