import CadastreTestSupport
import Testing

@testable import CadastreGeometry

/// Geometries that are divided at ±180° are the same on the sphere, and have no edge across it.
struct AntimeridianTests {
  private func divided(_ geometry: Geometry) throws -> Geometry {
    let divided = try #require(geometry.dividedAtAntimeridian())
    for line in divided.parts.lines + divided.parts.polygons.joined() {
      for (start, end) in zip(line, line.dropFirst()) {
        let step = abs(start.longitude - end.longitude)
        // A whole parallel is as long on the map.
        #expect(step <= 180 || step == 360 || abs(start.latitude) == 90)
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
      "POLYGON((0 60,90 60,180 60,-90 60,0 60),(0 80,90 80,180 80,-90 80,0 80))",
      "POLYGON((0 -60,-90 -65,170 -60,90 -60,0 -60),(0 -80,90 -85,170 -80,-90 -85,0 -80),(175 -70,-175 -70,-175 -72,175 -72,175 -70))",
    ] {
      let polygon = try Geometry(wkt: text)
      let parts = try divided(polygon)
      #expect(parts.isValid(), "\(text): \(parts.wkt)")
      #expect(abs(parts.area - polygon.area) <= 1e-9 * polygon.area, "\(text): \(parts.wkt)")
    }
    let usual = try Geometry(wkt: "POLYGON((0 0,1 0,1 1,0 0))")
    #expect(usual.dividedAtAntimeridian() == usual)
  }

  @Test func `lines keep their order, their crossings and their way back`() throws {
    for text in [
      "LINESTRING(0 0,90 5,179 6,-90 7,0 8,90 9,179 10,-90 11,0 12,90 13,179 14,-90 15,0 16,20 17)",
      "LINESTRING(170 0,-170 4,-170 0,170 4,160 6)", "LINESTRING(170 0,-170 0,170 0,170 5)",
      "LINESTRING(170 0,180 0,180 10,-170 12)", "LINESTRING(179 0,-179 0)",
    ] {
      let line = try Geometry(wkt: text)
      let pieces = try divided(line)
      #expect(abs(pieces.length - line.length) <= 1e-9 * line.length, "\(pieces.wkt)")
      // All positions are there, in their order.
      let given = line.parts.lines.joined().map(\.vertex)
      var left = given[...]
      for vertex in pieces.parts.lines.joined().map(\.vertex) where vertex == left.first {
        left.removeFirst()
      }
      #expect(left.isEmpty, "\(pieces.wkt)")
    }
    // A whole parallel is a line on the map too.
    let parallel = try Geometry(wkt: "LINESTRING(-180 10,180 10)")
    #expect(parallel.dividedAtAntimeridian() == parallel)
  }

  @Test func `no polygon is lost`() throws {
    for text in [
      "MULTIPOLYGON(((-180 -90,180 -90,180 -60,-180 -60,-180 -90)),((0 0,10 0,10 10,0 10,0 0)))",
      "MULTIPOLYGON(((-180 -90,180 -90,180 -60,-180 -60,-180 -90)),((179 0,-179 0,-179 1,179 1,179 0)))",
      "POLYGON((0 60,90 60,180 60,-90 60,0 60),(170 70,170 75,-170 75,-170 70,170 70))",
      "POLYGON((0 60,170 60,-170 65,-170 70,170 72,170 80,-170 80,-90 60,0 60))",
      "POLYGON((160 60,170 60,-100 90,160 60))",
    ] {
      let polygon = try Geometry(wkt: text)
      let parts = try divided(polygon)
      #expect(abs(parts.area - polygon.area) <= 1e-6 * polygon.area, "\(text): \(parts.wkt)")
    }
    // What is invalid stays as it is.
    let bow = try Geometry(wkt: "POLYGON((179 0,-179 2,-179 0,179 2,179 0))")
    _ = bow.dividedAtAntimeridian()
  }

  @Test func `bounding boxes end at 180 degrees where a geometry does`() throws {
    for (text, west, east) in [
      ("POLYGON((-180 0,-170 0,-170 10,-180 10,-180 0))", -180.0, -170.0),
      ("POLYGON((180 0,180 10,170 10,170 0,180 0))", 170, 180),
      ("LINESTRING(170 5,180 5)", 170, 180), ("LINESTRING(170 5,-170 5)", 170, -170),
      ("POLYGON((179 -1,-179 -1,-179 1,179 1,179 -1))", 179, -179),
      ("LINESTRING(10 10,12 10.5)", 10, 12),
    ] {
      let box = try #require(try Geometry(wkt: text).boundingBox())
      #expect(box.bottomLeft.longitude == west && box.topRight.longitude == east, "\(text): \(box)")
    }
    let pole = try Geometry(
      wkt: "POLYGON((0 89.99999999999,120 89.99999999999,-120 89.99999999999,0 89.99999999999))")
    #expect(pole.boundingBox()?.topRight.latitude == 90)
  }
}
