extension Geometry {
  /// Reads a geometry of any type from well-known binary.
  ///
  /// Both forms and both byte orders are accepted. Empty parts of multi-geometries are dropped, and
  /// measures are ignored.
  ///
  /// - Parameter bytes: The well-known binary.
  /// - Throws: ``GeometryTextError`` with the offset of the first error.
  /// - Complexity: O(n) in the number of bytes.
  public init(wkb bytes: some Sequence<UInt8>) throws(GeometryTextError) {
    // A failure is returned, because `withUnsafeBytes` cannot throw a typed error from its closure.
    let result = Array(bytes).withUnsafeBytes { bytes in
      Result { () throws(GeometryTextError) in try Geometry(wkb: bytes) }
    }
    self = try result.get()
  }

  /// Reads a geometry of any type from well-known binary in memory, and converts its coordinates.
  package init(
    wkb bytes: UnsafeRawBufferPointer, converting conversion: GeometryConversion? = nil
  ) throws(GeometryTextError) {
    var reader = WKBReader(bytes, conversion)
    self = try reader.geometry()
  }

  /// Returns the geometry as well-known binary.
  ///
  /// Altitudes are written for all positions if at least one has an altitude; a position without one
  /// gets NaN, so that the geometry is read back unchanged.
  ///
  /// - Parameters:
  ///   - form: The variant of the format.
  ///   - bigEndian: Whether numbers begin with their most significant byte.
  /// - Returns: The bytes.
  /// - Complexity: O(n) in the number of positions.
  public func wkb(_ form: WKBForm = .iso, bigEndian: Bool = false) -> [UInt8] {
    wkb(form, bigEndian, missingAltitude: .nan)
  }

  fileprivate func wkb(
    _ form: WKBForm, _ bigEndian: Bool, missingAltitude: Double
  ) -> [UInt8] {
    var writer = WKBWriter(
      form: form, isBigEndian: bigEndian, hasAltitude: hasAltitude,
      missingAltitude: missingAltitude)
    writer.write(shape)
    return writer.bytes
  }
}

extension GeoShape {
  /// Reads a region from the well-known binary of a Polygon or MultiPolygon.
  ///
  /// Both forms and both byte orders are accepted.
  ///
  /// - Parameter bytes: The well-known binary.
  /// - Throws: ``GeometryTextError`` with the offset of the first error.
  /// - Complexity: O(n) in the number of bytes.
  public init(wkb bytes: some Sequence<UInt8>) throws(GeometryTextError) {
    let geometry = try Geometry(wkb: bytes)
    guard let region = geometry.region else {
      throw GeometryTextError(
        offset: 0, expected: "a Polygon or MultiPolygon",
        found: (geometry.isEmpty ? "an empty " : "a ") + geometry.kind.rawValue)
    }
    self = region
  }

  /// Returns the region as well-known binary.
  ///
  /// A box becomes the polygon of its corners in their given order. Altitudes are written for all
  /// points if at least one is not 0.
  ///
  /// - Parameters:
  ///   - form: The variant of the format.
  ///   - bigEndian: Whether numbers begin with their most significant byte.
  /// - Returns: Nil for a circle, for which the format has no type.
  /// - Complexity: O(n) in the number of points.
  public func wkb(_ form: WKBForm = .iso, bigEndian: Bool = false) -> [UInt8]? {
    geometry?.wkb(form, bigEndian, missingAltitude: 0)
  }
}

extension GeoPoint {
  /// Reads a point from the well-known binary of a Point.
  ///
  /// Both forms and both byte orders are accepted.
  ///
  /// - Parameter bytes: The well-known binary.
  /// - Throws: ``GeometryTextError`` with the offset of the first error.
  public init(wkb bytes: some Sequence<UInt8>) throws(GeometryTextError) {
    let geometry = try Geometry(wkb: bytes)
    guard let point = geometry.point else {
      throw GeometryTextError(
        offset: 0, expected: "a Point",
        found: (geometry.isEmpty ? "an empty " : "a ") + geometry.kind.rawValue)
    }
    self = point
  }

  /// Returns the point as well-known binary, with its altitude if that is not 0.
  ///
  /// - Parameters:
  ///   - form: The variant of the format.
  ///   - bigEndian: Whether numbers begin with their most significant byte.
  /// - Returns: The bytes of a Point.
  public func wkb(_ form: WKBForm = .iso, bigEndian: Bool = false) -> [UInt8] {
    Geometry(self).wkb(form, bigEndian, missingAltitude: 0)
  }
}
