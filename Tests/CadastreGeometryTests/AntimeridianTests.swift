import CadastreTestSupport
import Testing

@testable import CadastreGeometry

/// Geometries that are divided at ±180° are the same on the sphere, and have no edge across it.
struct AntimeridianTests {
  private func divided(_ geometry: Geometry) throws -> Geometry {
    let divided = try #require(try geometry.dividedAtAntimeridian())
    for line in divided.parts.lines + divided.parts.polygons.joined() {
      for (start, end) in zip(line, line.dropFirst()) {
        #expect(abs(start.longitude - end.longitude) <= 180 || abs(start.latitude) == 90)
      }
    }
    _ = try Geometry(divided.shape)
    return divided
  }

  @Test(arguments: [81 as UInt64, 82, 83])
  func `polygons and lines`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var count = 0
    for round in 0..<150 {
      let middle = (180 * (random.oneIn(2) ? 1.0 : -1), random.number(-70...70))
      let ring = random.star(around: middle, reach: 0.2, count: 3 + round % 12).compactMap {
        GeoPosition(longitude: $0.0, latitude: $0.1)
      }
      let polygon = try Geometry(.polygon([ring]))
      let comment: Comment = "seed \(seed), round \(round): \(polygon.wkt)"
      let parts = try divided(polygon)
      if parts == polygon { continue }
      count += 1
      #expect(parts.isValid(), comment)
      #expect(abs(parts.area - polygon.area) <= 1e-9 * polygon.area, comment)
      #expect(polygon.intersects(parts), comment)
      let line = try Geometry(.lineString(ring))
      let pieces = try divided(line)
      #expect(abs(pieces.length - line.length) <= 1e-9 * line.length, comment)
    }
    #expect(count > 100)
  }

  @Test func `holes, several polygons and polygons around a pole`() throws {
    for text in [
      "POLYGON((170 -10,-170 -10,-170 10,170 10,170 -10),(175 -5,175 5,-175 5,-175 -5,175 -5))",
      "POLYGON((170 -10,-170 -10,-170 10,170 10,170 -10),(-178 -5,-178 5,-175 5,-175 -5,-178 -5))",
      "MULTIPOLYGON(((0 0,1 0,1 1,0 0)),((179 0,-179 0,-179 1,179 1,179 0)))",
      "POLYGON((0 80,90 80,180 80,-90 80,0 80))", "POLYGON((0 -70,-90 -75,180 -80,90 -70,0 -70))",
      "POLYGON((-180 70,-90 70,0 70,90 70,-180 70))",
    ] {
      let polygon = try Geometry(wkt: text)
      let parts = try divided(polygon)
      #expect(parts.isValid(), "\(text): \(parts.wkt)")
      #expect(abs(parts.area - polygon.area) <= 1e-9 * polygon.area, "\(text): \(parts.wkt)")
    }
    let usual = try Geometry(wkt: "POLYGON((0 0,1 0,1 1,0 0))")
    #expect(try usual.dividedAtAntimeridian() == usual)
  }
}
