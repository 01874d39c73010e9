/// The interpretation of an embedded object with the properties of a GeoJSON point.
package enum PointShape {
  /// Returns the longitude and latitude of a point, in degrees.
  ///
  /// - Parameters:
  ///   - type: The `type` member; "Point" in any letter case.
  ///   - coordinates: The `coordinates` member: longitude, latitude, and optional further numbers.
  /// - Returns: Nil if the type differs or the coordinates are missing or out of range. Such an
  ///   object has no location.
  package static func location(
    type: String, coordinates: [Double]
  ) -> (longitude: Double, latitude: Double)? {
    guard coordinates.count >= 2, isPointName(type) else { return nil }
    let (longitude, latitude) = (coordinates[0], coordinates[1])
    guard abs(longitude) <= 180, abs(latitude) <= 90 else { return nil }
    return (longitude, latitude)
  }

  private static func isPointName(_ name: String) -> Bool {
    name == typeName
      || name.utf8.count == typeName.utf8.count
        && zip(name.utf8, typeName.utf8).allSatisfy { $0 | 0x20 == $1 | 0x20 }
  }

  /// The value of the `type` member in GeoJSON.
  package static let typeName = "Point"
}
