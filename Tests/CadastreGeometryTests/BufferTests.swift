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

  /// A line or a polygon with edges of up to 60°, at ±180° or a pole too.
  private static func large(_ random: inout SeededGenerator, _ round: Int) throws -> Geometry {
    let center =
      [(180, random.number(-80...80)), (random.number(-180...180), 89.9), (20, -40)][round % 3]
    let ring = random.star(
      around: center, reach: random.pick([0.05, 0.3, 0.9]), count: random.pick([3, 5, 12])
    ).compactMap { GeoPosition(longitude: $0.0, latitude: $0.1) }
    return try Geometry(
      round % 2 == 0 ? .polygon([ring]) : .lineString(Array(ring.dropLast())))
  }

  /// Each place of the border is at the distance, of geometries with edges of up to 60° too.
  @Test(arguments: Seeds.usual(1...6))
  func `the border of a buffer is at the distance`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for round in 0..<12 {
      let geometry = try Self.large(&random, round)
      let kilometers = random.pick([0.1, 5, 60, 900])
      let distance = try #require(Distance.kilometers(kilometers))
      let buffer = try geometry.buffered(by: distance)
      let note: Comment = "seed \(seed), round \(round), \(kilometers) km: \(geometry.wkt)"
      #expect(buffer.isValid(), note)
      let prepared = PreparedGeometry(geometry, edges: .spherical)
      let rings = buffer.parts.polygons.joined()
      #expect(!rings.isEmpty, note)
      for (start, end) in rings.flatMap({ zip($0, $0.dropFirst()) }) {
        let middle = try #require((start.direction + end.direction).normalized)
        for vertex in [start.vertex, middle.vertex] {
          let point = Geometry(
            unchecked: .point(
              GeoPosition(uncheckedLongitude: vertex.longitude, latitude: vertex.latitude)))
          let found = try #require(
            prepared.distance(to: PreparedGeometry(point, edges: .spherical)))
          let ratio = found.radians / distance.radians
          #expect(ratio > 0.985 && ratio < 1.005, "\(ratio) at \(point.wkt), \(note)")
          if !(ratio > 0.985 && ratio < 1.005) { return }
        }
      }
      // What remains inside of the border is at the distance from it, too.
      if geometry.kind == .polygon {
        let inset = try geometry.inset(by: distance)
        #expect(inset.isValid(), note)
        let border = PreparedGeometry(
          Geometry(unchecked: .multiLineString(geometry.parts.polygons[0])), edges: .spherical)
        for position in inset.parts.polygons.joined().joined() {
          let point = PreparedGeometry(Geometry(unchecked: .point(position)), edges: .spherical)
          let ratio = try #require(border.distance(to: point)).radians / distance.radians
          #expect(ratio > 0.985 && ratio < 1.005, "\(ratio) at \(position), \(note)")
          #expect(prepared.covers(point), note)
        }
        let rest = try #require(try? buffer.sphericalDifference(inset))
        #expect(abs(rest.area + inset.area - buffer.area) < 1e-9 * buffer.area, note)
      } else {
        #expect(try geometry.inset(by: distance).isEmpty)
      }
      let covering = PreparedGeometry(buffer, edges: .spherical)
      #expect(covering.covers(prepared), note)
    }
  }

  @Test func `parts that touch have no border between them`() throws {
    let width = try #require(Distance.kilometers(10))
    let whole = try Geometry(wkt: "POLYGON ((179 -1, -179 -1, -179 1, 179 1, 179 -1))")
    let halves = try Geometry(
      wkt: """
        MULTIPOLYGON (((179 -1, 180 -1, 180 1, 179 1, 179 -1)), \
        ((-180 -1, -179 -1, -179 1, -180 1, -180 -1)))
        """)
    let inset = try halves.inset(by: width)
    #expect(inset.parts.polygons.count == 1)
    #expect(abs(try inset.area / whole.inset(by: width).area - 1) < 1e-3)
  }

  /// GEOS leaves holes at some bends, which are up to 3 % nearer than the width.
  @Test func `bent lines have buffers without false holes`() throws {
    for (text, kilometers) in [
      (
        "LINESTRING (83.512554654 29.407157879, 81.179005584 29.843197572, 80.896143279 30.374001864, 81.375520369 31.479206894)",
        7_000.0
      ),
      (
        "LINESTRING (13.046528781 20.557313786, 13.012112768 20.514689528, 13.004337631 20.513329437, 13.012396939 20.518860245)",
        100
      ),
    ] {
      let line = try Geometry(wkt: text)
      let buffer = try line.buffered(by: #require(Distance.kilometers(kilometers)))
      #expect(buffer.parts.polygons.map(\.count) == [1], "\(text)")
    }
    // A hole at the distance stays.
    let ring = try Geometry(wkt: "LINESTRING (0 0, 9 0, 9 9, 0 9, 0 0)")
    let buffer = try ring.buffered(by: #require(Distance.kilometers(300)))
    #expect(buffer.parts.polygons.map(\.count) == [2])
  }

  @Test func `closed lines have buffers without holes`() throws {
    let width = try #require(Distance.kilometers(300))
    for text in [
      "LINESTRING (1 2, 1 2)", "LINESTRING (0 0, 1 0, 0 0)", "LINESTRING (0 0, 1 0, 1 1, 0 0)",
      "LINESTRING (0 0, 1 0, 1 1, 0 0, -1 0, -1 -1, 0 0)",
      "LINESTRING Z (0 0 1, 1 0 2, 1 1 3, 0 0 4)", "LINESTRING (180 0, 179 0, 179 1, -180 0)",
    ] {
      let buffer = try Geometry(wkt: text).buffered(by: width)
      #expect(buffer.isValid() && buffer.parts.polygons.map(\.count) == [1], "\(text)")
    }
  }

  @Test func `a buffer that is too large is an error`() throws {
    let line = try Geometry(wkt: "LINESTRING (0 0, 50 0)")
    let far = try Geometry(wkt: "MULTIPOINT (0 0, 170 0)")
    let kilometer = try #require(Distance.kilometers(1))
    #expect(throws: GeometryError.self) {
      try line.buffered(by: #require(Distance.kilometers(.infinity)))
    }
    #expect(throws: GeometryError.self) { try line.buffered(by: #require(Distance.degrees(85))) }
    #expect(throws: GeometryError.self) { try line.buffered(by: #require(Distance.degrees(70))) }
    let width = try line.buffered(by: #require(Distance.degrees(6)))
    #expect(width.parts.polygons.count == 1 && width.isValid())
    // Parts that are far apart have planes of their own, and antipodes have no middle.
    #expect(try far.buffered(by: kilometer).parts.polygons.count == 2)
    let opposite = try Geometry(wkt: "MULTIPOINT (0 0, 180 0)")
    #expect(try opposite.buffered(by: kilometer).parts.polygons.count == 2)
    #expect(throws: GeometryError.self) {
      try Geometry(wkt: "LINESTRING (0 0, 180 0)").buffered(by: kilometer)
    }
    #expect(try Geometry().buffered(by: kilometer).isEmpty)
  }
}
