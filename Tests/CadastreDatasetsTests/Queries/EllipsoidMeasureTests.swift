import CadastreGeometry
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreDatasets

/// Distances on the ellipsoid agree with those of many points of an edge.
@Suite(.enabled(if: EllipsoidMeasure.failure == nil, "PROJ is not installed"))
struct EllipsoidMeasureTests {
  /// Returns points of a great circle, at equal distances from its start to its end.
  private func points(_ start: GeoPoint, _ end: GeoPoint, count: Int) throws -> [GeoPoint] {
    func vector(_ point: GeoPoint) -> SIMD3<Double> {
      let (longitude, latitude) = (point.longitude * .pi / 180, point.latitude * .pi / 180)
      return [
        cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude),
      ]
    }
    let (from, to) = (vector(start), vector(end))
    let chord = ((from - to) * (from - to)).sum().squareRoot()
    let angle = 2 * asin(min(1, chord / 2))
    return try (0...count).map { index in
      if index == 0 || index == count || angle == 0 { return index == count ? end : start }
      let part = angle * Double(index) / Double(count)
      let sum = from * (sin(angle - part) / sin(angle)) + to * (sin(part) / sin(angle))
      let (latitude, longitude) = (
        atan2(sum.z, (sum.x * sum.x + sum.y * sum.y).squareRoot()), atan2(sum.y, sum.x)
      )
      return try #require(
        GeoPoint(latitude: latitude * 180 / .pi, longitude: longitude * 180 / .pi))
    }
  }

  @Test(arguments: Seeds.usual(1...4))
  func `the nearest point of an edge`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<30 {
      func point(_ latitude: Double, _ longitude: Double, _ size: Double) throws -> GeoPoint {
        let north = latitude + Double.random(in: -size...size, using: &random)
        let east = longitude + Double.random(in: -size...size, using: &random)
        return try #require(
          GeoPoint(
            latitude: min(89.9, max(-89.9, north)),
            longitude: min(180, max(-180, east - 360 * (east / 360).rounded()))))
      }
      let size = random.pick([0.001, 0.1, 5, 60])
      let origin = try point(0, 0, 180)
      let start = try point(origin.latitude, origin.longitude, size)
      let end = try point(origin.latitude, origin.longitude, size)
      let line = try Geometry(
        .lineString(
          [start, end].compactMap {
            GeoPosition(longitude: $0.longitude, latitude: $0.latitude)
          }))
      let edge = try points(start, end, count: 5000)
      let found = try #require(EllipsoidMeasure.distance(origin, line))
      let expected = edge.map { EllipsoidMeasure.distance(origin, $0) }.min() ?? .nan
      // The nearest point is at most half of the distance between two points from one of them, which adds less to the
      // distance the farther the origin is.
      let gap = EllipsoidMeasure.distance(edge[0], edge[1])
      let error = gap * gap / max(gap, expected) + 1e-6
      #expect(
        found <= expected + 1e-6 && found >= expected - error,
        "seed \(seed): \(start) \(end) from \(origin): \(found), expected \(expected)")
    }
  }
}
