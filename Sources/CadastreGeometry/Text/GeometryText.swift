/// What a text in WKT or GeoJSON can hold that is of use here.
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
  ///
  /// An altitude below 0 is read as 0: files have them, `GeoPoint` does not, and no answer depends
  /// on one.
  func point(_ numbers: [Double], from start: Int) throws(GeometryTextError) -> GeoPoint {
    var numbers = numbers
    if numbers.count > 2 { numbers[2] = max(0, numbers[2]) }
    guard let point = GeoPoint(coordinates: numbers) else {
      throw error(
        expected: "a longitude from -180 to 180 and a latitude from -90 to 90",
        at: start)
    }
    return point
  }
}
