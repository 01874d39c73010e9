import CGEOS
import CadastreTestSupport
import Testing

@testable import CadastreGeometry

extension SeededGenerator {
  /// Returns a point with a uniform distribution over the sphere.
  mutating func point() -> (longitude: Double, latitude: Double) {
    let height = UnitVector(x: 0, y: 0, z: number(-1...1))
    let latitude = arcSine(height.z) / radiansPerDegree
    return (number(-180...180), latitude)
  }
}

/// Returns a point, longitude first.
func point(_ longitude: Double, _ latitude: Double) throws -> GeoPoint {
  try #require(GeoPoint(latitude: latitude, longitude: longitude))
}

/// Returns a ring of points, longitude first.
func ring(_ pairs: [(Double, Double)]) throws -> [GeoPoint] {
  try pairs.map { try point($0.0, $0.1) }
}

/// Returns a polygon of rings, longitude first.
func polygon(_ rings: [(Double, Double)]...) throws -> GeoShape {
  let points = try rings.map(ring)
  return .polygon(
    try #require(GeoPolygon(outerRing: points[0], holes: Array(points.dropFirst()))))
}

/// Returns a box between two corners, longitude first.
func box(_ first: (Double, Double), _ second: (Double, Double)) throws -> GeoShape {
  .box(GeoBox(bottomLeft: try point(first.0, first.1), topRight: try point(second.0, second.1)))
}

/// Returns a circle, longitude first, radius in radians.
func circle(_ center: (Double, Double), _ radius: Double) throws -> GeoShape {
  .circle(
    try #require(GeoCircle(center: try point(center.0, center.1), radiusInRadians: radius)))
}

extension GEOSGeometry {
  /// Returns whether no line crosses or touches itself.
  func isSimple() throws -> Bool {
    try satisfies(GEOSRelation { context, geometry, _ in GEOSisSimple_r(context, geometry) }, self)
  }

  /// Returns whether a point of the plane is inside the geometry or on its border.
  func covers(_ point: PlanePoint) throws -> Bool {
    let position = GeoPosition(uncheckedLongitude: point.x, latitude: point.y)
    return try satisfies(
      GEOSRelation { GEOSCovers_r($0, $1, $2) },
      GEOSGeometry(Geometry(unchecked: .point(position)), beside: self))
  }
}

extension SeededGenerator {
  /// Returns the point in degrees at a bearing and an angle in radians from another point.
  mutating func point(
    from center: (longitude: Double, latitude: Double), bearing: Double, angle: Double
  ) -> (Double, Double) {
    let latitude = center.latitude * radiansPerDegree
    let height =
      sine(latitude) * cosine(angle) + cosine(latitude) * sine(angle) * cosine(bearing)
    let eastward = arcTangent(
      y: sine(bearing) * sine(angle) * cosine(latitude),
      x: cosine(angle) - sine(latitude) * height)
    let longitude = center.longitude + eastward / radiansPerDegree
    return (
      longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude,
      arcSine(height) / radiansPerDegree
    )
  }

  /// Returns a closed ring around a point with ascending bearings, so that it cannot cross itself.
  mutating func star(
    around center: (longitude: Double, latitude: Double), reach: Double, count: Int
  ) -> [(Double, Double)] {
    let step = 2 * Double.pi / Double(count)
    var ring = (0..<count).map { index in
      let bearing = step * (Double(index) + number(-0.4...0.4))
      return point(from: center, bearing: bearing, angle: reach * number(0.4...1))
    }
    ring.append(ring[0])
    return ring
  }

  /// Returns a region of random kind, size and location.
  mutating func shape() throws -> GeoShape {
    let center = point()
    switch Int.random(in: 0..<5, using: &self) {
    case 0:
      return try circle(
        center,
        Double.random(in: 0...1, using: &self) < 0.5
          ? number(0...3.1) : number(0...0.1))
    case 1:
      let other = point()
      return try box(center, other)
    case 2:
      let near = point(from: center, bearing: number(0...6), angle: number(0...0.2))
      return try box(center, near)
    default:
      let reach = Bool.random(using: &self) ? number(0.001...0.1) : number(0.1...1.5)
      let count = [3, 4, 7, 20, 200].randomElement(using: &self) ?? 3
      let shell = star(around: center, reach: reach, count: count)
      guard count > 7 else { return try polygon(shell) }
      return try polygon(shell, star(around: center, reach: reach * 0.2, count: 9))
    }
  }
}
