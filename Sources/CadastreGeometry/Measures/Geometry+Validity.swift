extension Geometry {
  /// The reason why the geometry is invalid; nil if it is valid.
  ///
  /// Rings may not cross, touch themselves or leave their exterior ring. With spherical edges no edge
  /// may join antipodes; a polygon is valid if it is valid in longitude and latitude or on the
  /// sphere, and the polygons of a multi-polygon are checked one by one. With planar edges polygons
  /// of a multi-polygon may touch in points only.
  ///
  /// - Parameter edges: How the edges run between positions.
  /// - Returns: The violated rule and its location.
  /// - Complexity: O(n log n) in the number of positions.
  public func fault(edges: EdgeModel = .spherical) -> RegionError.Reason? {
    let parts = parts
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
      for line in parts.lines {
        for (start, end) in zip(line, line.dropFirst()) where Self.areAntipodes(start, end) {
          return .antipodalNeighbours(longitude: start.longitude, latitude: start.latitude)
        }
      }
      for rings in parts.polygons {
        guard
          let polygon = GeoPolygon(
            outerRing: rings[0].map(\.point), holes: rings.dropFirst().map { $0.map(\.point) })
        else { return .empty }
        do throws(RegionError.Reason) {
          _ = try polygon.checkedArcs(edges: .spherical)
        } catch {
          return error
        }
      }
      return nil
    }
  }

  private static func areAntipodes(_ start: GeoPosition, _ end: GeoPosition) -> Bool {
    let first = Vertex(longitude: start.longitude, latitude: start.latitude).onSphere
    let second = Vertex(longitude: end.longitude, latitude: end.latitude).onSphere
    return first.isAntipodal(to: second)
  }
}
