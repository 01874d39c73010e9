import CGEOS

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
    try holds(other) { GEOSTouches_r($0, $1, $2) }
  }

  /// Returns whether the interiors meet in a part of lower dimension than the greater of theirs.
  ///
  /// - Parameter other: The other geometry.
  /// - Returns: The relation `crosses` of the OGC.
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` if GEOS cannot decide, as for crossing rings.
  public func crosses(_ other: Geometry) throws(GeometryError) -> Bool {
    try holds(other) { GEOSCrosses_r($0, $1, $2) }
  }

  /// Returns whether the interiors meet in a part of their own dimension, and neither geometry
  /// contains the other.
  ///
  /// - Parameter other: The other geometry.
  /// - Returns: The relation `overlaps` of the OGC.
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` if GEOS cannot decide, as for crossing rings.
  public func overlaps(_ other: Geometry) throws(GeometryError) -> Bool {
    try holds(other) { GEOSOverlaps_r($0, $1, $2) }
  }

  /// Returns whether the intersection matrix of interiors, borders and exteriors fits a pattern.
  ///
  /// - Parameters:
  ///   - other: The other geometry.
  ///   - pattern: Nine characters of `T`, `F`, `*`, `0`, `1` and `2`, for example `T*F**F***`.
  /// - Returns: The relation `relate` of the OGC.
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` for another pattern, or if GEOS cannot decide.
  public func relates(to other: Geometry, _ pattern: String) throws(GeometryError) -> Bool {
    guard pattern.utf8.count == 9, pattern.utf8.allSatisfy({ "TF*012tf".utf8.contains($0) })
    else {
      throw .geometryLibrary(
        "a pattern has nine characters of T, F, *, 0, 1 and 2, found '\(pattern.prefix(40))'")
    }
    return try holds(other) { GEOSRelatePattern_r($0, $1, $2, pattern) }
  }

  /// Returns the points of either geometry.
  ///
  /// - Parameter other: The other geometry.
  /// - Returns: The union.
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` if GEOS fails.
  public func union(_ other: Geometry) throws(GeometryError) -> Geometry {
    try combined(other) { GEOSUnion_r($0, $1, $2) }
  }

  /// Returns the common points.
  ///
  /// - Parameter other: The other geometry.
  /// - Returns: The intersection, which may be empty.
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` if GEOS fails.
  public func intersection(_ other: Geometry) throws(GeometryError) -> Geometry {
    try combined(other) { GEOSIntersection_r($0, $1, $2) }
  }

  /// Returns the points that are not in another geometry.
  ///
  /// - Parameter other: The other geometry.
  /// - Returns: The difference, which may be empty.
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` if GEOS fails.
  public func difference(_ other: Geometry) throws(GeometryError) -> Geometry {
    try combined(other) { GEOSDifference_r($0, $1, $2) }
  }

  /// Returns the points of exactly one of the geometries.
  ///
  /// - Parameter other: The other geometry.
  /// - Returns: The symmetric difference, which may be empty.
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` if GEOS fails.
  public func symmetricDifference(_ other: Geometry) throws(GeometryError) -> Geometry {
    try combined(other) { GEOSSymDifference_r($0, $1, $2) }
  }

  /// The smallest convex geometry that contains this one.
  ///
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` if GEOS fails.
  public func convexHull() throws(GeometryError) -> Geometry {
    try transformed { GEOSConvexHull_r($0, $1) }
  }

  /// Returns the geometry with fewer positions, by the algorithm of Douglas and Peucker.
  ///
  /// Valid polygons stay valid. Borders that two geometries have in common may separate.
  ///
  /// - Parameter degrees: The greatest distance of the result from the original, in degrees.
  /// - Returns: The simplified geometry.
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` if GEOS fails.
  public func simplified(toleranceInDegrees degrees: Double) throws(GeometryError) -> Geometry {
    try transformed { GEOSTopologyPreserveSimplify_r($0, $1, max(0, degrees)) }
  }

  // MARK: Calls

  private func holds(
    _ other: Geometry, _ predicate: GEOSGeometry.Predicate
  ) throws(GeometryError) -> Bool {
    do throws(GEOSError) {
      let first = try GEOSGeometry(self)
      return try first.holds(predicate, GEOSGeometry(other, beside: first))
    } catch {
      throw .geometryLibrary(error.message)
    }
  }

  private func combined(
    _ other: Geometry, _ operation: GEOSGeometry.Operation
  ) throws(GeometryError) -> Geometry {
    do throws(GEOSError) {
      let first = try GEOSGeometry(self)
      return try first.combined(operation, GEOSGeometry(other, beside: first)).geometry()
    } catch {
      throw .geometryLibrary(error.message)
    }
  }

  func transformed(
    _ operation: (GEOSContextHandle_t, OpaquePointer) -> OpaquePointer?
  ) throws(GeometryError) -> Geometry {
    do throws(GEOSError) {
      return try GEOSGeometry(self).transformed(operation).geometry()
    } catch {
      throw .geometryLibrary(error.message)
    }
  }
}
