import CadastreTestSupport
import Testing

@testable import CadastreGeometry

/// Buffers, compared with distances on the sphere.
@Suite struct BufferTests {
  @Test(arguments: 1...10) func `a buffer contains the points within the distance`(
    seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    let center = try #require(
      GeoPosition(longitude: random.pick([0, 180, 77]), latitude: random.pick([0, 60, -89.5])))
    // Points around the center, across ±180° and the pole too.
    let near = { (random: inout SeededGenerator, reach: Double) -> GeoPosition in
      var latitude = center.latitude + random.number(-reach...reach)
      var longitude = center.longitude + random.number(-reach...reach)
      if latitude < -90 { (latitude, longitude) = (-180 - latitude, longitude + 180) }
      if longitude > 180 { longitude -= 360 }
      return GeoPosition(uncheckedLongitude: longitude, latitude: latitude)
    }
    let line = (0..<4).map { _ in near(&random, 1) }
    for shape in [Geometry.Shape.lineString(line), .point(line[0]), .multiPoint(line)] {
      let geometry = try Geometry(shape)
      let kilometers = random.number(20...150)
      let distance = try #require(Distance.kilometers(kilometers))
      let buffer = PreparedGeometry(try geometry.buffered(by: distance), edges: .spherical)
      let inner = try #require(Distance.kilometers(kilometers * 0.996))
      let outer = try #require(Distance.kilometers(kilometers * 1.003))
      let prepared = PreparedGeometry(geometry, edges: .spherical)
      for _ in 0..<400 {
        let position = near(&random, 3)
        let point = PreparedGeometry(try Geometry(.point(position)), edges: .spherical)
        let note = "\(geometry), \(position), \(kilometers) km, seed \(seed)"
        if prepared.isWithin(inner, of: point) {
          #expect(buffer.covers(point), "\(note)")
        } else if !prepared.isWithin(outer, of: point) {
          #expect(!buffer.covers(point), "\(note)")
        }
      }
    }
  }

  @Test func `a buffer that is too large is an error`() throws {
    let line = try Geometry(wkt: "LINESTRING (0 0, 50 0)")
    let far = try Geometry(wkt: "MULTIPOINT (0 0, 170 0)")
    let kilometer = try #require(Distance.kilometers(1))
    #expect(throws: GeometryError.self) {
      try line.buffered(by: #require(Distance.kilometers(.infinity)))
    }
    #expect(throws: GeometryError.self) { try line.buffered(by: #require(Distance.degrees(6))) }
    #expect(throws: GeometryError.self) { try far.buffered(by: kilometer) }
    #expect(try Geometry().buffered(by: kilometer).isEmpty)
  }
}
