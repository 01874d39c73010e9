/// The region of all points no further than a radius from a centre, along the sphere.
///
/// The border belongs to it. Radius 0 is only the centre; from π upwards it is the whole sphere.
/// A circle is a circle on the sphere whatever the edge model: edges are what polygons have.
public struct GeoCircle: Hashable, Sendable {
  /// The middle.
  public let center: GeoPoint
  /// The angle between the centre and the border, in radians; 0 or more.
  public let radiusInRadians: Double

  /// Makes a circle from an angle; nil if it is negative or not a number.
  public init?(center: GeoPoint, radiusInRadians: Double) {
    guard radiusInRadians >= 0 else { return nil }
    self.center = center
    self.radiusInRadians = radiusInRadians
  }

  /// Makes a circle from a length.
  public init(center: GeoPoint, radius: Distance) {
    self.center = center
    self.radiusInRadians = radius.radians
  }

  /// Makes a circle around a centre given **latitude first** as in Realm.
  ///
  /// - Returns: nil if the centre is out of range or the radius negative or not a number.
  public init?(center: (latitude: Double, longitude: Double), radiusInRadians: Double) {
    guard let center = GeoPoint(latitude: center.latitude, longitude: center.longitude)
    else { return nil }
    self.init(center: center, radiusInRadians: radiusInRadians)
  }

  /// Makes a circle around a centre given **latitude first** as in Realm.
  ///
  /// - Returns: nil if the centre is out of range.
  public init?(center: (latitude: Double, longitude: Double), radius: Distance) {
    self.init(center: center, radiusInRadians: radius.radians)
  }
}

extension GeoCircle: CustomStringConvertible {
  /// The circle in the predicate language: centre, longitude first, then the radius in radians.
  public var description: String {
    "geoCircle(\(center), \(radiusInRadians))"
  }
}

extension GeoCircle: Codable {
  private enum CodingKeys: String, CodingKey {
    case center, radiusInRadians
  }

  /// Reads a centre and a radius that is 0 or more.
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
