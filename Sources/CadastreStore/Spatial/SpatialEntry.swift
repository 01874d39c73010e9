package import CadastreGeometry

/// A row in a spatial index: its key and its bounding box.
package struct SpatialEntry {
  var key: Int64
  /// The box of 32-bit floats.
  var box: NodeBox

  /// Creates the entry of a point, in degrees.
  package init(key: Int64, longitude: Double, latitude: Double) {
    self.key = key
    box = NodeBox(longitude: longitude, latitude: latitude)
  }

  /// Creates the entry of a geometry with an envelope.
  package init(key: Int64, _ envelope: Envelope) {
    self.key = key
    box = NodeBox(envelope)
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

  /// The box that contains an envelope.
  init(_ envelope: Envelope) {
    minLongitude = Self.roundedDown(envelope.minLongitude)
    maxLongitude = Self.roundedUp(envelope.maxLongitude)
    minLatitude = Self.roundedDown(envelope.minLatitude)
    maxLatitude = Self.roundedUp(envelope.maxLatitude)
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

  /// The longitude of the centre, in degrees.
  var longitude: Double { (Double(minLongitude) + Double(maxLongitude)) / 2 }

  /// The latitude of the centre, in degrees.
  var latitude: Double { (Double(minLatitude) + Double(maxLatitude)) / 2 }

  private static func roundedDown(_ value: Double) -> Float {
    let nearest = Float(value)
    return Double(nearest) > value ? nearest.nextDown : nearest
  }

  private static func roundedUp(_ value: Double) -> Float {
    let nearest = Float(value)
    return Double(nearest) < value ? nearest.nextUp : nearest
  }
}
