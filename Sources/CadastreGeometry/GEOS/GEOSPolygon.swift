import CGEOS

/// A polygon of the plane, held by GEOS.
final class GEOSPolygon {
  /// What GEOS objects to in a polygon.
  struct Fault: Hashable {
    var kind: Kind
    var location: PlanePoint

    /// The objections that have a meaning of their own for regions.
    enum Kind: Hashable {
      case selfCrossing, holeOutsideShell, nestedHoles, insideDisconnected
      /// Another objection, in the words of GEOS.
      case other(String)
    }
  }

  private let context: GEOSContext
  private let polygon: OpaquePointer
  private var prepared: OpaquePointer?

  /// Makes a polygon of closed rings, the shell first.
  ///
  /// - Throws: If GEOS refuses a ring.
  init(rings: [[PlanePoint]]) throws(GEOSError) {
    let context = try GEOSContext()
    var geometries: [OpaquePointer?] = []
    do throws(GEOSError) {
      for ring in rings { geometries.append(try Self.ring(ring, context)) }
      guard let shell = geometries.first else { throw GEOSError(message: "a polygon has rings") }
      var holes = Array(geometries.dropFirst())
      geometries = []  // From here on GEOS owns them, whether it succeeds or not.
      polygon = try context.require(
        GEOSGeom_createPolygon_r(context.handle, shell, &holes, UInt32(holes.count)))
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

  /// The first thing that makes the polygon invalid; nil if it is valid.
  ///
  /// Calls `GEOSisValidDetail`.
  ///
  /// - Throws: If GEOS cannot tell.
  func fault() throws(GEOSError) -> Fault? {
    var reason: UnsafeMutablePointer<CChar>?
    var location: OpaquePointer?
    let answer = GEOSisValidDetail_r(context.handle, polygon, 0, &reason, &location)
    defer {
      GEOSFree_r(context.handle, reason)
      GEOSGeom_destroy_r(context.handle, location)
    }
    if try context.require(predicate: answer) { return nil }
    var place = PlanePoint(x: 0, y: 0)
    if let location {
      GEOSGeomGetX_r(context.handle, location, &place.x)
      GEOSGeomGetY_r(context.handle, location, &place.y)
    }
    return Fault(kind: Self.kind(reason.map { String(cString: $0) } ?? ""), location: place)
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

  /// Whether a point is in the polygon or on its border.
  ///
  /// Calls `GEOSPreparedCovers`.
  ///
  /// - Throws: If GEOS cannot tell.
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

// Not Sendable: GEOS builds the index of a prepared geometry while it answers.
@available(*, unavailable)
extension GEOSPolygon: Sendable {}
