import CadastreTestSupport
import Testing

@testable import CadastreGeometry

/// Points tested all at once, compared with tests of one point after the other.
@Suite struct PointBatchTests {
  /// Vertices of a geometry, points between them, points anywhere near, and the special points.
  private static func points(
    _ geometry: Geometry, _ random: inout SeededGenerator
  ) -> [(longitude: Double, latitude: Double)] {
    let positions = (geometry.parts.polygons.flatMap(\.self) + geometry.parts.lines).flatMap(\.self)
    var points = positions.prefix(40).map { ($0.longitude, $0.latitude) }
    for position in positions.prefix(20) {
      points.append((position.longitude, random.number(-6...6)))
      points.append((max(-180, min(180, position.longitude + random.number(-1...1))), 0.5))
    }
    points += (0..<random.below(60)).map { _ in (random.number(-6...6), random.number(-6...6)) }
    points += (0..<random.below(20)).map { _ in
      (random.number(-180...180), random.number(-90...90))
    }
    for latitude in [-1.5, 0, 2] { points += [(180, latitude), (-180, latitude)] }
    return points + [(0, 90), (35, 90), (0, -90), (-180, -90)]
  }

  private static func expectAgreement(
    _ geometry: Geometry, _ edges: EdgeModel, _ random: inout SeededGenerator, _ seed: UInt64
  ) {
    let prepared = PreparedGeometry(geometry, edges: edges)
    let points = points(geometry, &random)
    var batch = PointBatch(edges: edges)
    for (element, point) in points.enumerated() {
      batch.append(longitude: point.longitude, latitude: point.latitude, element: element)
    }
    let found = batch.elements(in: prepared)
    let oracle = PreparedGeometry(geometry, edges: edges)
    let expected = points.indices.filter {
      oracle.covers(longitude: points[$0].longitude, latitude: points[$0].latitude)
    }
    #expect(found == expected, "seed \(seed), \(edges): \(geometry.wkt)")
    // With a point that occurs twice and an indexed polygon.
    batch = PointBatch(edges: edges)
    for element in [0, 1, 0] where element < points.count {
      batch.append(
        longitude: points[element].longitude, latitude: points[element].latitude, element: element)
    }
    #expect(batch.elements(in: oracle) == expected.filter { $0 < 2 }, "seed \(seed)")
  }

  @Test(arguments: EdgeModel.allCases, 1...10) func `points of an index`(
    edges: EdgeModel, seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    var batch = PointBatch(edges: edges)
    for _ in 0..<20 {
      let geometry = random.geometry()
      let points = Self.points(geometry, &random)
      var entries = EnvelopeIndex.Entries()
      for (element, point) in points.enumerated() {
        entries.append(longitude: point.longitude, latitude: point.latitude, of: element)
      }
      let index = try #require(EnvelopeIndex(entries))
      guard let located = LocatedGeometry(geometry, edges: edges) else { continue }
      batch.replace(near: located.envelopes, in: index) { points[$0] }
      let prepared = PreparedGeometry(geometry, edges: edges)
      let expected = points.indices.filter {
        prepared.covers(longitude: points[$0].longitude, latitude: points[$0].latitude)
      }
      #expect(batch.elements(in: prepared) == expected, "seed \(seed): \(geometry.wkt)")
    }
  }

  @Test(arguments: EdgeModel.allCases, 1...20) func `random geometries`(
    edges: EdgeModel, seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<20 { Self.expectAgreement(random.geometry(), edges, &random, seed) }
  }

  private static let special = [
    "POLYGON ((170 -5, -170 -5, -170 5, 170 5, 170 -5))",
    "POLYGON ((179 -5, 180 -5, 180 5, 179 5, 179 -5))",
    "POLYGON ((-180 -5, -179 -5, -179 5, -180 5, -180 -5))",
    "POLYGON ((0 80, 120 80, -120 80, 0 80))",
    "POLYGON ((0 -80, 120 -80, -120 -80, 0 -80), (0 -85, 120 -85, -120 -85, 0 -85))",
    "POLYGON ((0 0, 90 0, 0 90, 0 0))",
    "POLYGON ((-180 -60, 180 -60, 180 -90, -180 -90, -180 -60))",
    "MULTIPOLYGON (((0 0, 4 0, 4 4, 0 4, 0 0), (1 1, 3 1, 3 3, 1 3, 1 1)), ((2 2, 9 2, 9 9, 2 2)))",
    "POLYGON ((0 0, 2 2, 2 0, 0 2, 0 0))",
    "GEOMETRYCOLLECTION (POLYGON ((0 0, 4 0, 4 4, 0 0)), LINESTRING (-3 -3, 3 3), POINT (180 2))",
  ]

  @Test(arguments: EdgeModel.allCases, special) func `special polygons`(
    edges: EdgeModel, wkt: String
  ) throws {
    let geometry = try Geometry(wkt: wkt)
    var random = SeededGenerator(seed: 1)
    for _ in 0..<20 { Self.expectAgreement(geometry, edges, &random, 1) }
  }

  @Test func `entries are sorted by radix as by comparison`() {
    var random = SeededGenerator(seed: 5)
    let entries = (0..<5000).map { index in
      CurveEntry(
        position: UInt64(random.below(1 << 20)) << 44 | UInt64(random.below(1 << 30)),
        index: Int32(index))
    }
    let sorted = CurveEntry.sorted(entries).map { $0.position >> 16 }
    #expect(sorted == entries.map { $0.position >> 16 }.sorted())
    #expect(Set(CurveEntry.sorted(entries).map(\.index)).count == entries.count)
  }
}
