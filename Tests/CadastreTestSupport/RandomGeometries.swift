package import CadastreGeometry

extension SeededGenerator {
  /// A geometry of any type with few positions; rather often empty, at ±180° or at a pole, and
  /// rather often with a position in common with others.
  package mutating func geometry(depth: Int = 0) -> Geometry {
    let hasAltitude = oneIn(6)
    let shape: Geometry.Shape =
      switch below(depth < 2 ? 8 : 7) {
      case 0: .point(oneIn(8) ? nil : position(hasAltitude))
      case 1: .lineString(line(hasAltitude))
      case 2: .polygon(rings(hasAltitude))
      case 3: .multiPoint((0..<below(4)).map { _ in position(hasAltitude) })
      case 4: .multiLineString((0..<below(3)).map { _ in line(hasAltitude) })
      case 5: .multiPolygon((0..<below(3)).map { _ in rings(hasAltitude) })
      case 6: .polygon(oneIn(4) ? [] : rings(hasAltitude))
      default: .collection((0..<below(4)).map { _ in geometry(depth: depth + 1) })
      }
    // The lines and rings are correct.
    return (try? Geometry(shape)) ?? Geometry()
  }

  private mutating func position(_ hasAltitude: Bool) -> GeoPosition {
    let longitude = oneIn(12) ? pick([-180, 180]) : Double(below(24) - 12) / 2
    let latitude = oneIn(20) ? pick([-90, 90]) : Double(below(24) - 12) / 2
    let altitude = hasAltitude && !oneIn(5) ? Double(below(200) - 100) : nil
    let fraction = oneIn(4) ? number(0...0.1) : 0
    return GeoPosition(
      longitude: min(180, longitude + fraction), latitude: min(90, latitude + fraction),
      altitude: altitude) ?? GeoPosition(GeoPoint.zero)
  }

  private mutating func line(_ hasAltitude: Bool) -> [GeoPosition] {
    (0..<below(4) + 2).map { _ in position(hasAltitude) }
  }

  /// A box or a triangle, sometimes with a hole, anywhere.
  private mutating func rings(_ hasAltitude: Bool) -> [[GeoPosition]] {
    var rings: [[GeoPosition]] = []
    for _ in 0...(oneIn(4) ? 1 : 0) {
      var ring = (0..<below(3) + 3).map { _ in position(hasAltitude) }
      ring.append(ring[0])
      rings.append(ring)
    }
    return rings
  }
}

extension GeoPoint {
  fileprivate static let zero: GeoPoint = {
    guard let point = GeoPoint(latitude: 0, longitude: 0) else { fatalError("0, 0 is a point") }
    return point
  }()
}
