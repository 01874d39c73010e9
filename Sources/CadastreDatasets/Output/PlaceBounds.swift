/// The box around places, found without keeping them.
///
/// Takes the antimeridian into it where that makes a box of at most half the globe out of a wider one; its west is
/// greater than its east then.
///
/// Source: RFC 7946, sections 5 and 5.2.
struct PlaceBounds {
  private var south = Double.infinity
  private var north = -Double.infinity
  /// The outermost longitudes on each side of Greenwich, west and east.
  private var western = (least: Double.infinity, most: -Double.infinity)
  private var eastern = (least: Double.infinity, most: -Double.infinity)

  /// Makes room for a place in degrees.
  mutating func add(longitude: Double, latitude: Double) {
    south = min(south, latitude)
    north = max(north, latitude)
    if longitude < 0 {
      western = (min(western.least, longitude), max(western.most, longitude))
    } else {
      eastern = (min(eastern.least, longitude), max(eastern.most, longitude))
    }
  }

  /// West, south, east and north; nil without places.
  var box: [Double]? {
    guard south <= north else { return nil }
    let west = min(western.least, eastern.least)
    let east = max(western.most, eastern.most)
    if east - west > 180, western.most + 360 - eastern.least <= 180 {
      return [eastern.least, south, western.most, north]
    }
    return [west, south, east, north]
  }
}
