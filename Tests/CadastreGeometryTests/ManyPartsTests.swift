import CadastreTestSupport
import Testing

@testable import CadastreGeometry

/// Relations of geometries of many parts, compared with those of the parts one by one.
@Suite struct ManyPartsTests {
  @Test(arguments: EdgeModel.allCases, 1...12) func `a collection is the union of its parts`(
    edges: EdgeModel, seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    let parts = (0..<60).map { _ in random.geometry() }.filter { !$0.isEmpty }
    let union = PreparedGeometry(try Geometry(.collection(parts)), edges: edges)
    let prepared = parts.map { PreparedGeometry($0, edges: edges) }
    for _ in 0..<40 {
      let geometry = random.geometry()
      let other = PreparedGeometry(geometry, edges: edges)
      let note = "\(geometry), \(edges), seed \(seed)"
      let intersects = prepared.contains { $0.intersects(other) }
      #expect(union.intersects(other) == intersects, "\(note)")
      #expect(other.intersects(union) == intersects, "\(note)")
      if prepared.contains(where: { $0.covers(other) }) { #expect(union.covers(other), "\(note)") }
      let nearest = prepared.compactMap { $0.distance(to: other)?.radians }.min()
      let distance = union.distance(to: other)?.radians
      #expect((distance == nil) == other.isEmpty)
      if let distance, let nearest, !other.isEmpty {
        #expect(
          abs(distance - nearest) <= 1e-12 + 1e-7 * (edges == .planar ? nearest : 0), "\(note)")
      }
      if let point = geometry.parts.points.first {
        let (longitude, latitude) = (point.longitude, point.latitude)
        #expect(
          union.covers(longitude: longitude, latitude: latitude)
            == prepared.contains { $0.covers(longitude: longitude, latitude: latitude) }, "\(note)")
      }
    }
  }

  @Test func `relations of many points and polygons take less than quadratic time`() throws {
    var random = SeededGenerator(seed: 5)
    let points = (0..<2).map { _ in
      (0..<20_000).compactMap { _ in
        GeoPosition(longitude: random.number(-50...50), latitude: random.number(-50...50))
      }
    }
    let (first, second) = (
      try Geometry(.multiPoint(points[0])), try Geometry(.multiPoint(points[1]))
    )
    #expect(first.equals(first) && !first.intersects(second))
    let distance = try #require(first.distance(to: second))
    #expect(distance.radians > 0 && distance.radians < 1e-3)
    let squares: [[[GeoPosition]]] = (0..<2_000).map { index in
      let (x, y) = (Double(index % 100), Double(index / 100))
      let corners = [(0, 0), (0.3, 0), (0.3, 0.3), (0, 0.3), (0, 0)]
      return [
        corners.compactMap { GeoPosition(longitude: x + $0.0, latitude: y + $0.1) }
      ]
    }
    let grid = try Geometry(.multiPolygon(squares))
    let corner = try Geometry(wkt: "POINT (99.3 19.3)")
    #expect(grid.equals(grid) && grid.contains(corner))
  }

  @Test func `vertices of the same direction are one`() throws {
    // The latitudes differ, the directions do not: no edge over the pole is between them.
    let sliver = try Geometry(
      wkt: """
        POLYGON ((-97.48703537245467 -47.26591628563059, -97.48704207554505 -47.26591452652594, \
        -97.48703537245467 -47.265916285630595, -97.48703537245467 -47.26591628563059))
        """)
    #expect(try !sliver.intersects(Geometry(wkt: "POINT (0 90)")))
    #expect(try #require(sliver.boundingBox()).topRight.latitude < -47)
    let line = try Geometry(wkt: "LINESTRING (10 47.26591628563059, 10 47.265916285630595)")
    #expect(line.invalidityReason() == nil)
    #expect(try line.intersects(Geometry(wkt: "POINT (10 47.26591628563059)")))
  }

  @Test func `an edge between antipodes passes over the north pole`() throws {
    let line = try Geometry(wkt: "LINESTRING (10 20, -170 -20)")
    #expect(try line.contains(Geometry(wkt: "POINT (77 90)")))
    #expect(try line.contains(Geometry(wkt: "LINESTRING (10 30, 10 60)")))
    #expect(line.invalidityReason() != nil)
  }
}
