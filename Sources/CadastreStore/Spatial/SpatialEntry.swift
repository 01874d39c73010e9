/// A point in a spatial index: the key of its row and its location.
package struct SpatialEntry {
  var key: Int64
  /// The longitude in degrees.
  var longitude: Double
  /// The latitude in degrees.
  var latitude: Double

  /// Creates an entry from a location in degrees.
  package init(key: Int64, longitude: Double, latitude: Double) {
    self.key = key
    self.longitude = longitude
    self.latitude = latitude
  }
}

/// A bounding box of an R*Tree: 32-bit floats, rounded so that it contains the exact box.
struct NodeBox {
  var minLongitude: Float
  var maxLongitude: Float
  var minLatitude: Float
  var maxLatitude: Float

  /// The box of a point.
  init(longitude: Double, latitude: Double) {
    minLongitude = Self.roundedDown(longitude)
    maxLongitude = Self.roundedUp(longitude)
    minLatitude = Self.roundedDown(latitude)
    maxLatitude = Self.roundedUp(latitude)
  }

  init(
    minLongitude: Float, maxLongitude: Float, minLatitude: Float, maxLatitude: Float
  ) {
    self.minLongitude = minLongitude
    self.maxLongitude = maxLongitude
    self.minLatitude = minLatitude
    self.maxLatitude = maxLatitude
  }

  /// Extends the box to contain another box.
  mutating func formUnion(_ other: NodeBox) {
    minLongitude = min(minLongitude, other.minLongitude)
    maxLongitude = max(maxLongitude, other.maxLongitude)
    minLatitude = min(minLatitude, other.minLatitude)
    maxLatitude = max(maxLatitude, other.maxLatitude)
  }

  private static func roundedDown(_ value: Double) -> Float {
    let nearest = Float(value)
    return Double(nearest) > value ? nearest.nextDown : nearest
  }

  private static func roundedUp(_ value: Double) -> Float {
    let nearest = Float(value)
    return Double(nearest) < value ? nearest.nextUp : nearest
  }
}
