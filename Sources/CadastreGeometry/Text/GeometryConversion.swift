/// A conversion of the coordinates of a text or of binary data to longitude and latitude in degrees;
/// nil for a position that has none.
package typealias GeometryConversion = (Double, Double) -> (longitude: Double, latitude: Double)?

extension GeoPosition {
  /// Creates a position from coordinates, converted if there is a conversion; nil if they are out of
  /// range.
  init?(_ x: Double, _ y: Double, altitude: Double?, _ conversion: GeometryConversion?) {
    guard let conversion else {
      self.init(longitude: x, latitude: y, altitude: altitude)
      return
    }
    guard let (longitude, latitude) = conversion(x, y) else { return nil }
    self.init(longitude: longitude, latitude: latitude, altitude: altitude)
  }
}
