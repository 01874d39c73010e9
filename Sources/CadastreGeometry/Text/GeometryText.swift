/// What WKT, WKB or GeoJSON can hold that is of use here.
enum GeometryText {
  case point(GeoPoint)
  case polygons([GeoPolygon], isMultiple: Bool)

  /// The region; nil for a point.
  var shape: GeoShape? {
    switch self {
    case .point: nil
    case .polygons(let polygons, let isMultiple):
      if let polygon = polygons.first, !isMultiple, polygons.count == 1 {
        .polygon(polygon)
      } else {
        .multiPolygon(polygons)
      }
    }
  }

  var point: GeoPoint? {
    if case .point(let point) = self { return point }
    return nil
  }

  /// An altitude as `GeoPoint` takes it: one below 0, or none at all, is 0.
  ///
  /// Files have them, `GeoPoint` does not, and no answer depends on one.
  static func altitude(_ altitude: Double) -> Double { altitude >= 0 ? altitude : 0 }
}

extension GeoPolygon {
  /// Whether a point has an altitude other than 0.
  var hasAltitude: Bool { rings.contains { $0.contains { $0.altitude != 0 } } }
}

extension TextReader {
  /// The polygon of some rings, or an error at its beginning.
  func polygon(_ rings: [[GeoPoint]], from start: Int) throws(GeometryTextError) -> GeoPolygon {
    guard let shell = rings.first,
      let polygon = GeoPolygon(outerRing: shell, holes: Array(rings.dropFirst()))
    else {
      throw error(
        expected: "rings of at least four points that end where they began", at: start)
    }
    return polygon
  }

  /// The point of some numbers, longitude first, or an error at their beginning.
  func point(_ numbers: [Double], from start: Int) throws(GeometryTextError) -> GeoPoint {
    var numbers = numbers
    if numbers.count > 2 { numbers[2] = GeometryText.altitude(numbers[2]) }
    guard let point = GeoPoint(coordinates: numbers) else {
      throw error(
        expected: "a longitude from -180 to 180 and a latitude from -90 to 90",
        at: start)
    }
    return point
  }
}
