extension GeoPolygon {
  /// The rings of a polygon with the vertices that its edges connect.
  struct Borders {
    /// The rings as written, without repeated vertices.
    let written: [[Vertex]]
    /// The rings without the repeated last vertex; with spherical edges the loops of the courses.
    let loops: [[Vertex]]
    /// The courses of the rings on the sphere; none with planar edges.
    let courses: [RingCourse]

    /// Whether a ring has a whole parallel.
    var hasParallels: Bool { courses.contains { !$0.parallels.isEmpty } }
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
    var collector = ArcCollector(edges: edges)
    for (index, loop) in borders.loops.enumerated() {
      let role: Arc.Role = index == 0 ? .shell : .hole
      if edges == .spherical {
        try collector.addRing(loop, of: borders.courses[index], role: role)
      } else {
        try collector.addRing(loop, role: role)
      }
    }
    try RingRules(borders, edges: edges).check(collector)
    return (borders, collector)
  }

  /// Returns the vertices of all rings.
  ///
  /// - Parameter edges: The model of the edges.
  /// - Returns: The rings as written and as the edges run.
  /// - Throws: `RegionError.Reason` for a ring that is not closed, has too few vertices, or a whole
  ///   parallel that encloses nothing.
  func borders(edges: EdgeModel) throws(RegionError.Reason) -> Borders {
    let points = rings.map { $0.map { Vertex(longitude: $0.longitude, latitude: $0.latitude) } }
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

  /// Returns the vertices of a ring without consecutive ones at the same place and without the
  /// closing point.
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
