extension PreparedGeometry {
  /// Collects the vertices and edges of the parts of a geometry.
  struct Builder {
    let edges: EdgeModel
    private(set) var points: [Vertex] = []
    private(set) var lines: [[Vertex]] = []
    private(set) var rings: [[Vertex]] = []
    private(set) var areas: [LazyPolygon] = []
    /// The arcs of all lines.
    private(set) var border: ArcCollector

    init(edges: EdgeModel) {
      self.edges = edges
      border = ArcCollector(edges: edges)
    }

    mutating func add(_ parts: Geometry.Parts) {
      points = parts.points.map { vertex($0) }
      for line in parts.lines { add(line: vertices(line)) }
      for rings in parts.polygons { add(polygon: rings) }
    }

    private func vertex(_ position: GeoPosition) -> Vertex {
      let vertex = Vertex(longitude: position.longitude, latitude: position.latitude)
      return edges == .spherical ? vertex.onSphere : vertex
    }

    /// Returns the vertices without consecutive ones of the same direction; between antipodes one is
    /// added.
    private func vertices(_ positions: [GeoPosition]) -> [Vertex] {
      var vertices: [Vertex] = []
      vertices.reserveCapacity(positions.count)
      for position in positions {
        let next = vertex(position)
        guard let last = vertices.last else {
          vertices.append(next)
          continue
        }
        if last == next { continue }
        if edges == .spherical, !last.isClearlyApart(from: next) {
          if last.hasDirection(of: next) { continue }
          if last.isAntipodal(to: next) { vertices.append(Self.middle(last, next)) }
        }
        vertices.append(next)
      }
      return vertices
    }

    /// Returns the vertex through which an edge between antipodes passes.
    private static func middle(_ start: Vertex, _ end: Vertex) -> Vertex {
      if start.isPole || end.isPole { return Vertex(longitude: 0, latitude: 0) }
      return Vertex(longitude: 0, latitude: 90)
    }

    /// Returns whether there are three different vertices.
    private static func hasThree(_ ring: [Vertex]) -> Bool {
      guard let first = ring.first, let second = ring.first(where: { $0 != first }) else {
        return false
      }
      return ring.contains { $0 != first && $0 != second }
    }

    private mutating func add(line: [Vertex]) {
      guard line.count > 1 else {
        points += line
        return
      }
      lines.append(line)
      for (start, end) in zip(line, line.dropFirst()) {
        // Vertices are never antipodes of the one before, so this cannot fail.
        try? border.addLine(from: start, to: end)
      }
    }

    private mutating func add(polygon: [[GeoPosition]]) {
      var collector = ArcCollector(edges: edges)
      var isArea = false
      for (index, positions) in polygon.enumerated() {
        var ring = vertices(positions)
        guard Self.hasThree(ring) else {
          add(line: ring)
          continue
        }
        ring.removeLast()
        // A ring's antipodal edges were divided, so this cannot fail.
        try? collector.addRing(ring, role: index == 0 ? .shell : .hole)
        isArea = isArea || index == 0
        rings.append(ring)
      }
      if isArea { areas.append(LazyPolygon(collector)) }
    }
  }
}
