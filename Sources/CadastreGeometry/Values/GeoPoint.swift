/// A place on the Earth: longitude and latitude in degrees, altitude in metres.
///
/// The altitude is kept, compared and printed, but no calculation uses it.
public struct GeoPoint: Hashable, Sendable {
  /// Degrees north of the equator, -90 to 90.
  public let latitude: Double
  /// Degrees east of Greenwich, -180 to 180; both ends name the same meridian.
  public let longitude: Double
  /// Metres above the sphere, 0 or more.
  public let altitude: Double

  /// Makes a point at sea level; nil if a coordinate is not a number or out of range.
  public init?(latitude: Double, longitude: Double) {
    self.init(latitude: latitude, longitude: longitude, altitude: 0)
  }

  /// Makes a point; nil if a coordinate is not a number or out of range, or the altitude negative.
  public init?(latitude: Double, longitude: Double, altitude: Double) {
    guard CoordinateRange.latitude.contains(latitude),
      CoordinateRange.longitude.contains(longitude), altitude >= 0
    else { return nil }
    self.latitude = latitude
    self.longitude = longitude
    self.altitude = altitude
  }

  /// The length of the shorter great-circle arc to `other`, altitudes ignored.
  ///
  /// The same formula decides circles: `a.distance(to: b) <= r` is true exactly when the circle of
  /// radius `r` around `a` contains `b`.
  public func distance(to other: GeoPoint) -> Distance {
    Distance(
      uncheckedRadians: greatCircleAngle(
        fromLongitude: longitude, latitude: latitude,
        toLongitude: other.longitude, latitude: other.latitude))
  }
}

extension GeoPoint: CustomStringConvertible {
  /// The point as the predicate language writes it: `[longitude, latitude]`.
  ///
  /// An altitude other than 0 is the third number. The numbers parse back to the same values.
  public var description: String {
    altitude == 0 ? "[\(longitude), \(latitude)]" : "[\(longitude), \(latitude), \(altitude)]"
  }
}

/// Which degrees name a place; NaN is in neither range.
enum CoordinateRange {
  static let longitude = -180.0...180.0
  static let latitude = -90.0...90.0

  /// Whether both coordinates name a place.
  @inline(__always)
  static func contains(longitude: Double, latitude: Double) -> Bool {
    latitude >= -90 && latitude <= 90 && longitude >= -180 && longitude <= 180
  }
}
