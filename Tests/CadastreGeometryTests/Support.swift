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
