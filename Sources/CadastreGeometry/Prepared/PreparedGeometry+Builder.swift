extension PreparedGeometry {
  /// A builder that collects the vertices and edges of the parts of a geometry.
  struct Builder {
    let edges: EdgeModel
    private(set) var points: [Vertex] = []
    private(set) var lines: [[Vertex]] = []
    private(set) var rings: [[Vertex]] = []
    /// The latitudes of whole parallels of lines and rings.
    private(set) var parallels: [Double] = []
    private(set) var areas: [LazyPolygon] = []
    /// The arcs of all lines.
    private(set) var border: ArcCollector

    init(edges: EdgeModel) {
      self.edges = edges
      border = ArcCollector(edges: edges)
    }

    mutating func add(_ parts: Geometry.Parts) {
      points = parts.points.map { $0.vertex.canonical(edges) }
      for line in parts.lines {
        let written = line.map(\.vertex)
        guard edges == .spherical else {
          add(line: written.withoutRepetitions)
          continue
        }
        add(lineOnSphere: written)
      }
      for rings in parts.polygons { add(polygon: rings) }
    }

    /// Returns canonical vertices without consecutive vertices of the same direction, and with a vertex
    /// between antipodes.
    private func distinct(_ chain: [Vertex]) -> [Vertex] {
      var vertices: [Vertex] = []
      vertices.reserveCapacity(chain.count)
      for next in chain {
        guard let last = vertices.last else {
          vertices.append(next)
          continue
        }
        if last == next { continue }
        if !last.isClearlyApart(from: next) {
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
        // Consecutive vertices are never antipodes, so this cannot fail.
        try? border.addLine(from: start, to: end)
      }
    }

    /// Adds a line of vertices as written.
    private mutating func add(lineOnSphere written: [Vertex]) {
      let latitudes = Set(written.wholeParallels.map(\.latitude)).filter { abs($0) < 90 }.sorted()
      for latitude in latitudes { border.addParallel(latitude, role: .line) }
      parallels += latitudes
      let vertices = distinct(written.onSphere)
      // A line of whole parallels only has no other point.
      if vertices.count > 1 || latitudes.isEmpty { add(line: vertices) }
    }

    private mutating func add(polygon: [[GeoPosition]]) {
      var collector = ArcCollector(edges: edges)
      var isArea = false
      for (index, positions) in polygon.enumerated() {
        let role: Arc.Role = index == 0 ? .shell : .hole
        let written = positions.map(\.vertex)
        let course = edges == .spherical ? RingCourse(written) : nil
        var ring = course.map { distinct($0.vertices) } ?? written.withoutRepetitions
        let hasLoop = Self.hasThree(ring)
        if hasLoop {
          ring.removeLast()
          rings.append(ring)
        }
        // A ring's antipodal edges were divided, so no edge joins antipodes.
        if let course, !course.parallels.isEmpty {
          if !hasLoop, course.borders.isEmpty, !course.isWorld {
            // The edges cancel.
            add(lineOnSphere: written)
            continue
          }
          try? collector.addRing(hasLoop ? ring : [], of: course, role: role)
          parallels += course.borders
        } else if hasLoop {
          try? collector.addRing(ring, role: role)
        } else {
          add(line: ring)
          continue
        }
        isArea = isArea || index == 0
      }
      // A polygon without arcs is the whole sphere, or is empty if its hole is the whole sphere.
      if isArea, !collector.arcs.isEmpty || collector.base == .shell {
        areas.append(LazyPolygon(collector))
      }
    }
  }
}
