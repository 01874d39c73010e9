/// A bounding box of longitudes and latitudes in degrees, borders included.
///
///     let europe = Envelope(
///       minLongitude: -10, maxLongitude: 40, minLatitude: 35, maxLatitude: 70)
///
/// An envelope never crosses ±180°. A region across the antimeridian has two envelopes.
public struct Envelope: Hashable, Sendable {
  /// The longitude of the western side, in degrees.
  public var minLongitude: Double
  /// The longitude of the eastern side, in degrees.
  public var maxLongitude: Double
  /// The latitude of the southern side, in degrees.
  public var minLatitude: Double
  /// The latitude of the northern side, in degrees.
  public var maxLatitude: Double

  /// Creates an envelope from its sides in degrees.
  ///
  /// - Parameters:
  ///   - minLongitude: The western side.
  ///   - maxLongitude: The eastern side.
  ///   - minLatitude: The southern side.
  ///   - maxLatitude: The northern side.
  public init(
    minLongitude: Double, maxLongitude: Double, minLatitude: Double, maxLatitude: Double
  ) {
    self.minLongitude = minLongitude
    self.maxLongitude = maxLongitude
    self.minLatitude = minLatitude
    self.maxLatitude = maxLatitude
  }

  /// The envelope of all longitudes and latitudes.
  public static let world = Envelope(
    minLongitude: -180, maxLongitude: 180, minLatitude: -90, maxLatitude: 90)

  /// Returns whether a point is inside the envelope or on its border.
  ///
  /// - Parameters:
  ///   - longitude: The longitude of the point, in degrees.
  ///   - latitude: The latitude of the point, in degrees.
  /// - Returns: False if a coordinate is NaN.
  public func contains(longitude: Double, latitude: Double) -> Bool {
    longitude >= minLongitude && longitude <= maxLongitude
      && latitude >= minLatitude && latitude <= maxLatitude
  }

  /// Returns whether two envelopes share a point, borders included.
  ///
  /// - Parameter other: The other envelope.
  /// - Returns: False if a side of either envelope is NaN.
  public func intersects(_ other: Envelope) -> Bool {
    minLongitude <= other.maxLongitude && other.minLongitude <= maxLongitude
      && minLatitude <= other.maxLatitude && other.minLatitude <= maxLatitude
  }
}

extension Envelope: CustomStringConvertible {
  /// The two corners, longitude first: `[west south, east north]`.
  public var description: String {
    "[\(minLongitude) \(minLatitude), \(maxLongitude) \(maxLatitude)]"
  }
}
