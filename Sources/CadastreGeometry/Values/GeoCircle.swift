/// A circular region on the sphere: all points within a radius of a centre, border included.
///
///     // 100 km around Paris; latitude first.
///     let circle = Distance.kilometers(100).flatMap {
///       GeoCircle(center: (48.8566, 2.3522), radius: $0)
///     }
///
/// A circle of radius 0 contains only its centre. A circle of radius π or more contains the sphere.
/// A circle is measured on the sphere with either ``EdgeModel``, because a circle has no edges.
public struct GeoCircle: Hashable, Sendable {
  /// The centre.
  public let center: GeoPoint
  /// The central angle between the centre and the border, in radians; 0 or more.
  public let radiusInRadians: Double

  /// Creates a circle from a radius in radians; nil if the radius is negative or NaN.
  ///
  /// - Parameters:
  ///   - center: The centre.
  ///   - radiusInRadians: The central angle between the centre and the border.
  public init?(center: GeoPoint, radiusInRadians: Double) {
    guard radiusInRadians >= 0 else { return nil }
    self.center = center
    self.radiusInRadians = radiusInRadians
  }

  /// Creates a circle from a radius as a distance.
  ///
  /// - Parameters:
  ///   - center: The centre.
  ///   - radius: The distance between the centre and the border.
  public init(center: GeoPoint, radius: Distance) {
    self.center = center
    self.radiusInRadians = radius.radians
  }

  /// Creates a circle around a centre in degrees, **latitude first** as in Realm.
  ///
  /// Nil if a coordinate is out of range, or if the radius is negative or NaN.
  ///
  /// - Parameters:
  ///   - center: The centre, in degrees.
  ///   - radiusInRadians: The central angle between the centre and the border.
  public init?(center: (latitude: Double, longitude: Double), radiusInRadians: Double) {
    guard let center = GeoPoint(latitude: center.latitude, longitude: center.longitude)
    else { return nil }
    self.init(center: center, radiusInRadians: radiusInRadians)
  }

  /// Creates a circle around a centre in degrees, **latitude first** as in Realm.
  ///
  /// Nil if a coordinate is out of range.
  ///
  /// - Parameters:
  ///   - center: The centre, in degrees.
  ///   - radius: The distance between the centre and the border.
  public init?(center: (latitude: Double, longitude: Double), radius: Distance) {
    self.init(center: center, radiusInRadians: radius.radians)
  }
}

extension GeoCircle: CustomStringConvertible {
  /// The circle in the syntax of predicates, longitude first, radius in radians:
  /// `geoCircle([2.3522, 48.8566], 0.0157)`.
  public var description: String {
    "geoCircle(\(center), \(radiusInRadians))"
  }
}

extension GeoCircle: Codable {
  private enum CodingKeys: String, CodingKey {
    case center, radiusInRadians
  }

  /// Decodes a circle from its `center` and its `radiusInRadians`.
  ///
  /// - Parameter decoder: The decoder to read from.
  /// - Throws: `DecodingError` if a member is missing or invalid, or the radius is negative.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let center = try container.decode(GeoPoint.self, forKey: .center)
    let radius = try container.decode(Double.self, forKey: .radiusInRadians)
    guard let circle = GeoCircle(center: center, radiusInRadians: radius) else {
      throw DecodingError.dataCorruptedError(
        forKey: .radiusInRadians, in: container,
        debugDescription: "a radius is 0 radians or more, found \(radius)")
    }
    self = circle
  }
}
