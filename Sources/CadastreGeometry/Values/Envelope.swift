/// A rectangle of longitudes and latitudes in degrees; its four sides belong to it.
///
/// It never crosses ±180°: what does is described by two of them.
public struct Envelope: Hashable, Sendable {
  /// The western side.
  public var minLongitude: Double
  /// The eastern side.
  public var maxLongitude: Double
  /// The southern side.
  public var minLatitude: Double
  /// The northern side.
  public var maxLatitude: Double

  /// Makes a rectangle; longitudes first.
  public init(
    minLongitude: Double, maxLongitude: Double, minLatitude: Double, maxLatitude: Double
  ) {
    self.minLongitude = minLongitude
    self.maxLongitude = maxLongitude
    self.minLatitude = minLatitude
    self.maxLatitude = maxLatitude
  }

  /// All longitudes and latitudes.
  public static let world = Envelope(
    minLongitude: -180, maxLongitude: 180, minLatitude: -90, maxLatitude: 90)

  /// Whether a place lies in the rectangle or on its sides; never for NaN.
  public func contains(longitude: Double, latitude: Double) -> Bool {
    longitude >= minLongitude && longitude <= maxLongitude
      && latitude >= minLatitude && latitude <= maxLatitude
  }

  /// Whether the two rectangles share a point; touching sides count.
  public func intersects(_ other: Envelope) -> Bool {
    minLongitude <= other.maxLongitude && other.minLongitude <= maxLongitude
      && minLatitude <= other.maxLatitude && other.minLatitude <= maxLatitude
  }
}

extension Envelope: CustomStringConvertible {
  /// Both corners, longitude first: `[west south, east north]`.
  public var description: String {
    "[\(minLongitude) \(minLatitude), \(maxLongitude) \(maxLatitude)]"
  }
}
