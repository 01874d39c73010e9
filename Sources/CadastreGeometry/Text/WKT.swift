extension Geometry {
  /// Reads a geometry of any type from well-known text.
  ///
  /// - Parameter wkt: The text, longitude first.
  /// - Throws: ``GeometryTextError`` with the offset of the first error.
  /// - Complexity: O(n) in the length of the text.
  public init(wkt: String) throws(GeometryTextError) {
    self = try TextReader.readWKT(wkt).0
  }

  /// Reads a geometry of any type from well-known text, and converts its coordinates.
  package init(
    wkt: String, converting conversion: GeometryConversion?
  ) throws(GeometryTextError) {
    self = try TextReader.readWKT(wkt, conversion).0
  }
}

extension GeoShape {
  /// Reads a region from the well-known text of a POLYGON or MULTIPOLYGON.
  ///
  /// - Parameter wkt: The text, longitude first.
  /// - Throws: ``GeometryTextError`` with the offset of the first error.
  /// - Complexity: O(n) in the length of the text.
  public init(wkt: String) throws(GeometryTextError) {
    let (geometry, reader) = try TextReader.readWKT(wkt)
    guard let region = geometry.region else {
      throw reader.error(expected: "POLYGON or MULTIPOLYGON", at: 0)
    }
    self = region
  }

  /// The region as well-known text; nil for a circle, for which the format has no type.
  ///
  /// A box becomes the polygon of its corners in their given order.
  ///
  /// - Complexity: O(n) in the number of points.
  public var wkt: String? { geometry?.wkt(missingAltitude: 0) }
}

extension GeoPoint {
  /// Reads a point from the well-known text of a POINT.
  ///
  /// - Parameter wkt: The text, longitude first.
  /// - Throws: ``GeometryTextError`` with the offset of the first error.
  public init(wkt: String) throws(GeometryTextError) {
    let (geometry, reader) = try TextReader.readWKT(wkt)
    guard let point = geometry.point else { throw reader.error(expected: "POINT", at: 0) }
    self = point
  }

  /// The point as well-known text, with its altitude if that is not 0.
  public var wkt: String { Geometry(self).wkt }
}
