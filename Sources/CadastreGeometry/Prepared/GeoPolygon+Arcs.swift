extension GeoPolygon {
  /// The border of the polygon, checked.
  ///
  /// - Throws: The first fault: of a ring by itself, then of the rings together.
  func checkedArcs(edges: EdgeModel) throws(RegionError.Reason) -> ArcCollector {
    let points = rings.map { $0.map { Vertex(longitude: $0.longitude, latitude: $0.latitude) } }
    let written = try Self.vertices(points)
    // From -180 to 180 along a parallel is no edge on the sphere. Where that leaves no ring, as of a
    // band, all edges mean what they do in longitude and latitude.
    let isBand =
      edges == .spherical && points.contains { Set($0.map(\.onSphere)).count < 3 }
      && RingRules.isValid(written)
    let edges = isBand ? .planar : edges
    let vertices =
      edges == .planar ? written : try Self.vertices(points.map { $0.map(\.onSphere) })
    var collector = ArcCollector(edges: edges)
    for (index, ring) in vertices.enumerated() {
      try collector.addRing(ring, role: index == 0 ? .shell : .hole)
    }
    try RingRules(written: written, rings: vertices, edges: edges).check(collector)
    return collector
  }

  private static func vertices(
    _ rings: [[Vertex]]
  ) throws(RegionError.Reason) -> [[Vertex]] {
    var found: [[Vertex]] = []
    for (index, ring) in rings.enumerated() { found.append(try vertices(ring, index: index)) }
    return found
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
