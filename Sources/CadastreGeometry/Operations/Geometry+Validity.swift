extension Geometry {
  /// Returns whether the geometry is valid; ``invalidityReason(edges:)`` returns the violated rule.
  ///
  /// - Parameter edges: How the edges run between positions.
  /// - Returns: False if a rule of the edges is violated.
  /// - Complexity: O(n log n) in the number of positions, if few bounding boxes of edges intersect.
  public func isValid(edges: EdgeModel = .spherical) -> Bool {
    invalidityReason(edges: edges) == nil
  }

  /// Returns the reason why the geometry is invalid; nil for a valid geometry.
  ///
  /// Rings may not cross, touch themselves or leave their exterior ring. With spherical edges no edge
  /// may join antipodes, and a polygon is valid if it is valid in longitude and latitude or on the
  /// sphere. The polygons of a multi-polygon may touch in points; they may not overlap or have a part of
  /// an edge in common. With spherical edges they may meet along ±180°, where files divide polygons.
  ///
  /// - Parameter edges: How the edges run between positions.
  /// - Returns: The violated rule and its location.
  /// - Complexity: O(n log n) in the number of positions, if few bounding boxes of edges intersect.
  public func invalidityReason(edges: EdgeModel = .spherical) -> RegionError.Reason? {
    switch edges {
    case .planar:
      do throws(GEOSError) {
        guard let fault = try GEOSGeometry(self).fault() else { return nil }
        return .geometryLibrary(
          "\(fault.reason) at [\(fault.location.x), \(fault.location.y)]")
      } catch {
        return .geometryLibrary(error.message)
      }
    case .spherical:
      do throws(RegionError.Reason) {
        try checkOnSphere()
        return nil
      } catch {
        return error
      }
    }
  }

  private func checkOnSphere() throws(RegionError.Reason) {
    switch shape {
    case .point, .multiPoint: break
    case .lineString(let line): try Self.checkOnSphere(line)
    case .multiLineString(let lines): for line in lines { try Self.checkOnSphere(line) }
    case .polygon(let rings): if !rings.isEmpty { _ = try Self.checkedBorders(rings) }
    case .multiPolygon(let polygons):
      var parts: [(borders: GeoPolygon.Borders, arcs: ArcCollector)] = []
      for rings in polygons { parts.append(try Self.checkedBorders(rings)) }
      try MultiPolygonValidator(parts)?.check()
    case .collection(let members): for member in members { try member.checkOnSphere() }
    }
  }

  private static func checkOnSphere(_ line: [GeoPosition]) throws(RegionError.Reason) {
    for (start, end) in zip(line, line.dropFirst()) where areAntipodes(start.vertex, end.vertex) {
      throw .antipodalNeighbours(longitude: start.longitude, latitude: start.latitude)
    }
  }

  private static func checkedBorders(
    _ rings: [[GeoPosition]]
  ) throws(RegionError.Reason) -> (borders: GeoPolygon.Borders, arcs: ArcCollector) {
    let points = rings.map { $0.map(\.point) }
    guard let polygon = GeoPolygon(outerRing: points[0], holes: Array(points.dropFirst()))
    else { throw .empty }
    return try polygon.checkedBorders(edges: .spherical)
  }

  private static func areAntipodes(_ start: Vertex, _ end: Vertex) -> Bool {
    !start.isMeridian(to: end) && start.onSphere.isAntipodal(to: end.onSphere)
  }
}
