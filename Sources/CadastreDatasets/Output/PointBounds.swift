/// The bounding box of a stream of points.
///
/// A box wider than 180 degrees is replaced by one across the antimeridian if that one is at most
/// 180 degrees wide; its west is then greater than its east.
///
/// Source: RFC 7946, sections 5 and 5.2.
struct PointBounds {
  private var south = Double.infinity
  private var north = -Double.infinity
  /// The range of the negative longitudes.
  private var western = (minimum: Double.infinity, maximum: -Double.infinity)
  /// The range of the other longitudes.
  private var eastern = (minimum: Double.infinity, maximum: -Double.infinity)

  /// Extends the box by a point in degrees.
  mutating func add(longitude: Double, latitude: Double) {
    south = min(south, latitude)
    north = max(north, latitude)
    if longitude < 0 {
      western = (min(western.minimum, longitude), max(western.maximum, longitude))
    } else {
      eastern = (min(eastern.minimum, longitude), max(eastern.maximum, longitude))
    }
  }

  /// West, south, east and north in degrees; nil without points.
  var box: [Double]? {
    guard south <= north else { return nil }
    let west = min(western.minimum, eastern.minimum)
    let east = max(western.maximum, eastern.maximum)
    if east - west > 180, western.maximum + 360 - eastern.minimum <= 180 {
      return [eastern.minimum, south, western.maximum, north]
    }
    return [west, south, east, north]
  }
}
