import CGEOS

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

  private init(_ handle: OpaquePointer, _ context: GEOSContext) {
    self.handle = handle
    self.context = context
  }

  deinit { GEOSGeom_destroy_r(context.handle, handle) }

  /// Returns the geometry; a result out of the range of coordinates is an error.
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

  /// A function of two geometries that is true or false.
  typealias Predicate = (GEOSContextHandle_t, OpaquePointer, OpaquePointer) -> CChar
  /// A function of two geometries with a geometry as its result.
  typealias Operation = (GEOSContextHandle_t, OpaquePointer, OpaquePointer) -> OpaquePointer?

  /// Returns the result of a predicate on this geometry and another one of the same context.
  func holds(_ predicate: Predicate, _ other: GEOSGeometry) throws(GEOSError) -> Bool {
    try context.require(predicate: predicate(context.handle, handle, other.handle))
  }

  /// Returns the result of an operation on this geometry and another one of the same context.
  func combined(_ operation: Operation, _ other: GEOSGeometry) throws(GEOSError) -> GEOSGeometry {
    GEOSGeometry(
      try context.require(operation(context.handle, handle, other.handle)), context)
  }

  /// Returns the result of an operation on this geometry.
  func transformed(
    _ operation: (GEOSContextHandle_t, OpaquePointer) -> OpaquePointer?
  ) throws(GEOSError) -> GEOSGeometry {
    GEOSGeometry(try context.require(operation(context.handle, handle)), context)
  }

  /// Returns whether no line crosses or touches itself.
  func isSimple() throws(GEOSError) -> Bool {
    try context.require(predicate: GEOSisSimple_r(context.handle, handle))
  }

  /// Returns the violated rule and its location; nil if the geometry is valid.
  func fault() throws(GEOSError) -> (reason: String, location: PlanePoint)? {
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
    return (reason.map { String(cString: $0) } ?? "invalid", point)
  }
}

// Not Sendable: a GEOS handle may be used by one thread at a time.
@available(*, unavailable)
extension GEOSGeometry: Sendable {}
