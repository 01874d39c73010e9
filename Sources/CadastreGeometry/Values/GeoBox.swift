/// A rectangular region between two opposite corners, borders included.
///
///     // From Fiji to Samoa, across the antimeridian; latitude first.
///     let box = GeoBox(bottomLeft: (-20, 176), topRight: (-12, -171))
///
/// With spherical edges a box is the polygon of its four corners, so its northern and southern
/// sides are great-circle arcs that bulge towards the nearer pole. The corners may be given in any
/// order: latitudes are sorted, and longitudes are joined by the shorter of the two intervals. A
/// box without width or height is an arc or a point. A box from longitude -180 to 180 contains all
/// longitudes.
///
/// With planar edges a box is the rectangle of the sorted longitudes and latitudes, unless its first
/// longitude is more than 180° east of the second: `GeoBox(bottomLeft: (-20, 170), topRight: (20, -170))`
/// is the strip of 20° across ±180°.
public struct GeoBox: Hashable, Sendable {
  /// The first corner, by convention the south-western one.
  public let bottomLeft: GeoPoint
  /// The opposite corner, by convention the north-eastern one.
  public let topRight: GeoPoint

  /// Creates a box from two opposite corners.
  ///
  /// - Parameters:
  ///   - bottomLeft: One corner, by convention the south-western one.
  ///   - topRight: The opposite corner.
  public init(bottomLeft: GeoPoint, topRight: GeoPoint) {
    self.bottomLeft = bottomLeft
    self.topRight = topRight
  }

  /// Creates a box from two opposite corners in degrees, **latitude first** as in Realm.
  ///
  /// Nil if a latitude is not from -90 to 90 or a longitude is not from -180 to 180.
  ///
  /// - Parameters:
  ///   - bottomLeft: One corner, by convention the south-western one.
  ///   - topRight: The opposite corner.
  public init?(
    bottomLeft: (latitude: Double, longitude: Double),
    topRight: (latitude: Double, longitude: Double)
  ) {
    guard
      let bottomLeft = GeoPoint(latitude: bottomLeft.latitude, longitude: bottomLeft.longitude),
      let topRight = GeoPoint(latitude: topRight.latitude, longitude: topRight.longitude)
    else { return nil }
    self.init(bottomLeft: bottomLeft, topRight: topRight)
  }
}

extension GeoBox: CustomStringConvertible {
  /// The box in the syntax of predicates, longitude first: `geoBox([176, -20], [-171, -12])`.
  public var description: String {
    "geoBox(\(bottomLeft), \(topRight))"
  }
}
