extension PreparedGeometry {
  /// Collects the vertices and edges of the parts of a geometry.
  struct Builder {
    let edges: EdgeModel
    private(set) var points: [Vertex] = []
    private(set) var lines: [[Vertex]] = []
    private(set) var rings: [[Vertex]] = []
    private(set) var areas: [PreparedPolygon] = []
    private(set) var segments: [Segment] = []
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
        if edges == .spherical, Segment(last, next, edges: edges) == nil {
          // Coordinates may differ by less than the rounding of directions.
          guard last.isAntipodal(to: next) else { continue }
          vertices.append(Self.middle(last, next))
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

    private mutating func add(line: [Vertex]) {
      guard line.count > 1 else {
        points += line
        return
      }
      lines.append(line)
      for (start, end) in zip(line, line.dropFirst()) {
        guard let segment = Segment(start, end, edges: edges) else { continue }
        segments.append(segment)
        // Segments have no antipodal ends, so this cannot fail.
        try? border.addLine(from: start, to: end)
      }
    }

    private mutating func add(polygon: [[GeoPosition]]) {
      var collector = ArcCollector(edges: edges)
      var isArea = false
      for (index, positions) in polygon.enumerated() {
        var ring = vertices(positions)
        guard Set(ring).count >= 3 else {
          add(line: ring)
          continue
        }
        ring.removeLast()
        // A ring's antipodal edges were divided, so this cannot fail.
        try? collector.addRing(ring, role: index == 0 ? .shell : .hole)
        isArea = isArea || index == 0
        rings.append(ring)
        for index in ring.indices {
          let next = ring[(index + 1) % ring.count]
          if let segment = Segment(ring[index], next, edges: edges) { segments.append(segment) }
        }
      }
      if isArea { areas.append(PreparedPolygon(collector)) }
    }
  }
}
