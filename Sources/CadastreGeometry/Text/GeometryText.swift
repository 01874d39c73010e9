/// A geometry read from WKT, WKB or GeoJSON.
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

  /// Returns an altitude that `GeoPoint` accepts: 0 for a negative one and for NaN.
  ///
  /// Files contain negative altitudes, and no query depends on an altitude.
  static func altitude(_ altitude: Double) -> Double { altitude >= 0 ? altitude : 0 }
}

extension GeoPolygon {
  /// Whether at least one point has an altitude other than 0.
  var hasAltitude: Bool { rings.contains { $0.contains { $0.altitude != 0 } } }
}

extension TextReader {
  /// Returns the polygon with the given rings; `start` is the offset for errors.
  func polygon(_ rings: [[GeoPoint]], from start: Int) throws(GeometryTextError) -> GeoPolygon {
    guard let exterior = rings.first,
      let polygon = GeoPolygon(outerRing: exterior, holes: Array(rings.dropFirst()))
    else {
      throw error(expected: GeometryTextError.closedRings, at: start)
    }
    return polygon
  }

  /// Returns the point with the given numbers, longitude first; `start` is the offset for errors.
  func point(_ numbers: [Double], from start: Int) throws(GeometryTextError) -> GeoPoint {
    var numbers = numbers
    if numbers.count > 2 { numbers[2] = GeometryText.altitude(numbers[2]) }
    guard let point = GeoPoint(coordinates: numbers) else {
      throw error(expected: GeometryTextError.coordinatesInRange, at: start)
    }
    return point
  }
}
