/// A part of a region in a form that other systems can evaluate, such as a database server.
///
/// A region is the union of its outlines.
package enum RegionOutline: Hashable, Sendable {
  /// All points.
  case everything
  /// The points within an envelope, borders included.
  case envelope(Envelope)
  /// The points within a circle on the sphere.
  case circle(GeoCircle)
  /// The points within a polygon on the sphere: closed rings, the shell first, each
  /// counter-clockwise around its smaller side.
  case spherical([[Position]])
  /// The points within a polygon of the plane of longitude and latitude: closed rings, the shell
  /// first.
  case planar([[Position]])
  /// The points of a great circle between two points.
  case line(Position, Position)
  /// The points within a polygon on the sphere that has whole parallels and other edges.
  case mixed

  /// A vertex.
  package struct Position: Hashable, Sendable {
    /// The longitude in degrees.
    package let longitude: Double
    /// The latitude in degrees.
    package let latitude: Double

    /// The position on the opposite side of the sphere.
    package var antipode: Position {
      Position(Vertex(longitude: longitude, latitude: latitude).antipode)
    }

    init(_ vertex: Vertex) { (longitude, latitude) = (vertex.longitude, vertex.latitude) }
  }
}

extension RegionOutline {
  /// Returns a line along great circles as pieces with small bounding boxes.
  ///
  /// - Parameters:
  ///   - line: The vertices; no edge is half of a great circle.
  ///   - count: About the maximum number of pieces; pieces of a short line are at least one degree long.
  /// - Returns: The pieces, each of at least two positions, with the vertices of the line and points
  ///   between them.
  /// - Complexity: O(n + `count`) for n vertices.
  package static func pieces(of line: [Position], count: Int) -> [[Position]] {
    let directions = line.map { UnitVector(longitude: $0.longitude, latitude: $0.latitude) }
    let angles = zip(directions, directions.dropFirst()).map { start, end in
      start.angle(to: end)
    }
    let longest = max(radiansPerDegree, angles.reduce(0, +) / Double(max(1, count)))
    var pieces: [[Position]] = []
    var piece = Array(line.prefix(1))
    var length = 0.0
    for (index, angle) in angles.enumerated() {
      let parts = max(1, Int((angle / longest).rounded(.up)))
      for part in 1...parts {
        let fraction = Double(part) / Double(parts)
        let end =
          part == parts
          ? line[index + 1]
          : Position(
            directions[index].interpolated(
              to: directions[index + 1], angle: angle, fraction: fraction
            ).vertex)
        piece.append(end)
        length += angle / Double(parts)
        if length >= longest {
          pieces.append(piece)
          (piece, length) = ([end], 0)
        }
      }
    }
    return piece.count > 1 ? pieces + [piece] : pieces
  }

}

extension PreparedRegion {
  /// The outlines whose union is the region.
  ///
  /// - Complexity: O(n log n) for n vertices.
  package var outlines: [RegionOutline] {
    switch shape {
    case .circle(let circle):
      return [circle.radiusInRadians >= .pi ? .everything : .circle(circle)]
    case .box(let box): return box.parts(edges: edges).map { $0.outline(edges: edges) }
    case .polygon(let polygon): return [polygon.outline(edges: edges)]
    case .multiPolygon(let polygons): return polygons.map { $0.outline(edges: edges) }
    }
  }
}

extension GeoBox {
  fileprivate func outline(edges: EdgeModel) -> RegionOutline {
    if let band = band(edges: edges) { return .envelope(band) }
    let (south, north) = latitudes
    let (west, east) = longitudes(edges)
    if edges == .planar {
      return .envelope(
        Envelope(west: west, south: south, east: east, north: north))
    }
    if west == east || south == north {
      return .line(
        .init(Vertex(longitude: west, latitude: south)),
        .init(Vertex(longitude: east, latitude: north)))
    }
    return .spherical([ring(west, east, south, north, edges).closedAroundSmallerSide])
  }
}

extension GeoPolygon {
  fileprivate func outline(edges: EdgeModel) -> RegionOutline {
    // The polygon was validated when the region was prepared.
    guard let borders = try? borders(edges: edges) else { return .spherical([]) }
    switch edges {
    case .planar: return .planar(borders.loops.map { $0.closed.map(RegionOutline.Position.init) })
    case .spherical:
      if !borders.hasParallels { return .spherical(borders.loops.map(\.closedAroundSmallerSide)) }
      guard borders.courses.dropFirst().allSatisfy(\.parallels.isEmpty) else { return .mixed }
      let course = borders.courses[0]
      if course.borders.isEmpty {
        if course.isWorld { return borders.loops.count == 1 ? .everything : .mixed }
        // Edges along a pole do not change the interior of a ring around its smaller side.
        return course.isAroundSmallerSide
          ? .spherical(borders.loops.map(\.closedAroundSmallerSide)) : .mixed
      }
      guard borders.loops.count == 1, course.vertices.isEmpty, let band = course.band else {
        return .mixed
      }
      return .envelope(band)
    }
  }
}

extension RingCourse {
  /// The band between the whole parallels of a balanced ring; nil if there are not two.
  fileprivate var band: Envelope? {
    let latitudes =
      borders + (followsPole(90) ? [90] : []) + (followsPole(-90) ? [-90] : [])
    guard latitudes.count == 2 else { return nil }
    var envelope = Envelope.world
    (envelope.south, envelope.north) = (
      min(latitudes[0], latitudes[1]), max(latitudes[0], latitudes[1])
    )
    return envelope
  }

  /// Whether the ring encloses less than half of the sphere.
  fileprivate var isAroundSmallerSide: Bool { SphericalArea.area(of: self) < 2 * .pi - 1e-9 }
}

extension [Vertex] {
  fileprivate var closed: [Vertex] { self + prefix(1) }

  /// The closed ring, counter-clockwise around its smaller side.
  fileprivate var closedAroundSmallerSide: [RegionOutline.Position] {
    (areaToTheLeft > 2 * .pi ? reversed() : self).closed.map(RegionOutline.Position.init)
  }

  /// The area of the unit sphere to the left of the ring: the sum of the signed areas of the
  /// triangles between a fixed point and each edge.
  ///
  /// Source: A. Van Oosterom and J. Strackee, "The Solid Angle of a Plane Triangle", IEEE
  /// Transactions on Biomedical Engineering, 1983.
  private var areaToTheLeft: Double {
    // The areas are undefined for an edge through the antipode, which no edge of round coordinates meets.
    let fixed = UnitVector(longitude: 63.434_948_822, latitude: 53.300_774_799)
    let directions = map(\.unitVector)
    var area = 0.0
    for (index, start) in directions.enumerated() {
      let end = directions[(index + 1) % count]
      area +=
        2
        * arcTangent(
          y: fixed.dot(start.cross(end)),
          x: 1 + fixed.dot(start) + start.dot(end) + end.dot(fixed))
    }
    let whole = 4 * Double.pi
    return area - (area / whole).rounded(.down) * whole
  }
}
