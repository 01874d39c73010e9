/// A point on the Earth: longitude and latitude in degrees, altitude in metres.
///
///     let paris = GeoPoint(latitude: 48.8566, longitude: 2.3522)  // GeoPoint?
///
/// The altitude is stored, compared and printed, but no computation uses it.
public struct GeoPoint: Hashable, Sendable {
  /// Degrees north of the equator, from -90 to 90.
  public let latitude: Double
  /// Degrees east of Greenwich, from -180 to 180; both ends are the same meridian.
  public let longitude: Double
  /// Metres above the sphere; 0 or more.
  public let altitude: Double

  /// Creates a point at altitude 0; nil if a coordinate is out of range or NaN.
  ///
  /// - Parameters:
  ///   - latitude: Degrees north of the equator, from -90 to 90.
  ///   - longitude: Degrees east of Greenwich, from -180 to 180.
  public init?(latitude: Double, longitude: Double) {
    self.init(latitude: latitude, longitude: longitude, altitude: 0)
  }

  /// Creates a point; nil if a coordinate is out of range or NaN, or the altitude is negative.
  ///
  /// - Parameters:
  ///   - latitude: Degrees north of the equator, from -90 to 90.
  ///   - longitude: Degrees east of Greenwich, from -180 to 180.
  ///   - altitude: Metres above the sphere; 0 or more.
  public init?(latitude: Double, longitude: Double, altitude: Double) {
    guard CoordinateRange.latitude.contains(latitude),
      CoordinateRange.longitude.contains(longitude), altitude >= 0
    else { return nil }
    self.latitude = latitude
    self.longitude = longitude
    self.altitude = altitude
  }

  /// Creates a point from coordinates in range, without a check.
  init(uncheckedLatitude latitude: Double, longitude: Double, altitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
    self.altitude = altitude
  }

  /// Returns the length of the shorter great-circle arc to another point; altitudes are ignored.
  ///
  /// Circles use the same formula: `a.distance(to: b) <= r` is true if and only if the circle of
  /// radius `r` around `a` contains `b`.
  ///
  /// - Parameter other: The other point.
  /// - Returns: The distance on the reference sphere.
  public func distance(to other: GeoPoint) -> Distance {
    Distance(
      uncheckedRadians: greatCircleAngle(
        fromLongitude: longitude, latitude: latitude,
        toLongitude: other.longitude, latitude: other.latitude))
  }
}

extension GeoPoint {
  /// The point without its altitude.
  var vertex: Vertex { Vertex(longitude: longitude, latitude: latitude) }
}

extension GeoPoint: CustomStringConvertible {
  /// The point in the syntax of predicates: `[longitude, latitude]`.
  ///
  /// An altitude other than 0 is the third number. The numbers round-trip exactly.
  public var description: String {
    altitude == 0 ? "[\(longitude), \(latitude)]" : "[\(longitude), \(latitude), \(altitude)]"
  }
}

/// Coding as a GeoJSON point: `{"type": "Point", "coordinates": [longitude, latitude]}`.
///
/// Source: RFC 7946, sections 3.1.1 and 3.1.2.
extension GeoPoint: Codable {
  enum CodingKeys: String, CodingKey {
    case type, coordinates, bbox
  }

  /// Decodes a GeoJSON point; numbers after the altitude are ignored.
  ///
  /// - Parameter decoder: The decoder to read from.
  /// - Throws: `DecodingError` if the value is not a GeoJSON point, or a coordinate is out of range.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try container.requireType("Point")
    let numbers = try container.decode([Double].self, forKey: .coordinates)
    guard let point = GeoPoint(coordinates: numbers) else {
      throw DecodingError.dataCorruptedError(
        forKey: .coordinates, in: container,
        debugDescription: "expected a longitude, a latitude and an optional altitude in range, "
          + "found \(numbers)")
    }
    self = point
  }

  /// Encodes a GeoJSON point; the altitude is omitted if it is 0.
  ///
  /// - Parameter encoder: The encoder to write to.
  /// - Throws: The errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode("Point", forKey: .type)
    try container.encode(coordinates, forKey: .coordinates)
  }

  /// The GeoJSON position: longitude, latitude and, unless it is 0, altitude.
  var coordinates: [Double] {
    altitude == 0 ? [longitude, latitude] : [longitude, latitude, altitude]
  }

  /// Creates a point from a GeoJSON position; nil for fewer than two numbers, or numbers out of range.
  init?(coordinates: [Double]) {
    guard coordinates.count >= 2 else { return nil }
    self.init(
      latitude: coordinates[1], longitude: coordinates[0],
      altitude: coordinates.count > 2 ? coordinates[2] : 0)
  }
}

extension KeyedDecodingContainer<GeoPoint.CodingKeys> {
  /// Throws `DecodingError` unless the `type` member of a GeoJSON object has the expected value.
  func requireType(_ expected: String) throws {
    let type = try decode(String.self, forKey: .type)
    guard type == expected else {
      throw DecodingError.dataCorruptedError(
        forKey: .type, in: self, debugDescription: "expected type \(expected), found \(type)")
    }
  }
}

/// The valid ranges of coordinates in degrees; NaN is in neither range.
package enum CoordinateRange {
  static let longitude = -180.0...180.0
  static let latitude = -90.0...90.0

  /// Returns whether both coordinates are in range.
  @inline(__always)
  static func contains(longitude: Double, latitude: Double) -> Bool {
    latitude >= -90 && latitude <= 90 && longitude >= -180 && longitude <= 180
  }

  /// The rounding error by which a coordinate of a file may exceed its range, in degrees.
  package static let tolerance = 1e-9

  /// Returns degrees that exceed a limit by a rounding error as the limit, and others unchanged.
  package static func snapped(_ degrees: Double, to limit: Double) -> Double {
    abs(degrees) > limit && abs(degrees) <= limit + tolerance
      ? (degrees < 0 ? -limit : limit) : degrees
  }
}
