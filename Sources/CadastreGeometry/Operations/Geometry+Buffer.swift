extension Geometry {
  /// Returns the points within a distance of the geometry, as polygons of great-circle edges.
  ///
  /// The distance of the border differs by at most 1 %: GEOS approximates a quarter of a circle by 16 chords, and leaves out
  /// vertices that change a border by less than that. Use ``isWithin(_:of:edges:)`` for exact tests.
  ///
  /// A geometry that is within 4° of its middle is projected to a plane, in which distances from its middle are exact and
  /// others at most 0.1 % too long. The lines and borders of others are divided into pieces of that size, whose buffers are
  /// united.
  ///
  /// - Parameter distance: The distance.
  /// - Returns: A polygon or a multi-polygon, without altitudes; empty for an empty geometry.
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` if the distance is more than 84° or a part of the result reaches farther
  ///   than 88° from its middle, if an edge is a whole parallel or joins antipodes, or if GEOS fails.
  /// - Complexity: O(n log n) in the number of positions, with those that divide long edges.
  public func buffered(by distance: Distance) throws(GeometryError) -> Geometry {
    try refuseWholeParallels()
    let width = distance.radians
    let limit = GnomonicProjection.maximumReach - BufferPlane.maximumReach
    guard width <= limit else {
      throw .geometryLibrary(
        "a buffer is at most \(Int((limit / radiansPerDegree).rounded()))° wide, found \(width / radiansPerDegree)°"
      )
    }
    let buffer = try withoutFalseHoles(bufferOfParts(width).withoutRepetitions, width)
    guard !buffer.isEmpty || isEmpty || width <= 0 else {
      throw .geometryLibrary("the distance is smaller than the resolution of coordinates")
    }
    return buffer
  }

  /// Returns the points of the polygons that are farther than a distance from their border, with great-circle edges.
  ///
  /// The result is the difference of the polygons, united, and the buffer of their rings. The distance of its border differs
  /// by at most 1 %.
  ///
  /// - Parameter distance: The distance.
  /// - Returns: Polygons; empty where nothing is that far from the border, and for points and lines.
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` as ``buffered(by:)`` of the rings.
  /// - Complexity: O(n log n) in the number of positions.
  public func inset(by distance: Distance) throws(GeometryError) -> Geometry {
    // Neither an edge to a pole and back nor a common edge of two polygons is a border.
    let parts = withoutRepetitions.parts.polygons.map { Geometry(unchecked: .polygon($0)) }
    let all = try Geometry.sphericalUnion(of: parts)
    guard !all.isEmpty, distance.radians > 0 else { return all }
    // Nothing in a hemisphere is farther from its border than its middle.
    guard distance.radians < .pi / 2 else { return Geometry() }
    let rings = Geometry(unchecked: .multiLineString(Array(all.parts.polygons.joined())))
    return try all.sphericalDifference(try rings.buffered(by: distance))
  }

  /// Returns a buffer without holes that are nearer than its width, which GEOS leaves at some bends.
  private func withoutFalseHoles(_ buffer: Geometry, _ width: Double) -> Geometry {
    let polygons = buffer.parts.polygons
    guard polygons.contains(where: { $0.count > 1 }) else { return buffer }
    let prepared = PreparedGeometry(self, edges: .spherical)
    func isFar(_ position: GeoPosition) -> Bool {
      let point = PreparedGeometry(Geometry(unchecked: .point(position)), edges: .spherical)
      return prepared.distance(to: point).map { $0.radians > 0.99 * width } ?? true
    }
    let parts = polygons.map { rings in
      rings.prefix(1) + rings.dropFirst().filter { $0.contains(where: isFar) }
    }.map(Array.init)
    return Geometry(unchecked: parts.count == 1 ? .polygon(parts[0]) : .multiPolygon(parts))
  }

  private func bufferOfParts(_ width: Double) throws(GeometryError) -> Geometry {
    if let middle, reach(from: middle) <= BufferPlane.maximumReach {
      return try BufferPlane(center: middle, width: width).buffer(of: self)
    }
    let parts = parts
    var buffers = parts.polygons.map { Geometry(unchecked: .polygon($0)) }
    for point in parts.points {
      buffers.append(
        try BufferPlane(center: point.direction, width: width)
          .buffer(of: Geometry(unchecked: .point(point))))
    }
    for line in parts.lines + parts.polygons.joined() {
      for piece in try BufferPlane.pieces(of: line) {
        buffers.append(
          try BufferPlane(center: piece[0].direction, width: width)
            .buffer(of: Geometry(unchecked: .lineString(piece))))
      }
    }
    return try Geometry.sphericalUnion(of: buffers.filter { !$0.isEmpty })
  }
}

/// An azimuthal equidistant projection for the buffer of a geometry, in which great circles are polylines.
private struct BufferPlane {
  private let projection: AzimuthalProjection
  private let widthInDegrees: Double
  /// The greatest distance in degrees of a great circle from its image.
  private let tolerance: Double

  /// The greatest angle between the centre and a position, in radians.
  ///
  /// At an angle c distances are too long by up to a factor of c / sin c, here 1.0008.
  static let maximumReach = 4 * radiansPerDegree

  /// The greatest number of halvings of an edge.
  private static let maximumDepth = 16

  /// Creates the plane of a buffer whose width is in radians.
  init(center: UnitVector, width: Double) {
    projection = AzimuthalProjection(center: center)
    widthInDegrees = width / radiansPerDegree
    // 1 cm if the width is 0.
    tolerance = max(widthInDegrees / 200, 1e-12, width > 0 ? 0 : 1e-7)
  }

  /// Divides a line into pieces whose positions are within ``maximumReach`` of their first one.
  ///
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` if an edge joins antipodes.
  static func pieces(of line: [GeoPosition]) throws(GeometryError) -> [[GeoPosition]] {
    guard var last = line.first else { return [] }
    var pieces: [[GeoPosition]] = []
    var piece = [last]
    for end in line.dropFirst() {
      guard !last.vertex.isAntipodal(to: end.vertex) else {
        throw .geometryLibrary("the operation does not take an edge between antipodes")
      }
      let edge = greatCirclePoints(
        fromLongitude: last.longitude, latitude: last.latitude, toLongitude: end.longitude,
        latitude: end.latitude, spacing: maximumReach / 2)
      let inner = edge.dropFirst().map {
        GeoPosition(uncheckedLongitude: $0.longitude, latitude: $0.latitude)
      }
      for position in inner + [end] {
        if piece[0].direction.angle(to: position.direction) > maximumReach {
          pieces.append(piece)
          piece = [piece[piece.count - 1]]
        }
        piece.append(position)
      }
      last = end
    }
    return pieces + [piece]
  }

  /// Returns the buffer of a geometry within ``maximumReach`` of the centre.
  func buffer(of geometry: Geometry) throws(GeometryError) -> Geometry {
    let plane = geometry.mapLines(point: image) {
      divided($0, middle: greatCircleMiddle).map(image)
    }
    return try Self.withOpenLines(plane).transformed(.buffer(widthInDegrees)).mapLines(
      point: position
    ) {
      divided($0, middle: straightMiddle).map(position)
    }
  }

  /// Returns an image with closed lines in several parts.
  ///
  /// GEOS 3.11 treats a closed line as a ring, and its buffer may have a hole that is nearer than its width.
  private static func withOpenLines(_ image: Geometry) -> Geometry {
    let parts = image.parts
    guard parts.lines.contains(where: \.isClosedLine) else { return image }
    var open = parts.lines
    var lines: [[GeoPosition]] = []
    while let line = open.popLast() {
      if line.isClosedLine {
        let middle = line.count / 2
        open += [Array(line[...middle]), Array(line[middle...])]
      } else {
        lines.append(line)
      }
    }
    return Geometry(
      unchecked: .collection(
        [
          Geometry(unchecked: .multiPoint(parts.points)),
          Geometry(unchecked: .multiLineString(lines)),
          Geometry(unchecked: .multiPolygon(parts.polygons)),
        ].filter { !$0.isEmpty }))
  }

  private func image(_ position: GeoPosition) -> GeoPosition {
    let point = projection.project(position)
    return GeoPosition(uncheckedLongitude: point.x, latitude: point.y)
  }

  private func position(_ image: GeoPosition) -> GeoPosition {
    projection.position(of: PlanePoint(x: image.longitude, y: image.latitude))
  }

  /// Returns a line with further positions, so that straight edges in the plane are near the great circles.
  ///
  /// - Parameters:
  ///   - line: The line.
  ///   - middle: Returns the middle of an edge; nil if it is near enough as it is.
  /// - Returns: The line.
  private func divided(
    _ line: [GeoPosition], middle: (GeoPosition, GeoPosition) -> GeoPosition?
  ) -> [GeoPosition] {
    guard let first = line.first else { return line }
    var result = [first]
    result.reserveCapacity(line.count)
    for (start, end) in zip(line, line.dropFirst()) {
      var open = [(start: start, end: end, depth: 0)]
      while let (start, end, depth) = open.popLast() {
        if depth < Self.maximumDepth, let middle = middle(start, end) {
          open.append((middle, end, depth + 1))
          open.append((start, middle, depth + 1))
        } else {
          result.append(end)
        }
      }
    }
    return result
  }

  /// Returns the middle of a great circle if the straight line between the images of its ends is far from it.
  private func greatCircleMiddle(_ start: GeoPosition, _ end: GeoPosition) -> GeoPosition? {
    let (first, last) = (image(start), image(end))
    guard isLong(first, last), let direction = (start.direction + end.direction).normalized else {
      return nil
    }
    let middle = GeoPosition(
      uncheckedLongitude: direction.longitude, latitude: direction.latitude)
    return isFar(Self.middle(first, last), image(middle)) ? middle : nil
  }

  /// Returns the middle of a straight line in the plane if the great circle between its ends is far from it.
  private func straightMiddle(_ start: GeoPosition, _ end: GeoPosition) -> GeoPosition? {
    guard isLong(start, end),
      let direction = (position(start).direction + position(end).direction).normalized
    else { return nil }
    let middle = Self.middle(start, end)
    let other = GeoPosition(
      uncheckedLongitude: direction.longitude, latitude: direction.latitude)
    return isFar(middle, image(other)) ? middle : nil
  }

  private static func middle(_ first: GeoPosition, _ second: GeoPosition) -> GeoPosition {
    GeoPosition(
      uncheckedLongitude: (first.longitude + second.longitude) / 2,
      latitude: (first.latitude + second.latitude) / 2)
  }

  private static func square(_ first: GeoPosition, _ second: GeoPosition) -> Double {
    let (dx, dy) = (first.longitude - second.longitude, first.latitude - second.latitude)
    return dx * dx + dy * dy
  }

  private func isFar(_ first: GeoPosition, _ second: GeoPosition) -> Bool {
    Self.square(first, second) > tolerance * tolerance
  }

  /// Returns whether a straight line in the plane may be farther than the tolerance from the great circle.
  ///
  /// The image of a great circle at a distance r from the centre has a curvature below tan r, so that its height over a chord
  /// of length c is below c² tan(r) / 8.
  private func isLong(_ first: GeoPosition, _ second: GeoPosition) -> Bool {
    let center = GeoPosition(uncheckedLongitude: 0, latitude: 0)
    let degrees = max(Self.square(first, center), Self.square(second, center)).squareRoot()
    let slope = degrees < 80 ? degrees / cosine(degrees * radiansPerDegree) : .infinity
    let factor = radiansPerDegree * radiansPerDegree
    return Self.square(first, second) * factor * slope / 8 > tolerance
  }
}

extension [GeoPosition] {
  /// Whether the line has several edges and ends where it begins.
  fileprivate var isClosedLine: Bool { count > 2 && first == last }
}
