/// What counts as a point in an embedded object of the GeoJSON shape.
package enum PointShape {
  /// The longitude and latitude, in degrees, of a point with the given members.
  ///
  /// The type's name must be "Point" in any letter case; two coordinates are needed, in range; what
  /// follows them does not matter. Nil for anything else: such an object is at no place.
  package static func place(
    type: String, coordinates: [Double]
  ) -> (longitude: Double, latitude: Double)? {
    guard coordinates.count >= 2, isPointName(type) else { return nil }
    let (longitude, latitude) = (coordinates[0], coordinates[1])
    guard abs(longitude) <= 180, abs(latitude) <= 90 else { return nil }
    return (longitude, latitude)
  }

  private static func isPointName(_ name: String) -> Bool {
    name.utf8.count == regularName.utf8.count
      && zip(name.utf8, regularName.utf8).allSatisfy { $0 | 0x20 == $1 | 0x20 }
  }

  /// The type's name as GeoJSON writes it.
  package static let regularName = "Point"
}
