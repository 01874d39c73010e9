/// Relations and operations in the plane of longitude and latitude, by GEOS.
///
/// Edges are straight lines in degrees, and longitudes do not wrap at ±180°.
extension Geometry {
  /// Returns whether the geometries have common points but no common interior point.
  ///
  /// - Parameter other: The other geometry.
  /// - Returns: The relation `touches` of the OGC.
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` if GEOS cannot decide, as for crossing rings.
  public func touches(_ other: Geometry) throws(GeometryError) -> Bool {
    try satisfies(.touches, other)
  }

  /// Returns whether the geometries cross: the dimension of the common interior is less than the
  /// greater dimension of the two geometries.
  ///
  /// - Parameter other: The other geometry.
  /// - Returns: The relation `crosses` of the OGC.
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` if GEOS cannot decide, as for crossing rings.
  public func crosses(_ other: Geometry) throws(GeometryError) -> Bool {
    try satisfies(.crosses, other)
  }

  /// Returns whether the geometries overlap: the common interior has the dimension of both, and each
  /// geometry has points outside of the other one.
  ///
  /// - Parameter other: The other geometry.
  /// - Returns: The relation `overlaps` of the OGC.
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` if GEOS cannot decide, as for crossing rings.
  public func overlaps(_ other: Geometry) throws(GeometryError) -> Bool {
    try satisfies(.overlaps, other)
  }

  /// Returns whether the intersection matrix of interiors, borders and exteriors matches a pattern.
  ///
  /// - Parameters:
  ///   - other: The other geometry.
  ///   - pattern: Nine characters of `T`, `F`, `*`, `0`, `1` and `2`, for example `T*F**F***`.
  /// - Returns: The relation `relate` of the OGC.
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` for an invalid pattern, or if GEOS cannot decide.
  public func relates(to other: Geometry, matching pattern: String) throws(GeometryError) -> Bool {
    guard pattern.utf8.count == 9, pattern.utf8.allSatisfy({ "TF*012tf".utf8.contains($0) })
    else {
      throw .geometryLibrary(
        "a pattern has nine characters of T, F, *, 0, 1 and 2, found '\(pattern.prefix(40))'")
    }
    return try satisfies(.matching(pattern), other)
  }

  /// Returns the points of either geometry.
  ///
  /// - Parameter other: The other geometry.
  /// - Returns: The union.
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` if GEOS fails.
  public func union(_ other: Geometry) throws(GeometryError) -> Geometry {
    try combined(.union, other)
  }

  /// Returns the common points.
  ///
  /// - Parameter other: The other geometry.
  /// - Returns: The intersection, which may be empty.
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` if GEOS fails.
  public func intersection(_ other: Geometry) throws(GeometryError) -> Geometry {
    try combined(.intersection, other)
  }

  /// Returns the points that are not in another geometry.
  ///
  /// - Parameter other: The other geometry.
  /// - Returns: The difference, which may be empty.
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` if GEOS fails.
  public func difference(_ other: Geometry) throws(GeometryError) -> Geometry {
    try combined(.difference, other)
  }

  /// Returns the points of exactly one of the geometries.
  ///
  /// - Parameter other: The other geometry.
  /// - Returns: The symmetric difference, which may be empty.
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` if GEOS fails.
  public func symmetricDifference(_ other: Geometry) throws(GeometryError) -> Geometry {
    try combined(.symmetricDifference, other)
  }

  /// Returns the smallest convex geometry that contains this one.
  ///
  /// - Returns: The convex hull.
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` if GEOS fails.
  public func convexHull() throws(GeometryError) -> Geometry {
    try transformed(.convexHull)
  }

  /// Returns the geometry with fewer positions, by the algorithm of Douglas and Peucker.
  ///
  /// Valid polygons stay valid. Borders that two geometries have in common may separate.
  ///
  /// - Parameter degrees: The greatest distance of the result from the original, in degrees.
  /// - Returns: The simplified geometry.
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` if GEOS fails.
  public func simplified(toleranceInDegrees degrees: Double) throws(GeometryError) -> Geometry {
    try transformed(.simplify(tolerance: max(0, degrees)))
  }

  // MARK: Calls

  private func satisfies(
    _ relation: GEOSRelation, _ other: Geometry
  ) throws(GeometryError) -> Bool {
    do throws(GEOSError) {
      let first = try GEOSGeometry(self)
      return try first.satisfies(relation, GEOSGeometry(other, beside: first))
    } catch {
      throw .geometryLibrary(error.message)
    }
  }

  private func combined(
    _ operation: GEOSOverlay, _ other: Geometry
  ) throws(GeometryError) -> Geometry {
    do throws(GEOSError) {
      let first = try GEOSGeometry(self)
      return try first.combined(operation, GEOSGeometry(other, beside: first)).geometry()
    } catch {
      throw .geometryLibrary(error.message)
    }
  }

  func transformed(
    _ operation: GEOSTransformation
  ) throws(GeometryError) -> Geometry {
    do throws(GEOSError) {
      return try GEOSGeometry(self).transformed(operation).geometry()
    } catch {
      throw .geometryLibrary(error.message)
    }
  }
}

/// Repair in the plane of longitude and latitude, by GEOS.
extension Geometry {
  /// Returns a valid geometry whose vertices are the positions and the crossings of the edges.
  ///
  /// The result of polygons is a polygon or a multi-polygon, without parts that have no area; polygons of a
  /// multi-polygon that overlap become their union. A geometry whose edges cross ±180° is repaired in a
  /// plane that is continuous there; where that fails, edges are great circles.
  ///
  /// - Returns: The repaired geometry, which is valid with spherical edges.
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` if edges cross both ±180° and 0°, if the polygons have
  ///   no area, if the result is invalid, or if GEOS fails.
  public func madeValid() throws(GeometryError) -> Geometry {
    if case .collection(let members) = shape {
      var repaired: [Geometry] = []
      for member in members { repaired.append(try member.madeValid()) }
      return Geometry(unchecked: .collection(repaired))
    }
    let failure: GeometryError
    do throws(GeometryError) {
      let isCrossing = try crossesAntimeridian()
      let plane = isCrossing ? turned : self
      let repaired = try plane.validInPlane()
      try refuseNoArea(in: repaired)
      let result = isCrossing ? repaired.turned : repaired
      guard let reason = result.invalidityReason(edges: .spherical) else { return result }
      failure = .geometryLibrary("the repaired geometry is invalid: \(reason)")
    } catch {
      failure = error
    }
    // At a pole, and where edges cross as great circles only, degrees are no plane for the repair.
    guard let repaired = try? madeValidOnSphere(), repaired.isValid() else { throw failure }
    return repaired
  }

  /// Returns whether edges cross ±180°, and none is a whole parallel.
  ///
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` if edges cross 0°, too.
  private func crossesAntimeridian() throws(GeometryError) -> Bool {
    guard let edge = Self.longEdge(of: self), parts.chains.allSatisfy(\.wholeParallels.isEmpty)
    else { return false }
    if let other = Self.longEdge(of: turned) {
      let opposite = Self.turned(other.longitude)
      throw .geometryLibrary(
        "an edge at [\(edge.longitude), \(edge.latitude)] crosses ±180°, and one at "
          + "[\(opposite), \(other.latitude)] crosses 0°; divide the geometry at ±180°")
    }
    return true
  }

  /// Returns the start of the first edge that spans more than 180° of longitude as written.
  private static func longEdge(of geometry: Geometry) -> Vertex? {
    for chain in geometry.parts.chains {
      for (start, end) in zip(chain, chain.dropFirst())
      where abs(end.longitude - start.longitude) > 180 { return start }
    }
    return nil
  }

  /// The geometry with all longitudes turned by 180°; two turns restore it, with -180° for 180°.
  private var turned: Geometry {
    mapPositions { position in
      GeoPosition(
        longitude: Self.turned(position.longitude), latitude: position.latitude,
        altitude: position.altitude) ?? position
    }
  }

  private static func turned(_ longitude: Double) -> Double {
    longitude < 0 ? longitude + 180 : longitude - 180
  }

  /// Throws an error if the result of ``validInPlane()`` has nothing of the geometry, because its polygons have no area.
  func refuseNoArea(in repaired: Geometry) throws(GeometryError) {
    if repaired.isEmpty, !isEmpty { throw .geometryLibrary("the polygons have no area") }
  }

  /// Returns the geometry repaired in the plane of its coordinates; empty for polygons without an area.
  func validInPlane() throws(GeometryError) -> Geometry {
    let polygons: [[[GeoPosition]]]
    switch shape {
    case .polygon(let rings) where !rings.isEmpty: polygons = [rings]
    case .multiPolygon(let parts) where !parts.isEmpty: polygons = parts
    default: return try transformed(.makeValid)
    }
    var repaired: [[[GeoPosition]]] = []
    for rings in polygons {
      let part = Geometry(unchecked: .polygon(rings))
      repaired += try part.transformed(.makeValid).parts.polygons
    }
    if polygons.count > 1 {
      let parts = Geometry(unchecked: .multiPolygon(repaired))
      repaired = try parts.transformed(.unaryUnion).parts.polygons
    }
    guard let first = repaired.first else { return Geometry() }
    return Geometry(unchecked: repaired.count == 1 ? .polygon(first) : .multiPolygon(repaired))
  }
}

extension Geometry.Parts {
  /// The vertices of all lines and rings.
  fileprivate var chains: [[Vertex]] { (lines + polygons.joined()).map { $0.map(\.vertex) } }
}

extension Geometry {
  /// Throws an error if an edge is a whole parallel, which no projection keeps; along a pole it is a point.
  func refuseWholeParallels() throws(GeometryError) {
    guard !parts.chains.contains(where: { $0.wholeParallels.contains { abs($0.latitude) < 90 } })
    else {
      throw .geometryLibrary("the operation does not take an edge of 360° of longitude")
    }
  }

  /// The direction of the mean of all positions; nil if the mean is the centre of the sphere.
  var middle: UnitVector? {
    var sum = UnitVector(x: 0, y: 0, z: 0)
    _ = mapPositions { position in
      sum = sum + position.direction
      return position
    }
    return sum.normalized
  }

  /// Returns the greatest angle between a direction and a position, in radians; 0 without positions.
  func reach(from middle: UnitVector) -> Double {
    var reach = 0.0
    _ = mapPositions { position in
      reach = max(reach, middle.angle(to: position.direction))
      return position
    }
    return reach
  }

  /// Returns the geometry with each position replaced by the result of a closure.
  func mapPositions(_ map: (GeoPosition) -> GeoPosition) -> Geometry {
    mapLines(point: map) { $0.map(map) }
  }

  /// Returns the geometry with each point, and each line and ring, replaced by the result of a closure.
  func mapLines(
    point map: (GeoPosition) -> GeoPosition, _ line: ([GeoPosition]) -> [GeoPosition]
  ) -> Geometry {
    let shape: Shape =
      switch shape {
      case .point(let position): .point(position.map(map))
      case .lineString(let positions): .lineString(line(positions))
      case .polygon(let rings): .polygon(rings.map(line))
      case .multiPoint(let positions): .multiPoint(positions.map(map))
      case .multiLineString(let lines): .multiLineString(lines.map(line))
      case .multiPolygon(let polygons): .multiPolygon(polygons.map { $0.map(line) })
      case .collection(let parts): .collection(parts.map { $0.mapLines(point: map, line) })
      }
    return Geometry(unchecked: shape)
  }
}
