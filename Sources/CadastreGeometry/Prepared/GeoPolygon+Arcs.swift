extension GeoPolygon {
  /// The border of the polygon, checked.
  ///
  /// - Throws: The first fault: of a ring by itself, then of the rings together.
  func checkedArcs(edges: EdgeModel) throws(RegionError.Reason) -> ArcCollector {
    let edges = goesRound ? .planar : edges
    var collector = ArcCollector(edges: edges)
    var written: [[Vertex]] = []
    var vertices: [[Vertex]] = []
    for (index, ring) in rings.enumerated() {
      let points = ring.map { Vertex(longitude: $0.longitude, latitude: $0.latitude) }
      written.append(try Self.vertices(points, index: index))
      guard edges == .spherical else { continue }
      vertices.append(try Self.vertices(points.map(\.onSphere), index: index))
    }
    if edges == .planar { vertices = written }
    for (index, ring) in vertices.enumerated() {
      try collector.addRing(ring, role: index == 0 ? .shell : .hole)
    }
    try RingRules(written: written, rings: vertices, edges: edges).check(collector)
    return collector
  }

  /// Whether edges lead from -180 to 180 along a parallel: once round the Earth, as in a band.
  ///
  /// On the sphere both ends are one place and the edge would be none, so it means what it does in
  /// longitude and latitude, and so do the others. A single one along a pole is none anyway: so files
  /// close Antarctica.
  private var goesRound: Bool {
    var alongPoles = 0
    for ring in rings {
      for (start, end) in zip(ring, ring.dropFirst())
      where abs(start.longitude - end.longitude) == 360 && start.latitude == end.latitude {
        if abs(start.latitude) < 90 { return true }
        alongPoles += 1
      }
    }
    return alongPoles > 1
  }

  /// The different neighbours of a ring, the closing point left out.
  private static func vertices(
    _ ring: [Vertex], index: Int
  ) throws(RegionError.Reason) -> [Vertex] {
    var vertices: [Vertex] = []
    vertices.reserveCapacity(ring.count)
    for vertex in ring where vertices.last != vertex { vertices.append(vertex) }
    guard vertices.first == vertices.last else { throw .ringNotClosed(ring: index) }
    vertices.removeLast()
    guard Set(vertices).count >= 3 else { throw .tooFewVertices(ring: index) }
    return vertices
  }
}
