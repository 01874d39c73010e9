extension GeoPolygon {
  /// The border of the polygon, checked.
  ///
  /// - Throws: The first fault: of a ring by itself, then of the rings together.
  func checkedArcs(edges: EdgeModel) throws(RegionError.Reason) -> ArcCollector {
    var collector = ArcCollector(edges: edges)
    var vertices: [[Vertex]] = []
    for (index, ring) in rings.enumerated() {
      let ring = try Self.vertices(ring, index: index, edges: edges)
      try collector.addRing(ring, role: index == 0 ? .shell : .hole)
      vertices.append(ring)
    }
    try RingRules(rings: vertices, edges: edges).check(collector)
    return collector
  }

  /// The different neighbours of a ring, the closing point left out.
  private static func vertices(
    _ ring: [GeoPoint], index: Int, edges: EdgeModel
  ) throws(RegionError.Reason) -> [Vertex] {
    var vertices: [Vertex] = []
    vertices.reserveCapacity(ring.count)
    for point in ring {
      var vertex = Vertex(longitude: point.longitude, latitude: point.latitude)
      if edges == .spherical { vertex = vertex.onSphere }
      if vertices.last != vertex { vertices.append(vertex) }
    }
    guard vertices.first == vertices.last else { throw .ringNotClosed(ring: index) }
    vertices.removeLast()
    guard Set(vertices).count >= 3 else { throw .tooFewVertices(ring: index) }
    return vertices
  }
}
