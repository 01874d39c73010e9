/// The region between two corners.
///
/// On the sphere it is the polygon of its four corners, so its top and bottom are great circles
/// that bulge towards the nearer pole. The corners may be given in any order: the latitudes are
/// sorted and the longitudes are joined the shorter way round. A box without width or height is
/// the arc, or the point, that is left. From -180 to 180 it is the whole band of latitudes.
/// With planar edges it is the plain rectangle of the sorted longitudes and latitudes.
public struct GeoBox: Hashable, Sendable {
  /// One corner; by custom the south-western one.
  public let bottomLeft: GeoPoint
  /// The opposite corner; by custom the north-eastern one.
  public let topRight: GeoPoint

  /// Makes the box between two opposite corners.
  public init(bottomLeft: GeoPoint, topRight: GeoPoint) {
    self.bottomLeft = bottomLeft
    self.topRight = topRight
  }

  /// Makes the box between two opposite corners, **latitude first** as in Realm.
  ///
  /// - Returns: nil if a coordinate is not a number or out of range.
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
  /// The box in the predicate language, longitude first.
  public var description: String {
    "geoBox(\(bottomLeft), \(topRight))"
  }
}
