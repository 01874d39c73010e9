import CadastreGeometry

/// Geometries of parameters as extended well-known binary.
enum WellKnownBinary {
  private static let polygonType: UInt32 = 3
  private static let lineType: UInt32 = 2
  private static let identifierFlag: UInt32 = 0x2000_0000
  /// The identifier of longitude and latitude in degrees.
  static let degrees: UInt32 = 4326

  /// A polygon.
  ///
  /// - Parameters:
  ///   - rings: The closed rings, the shell first.
  ///   - identifier: The identifier of the reference system; nil for none.
  /// - Returns: The bytes.
  static func polygon(_ rings: [[RegionOutline.Position]], identifier: UInt32?) -> [UInt8] {
    var bytes = header(polygonType, identifier)
    bytes.appendBigEndian(UInt32(rings.count))
    for ring in rings { append(ring, isTinyZero: identifier != nil, to: &bytes) }
    return bytes
  }

  /// Whether an edge of a ring is so near to half of a great circle that PostGIS refuses it.
  static func hasHalfCircle(_ ring: [RegionOutline.Position]) -> Bool {
    zip(ring, ring.dropFirst()).contains { start, end in
      abs(start.latitude + end.latitude) < 1e-7
        && abs(abs(start.longitude - end.longitude) - 180) < 1e-7
    }
  }

  /// A line along great circles.
  static func line(_ positions: [RegionOutline.Position]) -> [UInt8] {
    var bytes = header(lineType, degrees)
    append(positions, isTinyZero: true, to: &bytes)
    return bytes
  }

  private static func header(_ type: UInt32, _ identifier: UInt32?) -> [UInt8] {
    // Big-endian; the flag says that the identifier follows.
    var bytes: [UInt8] = [0]
    bytes.appendBigEndian(type | (identifier == nil ? 0 : identifierFlag))
    if let identifier { bytes.appendBigEndian(identifier) }
    return bytes
  }

  private static func append(
    _ positions: [RegionOutline.Position], isTinyZero: Bool, to bytes: inout [UInt8]
  ) {
    bytes.appendBigEndian(UInt32(positions.count))
    for position in positions {
      for degrees in [position.longitude, position.latitude] {
        // PostGIS multiplies coordinates, and products of tiny ones lose all their digits.
        bytes.appendBigEndian((isTinyZero && abs(degrees) < 1e-30 ? 0 : degrees).bitPattern)
      }
    }
  }
}
