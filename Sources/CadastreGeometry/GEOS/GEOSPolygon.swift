import CGEOS

/// A planar polygon owned by GEOS.
final class GEOSPolygon {
  /// A violation of the validity rules for polygons, and its location.
  struct Fault: Hashable {
    var kind: Kind
    var location: PlanePoint

    /// The violated rule.
    enum Kind: Hashable {
      case selfCrossing, holeOutsideShell, nestedHoles, insideDisconnected
      /// Another rule; the message of GEOS.
      case other(String)
    }
  }

  private let context: GEOSContext
  private let polygon: OpaquePointer
  private var prepared: OpaquePointer?

  /// Creates a polygon from closed rings, the exterior ring first.
  ///
  /// - Throws: ``GEOSError`` if GEOS rejects a ring.
  /// - Complexity: O(n) in the number of points.
  init(rings: [[PlanePoint]]) throws(GEOSError) {
    let context = try GEOSContext()
    var geometries: [OpaquePointer?] = []
    do throws(GEOSError) {
      for ring in rings { geometries.append(try Self.ring(ring, context)) }
      guard let exterior = geometries.first else {
        throw GEOSError(message: "expected at least one ring")
      }
      var holes = Array(geometries.dropFirst())
      geometries = []  // `createPolygon` takes ownership of the rings, also if it fails.
      polygon = try context.require(
        GEOSGeom_createPolygon_r(context.handle, exterior, &holes, UInt32(holes.count)))
    } catch {
      for geometry in geometries { GEOSGeom_destroy_r(context.handle, geometry) }
      throw error
    }
    self.context = context
  }

  deinit {
    if let prepared { GEOSPreparedGeom_destroy_r(context.handle, prepared) }
    GEOSGeom_destroy_r(context.handle, polygon)
  }

  private static func ring(
    _ points: [PlanePoint], _ context: GEOSContext
  ) throws(GEOSError) -> OpaquePointer {
    let numbers = points.flatMap { [$0.x, $0.y] }
    let sequence = try context.require(
      GEOSCoordSeq_copyFromBuffer_r(context.handle, numbers, UInt32(points.count), 0, 0))
    return try context.require(GEOSGeom_createLinearRing_r(context.handle, sequence))
  }

  /// Returns the first violation found by `GEOSisValidDetail`; nil if the polygon is valid.
  ///
  /// - Returns: Nil if the polygon is valid.
  /// - Throws: ``GEOSError`` if the check fails.
  /// - Complexity: O(n log n) in the number of points.
  func fault() throws(GEOSError) -> Fault? {
    var reason: UnsafeMutablePointer<CChar>?
    var location: OpaquePointer?
    let result = GEOSisValidDetail_r(context.handle, polygon, 0, &reason, &location)
    defer {
      GEOSFree_r(context.handle, reason)
      GEOSGeom_destroy_r(context.handle, location)
    }
    if try context.require(predicate: result) { return nil }
    var point = PlanePoint(x: 0, y: 0)
    if let location {
      GEOSGeomGetX_r(context.handle, location, &point.x)
      GEOSGeomGetY_r(context.handle, location, &point.y)
    }
    return Fault(kind: Self.kind(reason.map { String(cString: $0) } ?? ""), location: point)
  }

  private static func kind(_ reason: String) -> Fault.Kind {
    switch reason {
    case "Self-intersection", "Ring Self-intersection", "Duplicate Rings": .selfCrossing
    case "Hole lies outside shell": .holeOutsideShell
    case "Holes are nested", "Nested holes": .nestedHoles
    case "Interior is disconnected": .insideDisconnected
    default: .other(reason)
    }
  }

  /// Returns whether `GEOSPreparedCovers` finds a point inside the polygon or on its border.
  ///
  /// - Parameter point: The point.
  /// - Returns: Whether the polygon covers the point.
  /// - Throws: ``GEOSError`` if the check fails.
  func covers(_ point: PlanePoint) throws(GEOSError) -> Bool {
    if prepared == nil { prepared = GEOSPrepare_r(context.handle, polygon) }
    let prepared = try context.require(prepared)
    let geometry = try context.require(
      GEOSGeom_createPointFromXY_r(context.handle, point.x, point.y))
    defer { GEOSGeom_destroy_r(context.handle, geometry) }
    return try context.require(
      predicate: GEOSPreparedCovers_r(context.handle, prepared, geometry))
  }
}

// Not Sendable: GEOS builds the index of a prepared geometry lazily, during a query.
@available(*, unavailable)
extension GEOSPolygon: Sendable {}
