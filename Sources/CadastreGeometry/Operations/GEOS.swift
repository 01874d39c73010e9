import CGEOS

// All calls of GEOS. Pointers of C stay in this file.

/// The GEOS library that this process has loaded.
package enum GEOSLibrary {
  /// The version, for example `3.11.1`.
  package static var version: String {
    String(cString: GEOSversion()).split(separator: "-").first.map(String.init) ?? ""
  }
}

/// An error reported by GEOS.
struct GEOSError: Error, Hashable {
  /// The message of GEOS.
  let message: String
}

/// A planar geometry owned by GEOS.
final class GEOSGeometry {
  private let context: GEOSContext
  private let handle: OpaquePointer

  /// Copies a geometry, its altitudes included.
  ///
  /// - Throws: ``GEOSError`` if GEOS rejects it.
  convenience init(_ geometry: Geometry) throws(GEOSError) {
    try self.init(geometry, GEOSContext())
  }

  /// Copies a geometry into the context of another one.
  convenience init(_ geometry: Geometry, beside other: GEOSGeometry) throws(GEOSError) {
    try self.init(geometry, other.context)
  }

  private convenience init(_ geometry: Geometry, _ context: GEOSContext) throws(GEOSError) {
    let bytes = geometry.wkb()
    let handle = bytes.withUnsafeBufferPointer {
      GEOSGeomFromWKB_buf_r(context.handle, $0.baseAddress, $0.count)
    }
    self.init(try context.require(handle), context)
  }

  /// Creates a polygon from closed rings in any plane, the exterior ring first.
  ///
  /// - Throws: ``GEOSError`` if GEOS rejects a ring.
  /// - Complexity: O(n) in the number of points.
  convenience init(rings: [[PlanePoint]]) throws(GEOSError) {
    let context = try GEOSContext()
    var geometries: [OpaquePointer?] = []
    do throws(GEOSError) {
      for ring in rings { geometries.append(try Self.ring(ring, context)) }
      guard let exterior = geometries.first else {
        throw GEOSError(message: "expected at least one ring")
      }
      var holes = Array(geometries.dropFirst())
      geometries = []  // `createPolygon` takes ownership of the rings, also if it fails.
      let polygon = try context.require(
        GEOSGeom_createPolygon_r(context.handle, exterior, &holes, UInt32(holes.count)))
      self.init(polygon, context)
    } catch {
      for geometry in geometries { GEOSGeom_destroy_r(context.handle, geometry) }
      throw error
    }
  }

  private static func ring(
    _ points: [PlanePoint], _ context: GEOSContext
  ) throws(GEOSError) -> OpaquePointer {
    let numbers = points.flatMap { [$0.x, $0.y] }
    let sequence = try context.require(
      GEOSCoordSeq_copyFromBuffer_r(context.handle, numbers, UInt32(points.count), 0, 0))
    return try context.require(GEOSGeom_createLinearRing_r(context.handle, sequence))
  }

  private init(_ handle: OpaquePointer, _ context: GEOSContext) {
    self.handle = handle
    self.context = context
  }

  deinit { GEOSGeom_destroy_r(context.handle, handle) }

  /// Returns the geometry.
  ///
  /// - Throws: ``GEOSError`` if a coordinate is out of range.
  func geometry() throws(GEOSError) -> Geometry {
    let writer = try context.require(GEOSWKBWriter_create_r(context.handle))
    defer { GEOSWKBWriter_destroy_r(context.handle, writer) }
    GEOSWKBWriter_setOutputDimension_r(context.handle, writer, 3)
    GEOSWKBWriter_setFlavor_r(context.handle, writer, Int32(GEOS_WKB_ISO.rawValue))
    var size = 0
    let bytes = try context.require(
      GEOSWKBWriter_write_r(context.handle, writer, handle, &size))
    defer { GEOSFree_r(context.handle, bytes) }
    do throws(GeometryTextError) {
      return try Geometry(wkb: UnsafeRawBufferPointer(start: bytes, count: size))
    } catch {
      throw GEOSError(message: error.description)
    }
  }

  /// Returns whether a relation holds between this geometry and another one of the same context.
  func satisfies(_ relation: GEOSRelation, _ other: GEOSGeometry) throws(GEOSError) -> Bool {
    try context.require(predicate: relation.call(context.handle, handle, other.handle))
  }

  /// Returns the result of an operation on this geometry and another one of the same context.
  func combined(
    _ operation: GEOSOverlay, _ other: GEOSGeometry
  ) throws(GEOSError) -> GEOSGeometry {
    GEOSGeometry(
      try context.require(operation.call(context.handle, handle, other.handle)), context)
  }

  /// Returns the result of an operation on this geometry.
  func transformed(_ operation: GEOSTransformation) throws(GEOSError) -> GEOSGeometry {
    GEOSGeometry(try context.require(operation.call(context.handle, handle)), context)
  }

  /// A violation of the rules of validity.
  struct Fault: Hashable {
    /// The name of the rule in GEOS.
    var reason: String
    /// The location of the violation.
    var location: PlanePoint
  }

  /// Returns the first violation that `GEOSisValidDetail` reports; nil if the geometry is valid.
  ///
  /// - Complexity: O(n log n) in the number of points.
  func fault() throws(GEOSError) -> Fault? {
    var reason: UnsafeMutablePointer<CChar>?
    var location: OpaquePointer?
    let result = GEOSisValidDetail_r(context.handle, handle, 0, &reason, &location)
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
    return Fault(reason: reason.map { String(cString: $0) } ?? "invalid", location: point)
  }
}

// Not Sendable: a GEOS handle may be used by one thread at a time.
@available(*, unavailable)
extension GEOSGeometry: Sendable {}

/// A relation of two geometries.
struct GEOSRelation {
  let call: (GEOSContextHandle_t, OpaquePointer, OpaquePointer) -> CChar

  static var touches: Self { Self { GEOSTouches_r($0, $1, $2) } }
  static var crosses: Self { Self { GEOSCrosses_r($0, $1, $2) } }
  static var overlaps: Self { Self { GEOSOverlaps_r($0, $1, $2) } }

  /// Returns the relation whose intersection matrix matches a pattern.
  static func matching(_ pattern: String) -> Self {
    Self { GEOSRelatePattern_r($0, $1, $2, pattern) }
  }
}

/// An operation on two geometries, whose result is a geometry.
struct GEOSOverlay {
  let call: (GEOSContextHandle_t, OpaquePointer, OpaquePointer) -> OpaquePointer?

  static var union: Self { Self { GEOSUnion_r($0, $1, $2) } }
  static var intersection: Self { Self { GEOSIntersection_r($0, $1, $2) } }
  static var difference: Self { Self { GEOSDifference_r($0, $1, $2) } }
  static var symmetricDifference: Self { Self { GEOSSymDifference_r($0, $1, $2) } }
}

/// An operation on one geometry, whose result is a geometry.
struct GEOSTransformation {
  let call: (GEOSContextHandle_t, OpaquePointer) -> OpaquePointer?

  static var convexHull: Self { Self { GEOSConvexHull_r($0, $1) } }
  static var makeValid: Self { Self { GEOSMakeValid_r($0, $1) } }
  static var unaryUnion: Self { Self { GEOSUnaryUnion_r($0, $1) } }

  /// Returns the buffer of a width; a quarter of a circle has 16 edges.
  static func buffer(_ width: Double) -> Self { Self { GEOSBuffer_r($0, $1, width, 16) } }

  /// Returns the simplification that keeps valid polygons valid.
  static func simplify(tolerance: Double) -> Self {
    Self { GEOSTopologyPreserveSimplify_r($0, $1, tolerance) }
  }
}

/// A context of the reentrant GEOS API, with the last error it reported.
///
/// A context may be used by one thread at a time.
private final class GEOSContext {
  let handle: GEOSContextHandle_t
  private var lastMessage = ""

  /// Creates a context.
  ///
  /// - Throws: ``GEOSError`` if GEOS cannot be initialised.
  init() throws(GEOSError) {
    guard let handle = GEOS_init_r() else {
      throw GEOSError(message: "GEOS could not be initialised")
    }
    self.handle = handle
    let handler: GEOSMessageHandler_r = { message, owner in
      guard let message, let owner else { return }
      Unmanaged<GEOSContext>.fromOpaque(owner).takeUnretainedValue().lastMessage =
        String(cString: message)
    }
    GEOSContext_setErrorMessageHandler_r(
      handle, handler, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit {
    GEOS_finish_r(handle)
  }

  /// Returns the result of a GEOS function, or throws the reported error if the result is nil.
  func require<Value>(_ value: Value?) throws(GEOSError) -> Value {
    guard let value else { throw GEOSError(message: lastMessage) }
    return value
  }

  /// Returns the result of a GEOS predicate: 0 for false, 1 for true, 2 for an error.
  func require(predicate result: CChar) throws(GEOSError) -> Bool {
    guard result == 0 || result == 1 else { throw GEOSError(message: lastMessage) }
    return result == 1
  }
}
