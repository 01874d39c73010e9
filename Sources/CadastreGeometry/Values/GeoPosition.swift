/// A vertex of a geometry: longitude and latitude in degrees, and an optional altitude in metres.
///
///     let position = GeoPosition(longitude: 2.3522, latitude: 48.8566)  // GeoPosition?
///
/// The altitude is stored, compared and printed, but no relation or measure uses it.
public struct GeoPosition: Sendable {
  /// Degrees east of Greenwich, from -180 to 180; both ends are the same meridian.
  public let longitude: Double
  /// Degrees north of the equator, from -90 to 90.
  public let latitude: Double
  // NaN without an altitude: an optional would make a position a third larger.
  private let storedAltitude: Double

  /// Creates a position; nil if a coordinate is out of range, infinite or NaN.
  ///
  /// A coordinate that exceeds its range by a rounding error of at most 1e-9 degrees becomes the limit, because
  /// conversions of coordinates produce longitudes such as 180.00000000000003.
  ///
  /// - Parameters:
  ///   - longitude: Degrees east of Greenwich, from -180 to 180.
  ///   - latitude: Degrees north of the equator, from -90 to 90.
  ///   - altitude: Metres above the reference surface of the data, negative below it; nil if unknown.
  public init?(longitude: Double, latitude: Double, altitude: Double? = nil) {
    let longitude = CoordinateRange.snapped(longitude, to: 180)
    let latitude = CoordinateRange.snapped(latitude, to: 90)
    guard CoordinateRange.contains(longitude: longitude, latitude: latitude),
      altitude?.isFinite != false
    else { return nil }
    // Adding zero replaces -0.0 by 0.0, so that equal positions have equal bits.
    self.longitude = longitude + 0
    self.latitude = latitude + 0
    storedAltitude = altitude.map { $0 + 0 } ?? .nan
  }

  /// Creates a position from coordinates in range, without a check.
  init(uncheckedLongitude longitude: Double, latitude: Double) {
    self.longitude = longitude + 0
    self.latitude = latitude + 0
    storedAltitude = .nan
  }

  /// Creates the position of a point; an altitude of 0 is omitted.
  ///
  /// - Parameter point: The point.
  public init(_ point: GeoPoint) {
    longitude = point.longitude + 0
    latitude = point.latitude + 0
    storedAltitude = point.altitude == 0 ? .nan : point.altitude
  }

  /// Metres above the reference surface of the data; nil if unknown.
  public var altitude: Double? { storedAltitude.isNaN ? nil : storedAltitude }

  /// Returns the position with another altitude.
  func with(altitude: Double?) -> GeoPosition {
    GeoPosition(longitude: longitude, latitude: latitude, altitude: altitude) ?? self
  }

  /// The position as a point; a missing or negative altitude becomes 0.
  public var point: GeoPoint {
    GeoPoint(
      uncheckedLatitude: latitude, longitude: longitude, altitude: max(0, altitude ?? 0))
  }
}

extension GeoPosition: Hashable {
  /// Returns whether longitude, latitude and altitude are equal.
  public static func == (first: GeoPosition, second: GeoPosition) -> Bool {
    first.longitude == second.longitude && first.latitude == second.latitude
      && first.altitude == second.altitude
  }

  /// Hashes longitude, latitude and altitude.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(longitude)
    hasher.combine(latitude)
    hasher.combine(altitude)
  }
}

extension GeoPosition: CustomStringConvertible {
  /// The numbers in brackets, longitude first: `[2.3522, 48.8566]`.
  public var description: String {
    "[" + coordinates.map(\.description).joined(separator: ", ") + "]"
  }

  /// The longitude, the latitude and, if there is one, the altitude.
  var coordinates: [Double] {
    if let altitude { [longitude, latitude, altitude] } else { [longitude, latitude] }
  }
}

extension GeoPosition {
  /// The position as written, without its altitude.
  var vertex: Vertex { Vertex(longitude: longitude, latitude: latitude) }

  /// The direction of the position from the centre of the sphere.
  var direction: UnitVector { vertex.unitVector }

  /// The direction, rounded alike for 180° and -180°, and for all longitudes of a pole.
  var canonicalDirection: UnitVector { vertex.onSphere.unitVector }
}

/// Coding as a GeoJSON position: an array of two or three numbers, longitude first.
extension GeoPosition: Codable {
  /// Decodes a GeoJSON position; numbers after the altitude are ignored.
  ///
  /// - Parameter decoder: The decoder to read from.
  /// - Throws: `DecodingError` if there are fewer than two numbers, or a coordinate is out of range.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let numbers = try container.decode([Double].self)
    guard numbers.count >= 2,
      let position = GeoPosition(
        longitude: numbers[0], latitude: numbers[1],
        altitude: numbers.count > 2 ? numbers[2] : nil)
    else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "expected a longitude, a latitude and an optional altitude in range, "
          + "found \(numbers)")
    }
    self = position
  }

  /// Encodes a GeoJSON position.
  ///
  /// - Parameter encoder: The encoder to write to.
  /// - Throws: The errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(coordinates)
  }
}
