extension GeoPolygon {
  /// Returns the validated border of the polygon.
  ///
  /// - Parameter edges: The model of the edges.
  /// - Returns: A collector with all rings.
  /// - Throws: `RegionError.Reason`, first for single rings, then for the rings together.
  /// - Complexity: O(n log n) in the number of points.
  func checkedArcs(edges: EdgeModel) throws(RegionError.Reason) -> ArcCollector {
    let (written, vertices, edges) = try checkedVertices(edges: edges)
    var collector = ArcCollector(edges: edges)
    for (index, ring) in vertices.enumerated() {
      try collector.addRing(ring, role: index == 0 ? .shell : .hole)
    }
    try RingRules(written: written, rings: vertices, edges: edges).check(collector)
    return collector
  }

  /// Returns the vertices of all rings and the model that their edges follow.
  ///
  /// - Parameter edges: The model of the edges.
  /// - Returns: The rings as written, the rings with the coordinates that the edges connect, and
  ///   the model of these edges.
  /// - Throws: `RegionError.Reason` for a ring that is not closed or has too few vertices.
  func checkedVertices(
    edges: EdgeModel
  ) throws(RegionError.Reason) -> (written: [[Vertex]], rings: [[Vertex]], edges: EdgeModel) {
    let points = rings.map { $0.map { Vertex(longitude: $0.longitude, latitude: $0.latitude) } }
    let written = try Self.vertices(points, edges: .planar)
    // On the sphere, an edge from -180 to 180 along a parallel has length 0. If the ring of a band of
    // latitudes collapses by this, all edges are taken as planar.
    let collapsed = edges == .spherical ? written.filter(\.collapsesOnSphere) : []
    let isBand =
      !collapsed.isEmpty && collapsed.allSatisfy(\.followsParallelsAndMeridians)
      && RingRules.isValid(written)
    let edges = isBand ? .planar : edges
    let vertices =
      edges == .planar
      ? written : try Self.vertices(points.map { $0.map(\.onSphere) }, edges: .spherical)
    return (written, vertices, edges)
  }

  private static func vertices(
    _ rings: [[Vertex]], edges: EdgeModel
  ) throws(RegionError.Reason) -> [[Vertex]] {
    var result: [[Vertex]] = []
    for (index, ring) in rings.enumerated() {
      result.append(try vertices(ring, index: index, edges: edges))
    }
    return result
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

extension [Vertex] {
  /// Whether the ring has fewer than three vertices on the sphere, where -180 and 180 are one.
  fileprivate var collapsesOnSphere: Bool { Set(map(\.onSphere)).count < 3 }

  /// Whether each edge of the ring has one longitude or one latitude.
  fileprivate var followsParallelsAndMeridians: Bool {
    indices.allSatisfy { index in
      let (start, end) = (self[index], self[(index + 1) % count])
      return start.longitude == end.longitude || start.latitude == end.latitude
    }
  }
}
