import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreGeometry

@Suite struct GeoPointTests {
  @Test func `coordinates out of range and NaN give no point`() {
    for (latitude, longitude, altitude) in [
      (90.1, 0.0, 0.0), (-90.1, 0, 0), (0, 180.1, 0), (0, -180.1, 0), (.nan, 0, 0),
      (0, .nan, 0), (0, 0, .nan), (0, 0, -1),
    ] {
      #expect(GeoPoint(latitude: latitude, longitude: longitude, altitude: altitude) == nil)
    }
    #expect(GeoPoint(latitude: 90, longitude: -180)?.altitude == 0)
  }

  @Test func `a point is encoded as a GeoJSON point`() throws {
    let point = try #require(GeoPoint(latitude: 56.15, longitude: 10.2, altitude: 3))
    let text = try JSONEncoder().encode(point)
    #expect(try JSONDecoder().decode(GeoPoint.self, from: text) == point)
    #expect(try GeoPoint(geoJSON: text) == point)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(
        GeoPoint.self, from: Data("{\"type\":\"Point\",\"coordinates\":[1]}".utf8))
    }
  }

  @Test func `a distance and a circle of that radius agree to the last bit`() throws {
    let seed: UInt64 = 7
    var generator = SeededGenerator(seed: seed)
    for round in 0..<20_000 {
      let (from, to) = (generator.point(), generator.point())
      let center = try point(from.longitude, from.latitude)
      let scale = [1, 1e-3, 1e-8][round % 3]
      let other = try point(
        from.longitude + (to.longitude - from.longitude) * scale,
        from.latitude + (to.latitude - from.latitude) * scale)
      let distance = center.distance(to: other)
      #expect(other.distance(to: center) == distance)
      for (radius, expected) in [
        (distance.radians, true), (distance.radians.nextDown, false),
      ] where radius >= 0 {
        let region = try PreparedRegion(circle((center.longitude, center.latitude), radius))
        #expect(
          region.contains(longitude: other.longitude, latitude: other.latitude)
            == (expected || distance.radians <= radius), "seed \(seed)")
      }
    }
  }

  @Test func `distances are accurate for near points, antipodes and the poles`() throws {
    let degree = Double.pi / 180
    for (from, to, expected) in [
      ((0.0, 0.0), (180.0, 0.0), 180.0), ((10, 20), (-170, -20), 180), ((0, 90), (77, -90), 180),
      ((180, 5), (-180, 5), 0), ((3, 90), (99, 90), 0), ((0, 0), (0, 1e-12), 1e-12),
      ((0, 0), (90, 0), 90), ((0, 0), (0, 89), 89),
    ] {
      let angle = try point(from.0, from.1).distance(to: point(to.0, to.1)).radians
      #expect(abs(angle - expected * degree) <= expected * degree * 4e-16)
    }
  }
}

@Suite struct DistanceTests {
  @Test func `all units use the same radius of the Earth`() throws {
    #expect(Distance.earthRadiusMeters == 6_378_100)
    #expect(try #require(Distance.kilometers(6_378.1)).radians == 1)
    #expect(abs(try #require(Distance.miles(1)).asKilometers() - 1.609344) < 1e-12)
    #expect(abs(try #require(Distance.degrees(180)).radians - .pi) < 1e-15)
    #expect(abs(try #require(Distance.radians(2)).asDegrees() - 360 / .pi) < 1e-12)
    #expect(abs(try #require(Distance.kilometers(5)).asMiles() - 3.106855961) < 1e-8)
  }

  @Test func `negative lengths and NaN give no distance`() {
    for value in [-1, -Double.leastNonzeroMagnitude, .nan] {
      #expect(Distance.radians(value) == nil)
      #expect(Distance.degrees(-1) == nil && Distance.miles(-1) == nil)
    }
    #expect(Distance.kilometers(.nan) == nil)
    #expect(Distance.kilometers(.infinity)?.radians == .infinity)
  }
}

@Suite struct GeoShapeTests {
  @Test func `a ring is closed and has four points`() throws {
    #expect(GeoPolygon(outerRing: [(0, 0), (1, 0), (0, 0)]) == nil)
    #expect(GeoPolygon(outerRing: [(0, 0), (1, 0), (0, 1), (1, 1)]) == nil)
    #expect(GeoPolygon(outerRing: [(0, 0), (1, 0), (0, 1), (0, 0)]) != nil)
    #expect(GeoPolygon(outerRing: [(0, 0), (91, 0), (0, 1), (0, 0)]) == nil)
    let ring = try ring([(0, 0), (1, 0), (0, 1), (0, 0)])
    #expect(GeoPolygon(outerRing: ring) == GeoPolygon(outerRing: ring, holes: nil))
    #expect(GeoPolygon(outerRing: ring, holes: ring, ring)?.holes.count == 2)
    #expect(GeoPolygon(outerRing: ring, holes: [[ring[0]]]) == nil)
    var lifted = ring
    lifted[3] = try #require(GeoPoint(latitude: 0, longitude: 0, altitude: 1))
    #expect(GeoPolygon(outerRing: lifted) == nil)
  }

  @Test func `a radius is 0 or more`() throws {
    let center = try point(0, 0)
    #expect(GeoCircle(center: center, radiusInRadians: -1) == nil)
    #expect(GeoCircle(center: center, radiusInRadians: .nan) == nil)
    #expect(GeoCircle(center: center, radiusInRadians: 500) != nil)
    #expect(GeoCircle(center: (91, 0), radiusInRadians: 1) == nil)
    #expect(GeoBox(bottomLeft: (55.6, 13.2), topRight: (55.7, 181)) == nil)
  }

  @Test func `shapes are printed in the syntax of predicates, longitude first`() throws {
    #expect(
      try box((-10, 35), (5, 50)).description == "geoBox([-10.0, 35.0], [5.0, 50.0])")
    #expect(
      try circle((2.3522, 48.8566), 0.0157).description == "geoCircle([2.3522, 48.8566], 0.0157)")
    let shape = try polygon(
      [(0, 50), (15, 50), (15, 62), (0, 50)], [(9, 55), (11, 55), (11, 56), (9, 55)])
    let text =
      "geoPolygon({[0.0, 50.0], [15.0, 50.0], [15.0, 62.0], [0.0, 50.0]}, "
      + "{[9.0, 55.0], [11.0, 55.0], [11.0, 56.0], [9.0, 55.0]})"
    #expect(shape.description == text)
    guard case .polygon(let polygon) = shape else { return }
    #expect(
      GeoShape.multiPolygon([polygon, polygon]).description == "geoMultiPolygon(\(text), \(text))")
  }

  @Test func `shapes round-trip through Codable`() throws {
    let polygon = try #require(GeoPolygon(outerRing: [(0, 0), (1, 0), (0, 1), (0, 0)]))
    let circle = GeoCircle(center: try point(1, 2), radius: try #require(.kilometers(3)))
    let box = try #require(GeoBox(bottomLeft: (1, 2), topRight: (3, 4)))
    let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
    #expect(try decoder.decode(GeoPolygon.self, from: encoder.encode(polygon)) == polygon)
    #expect(try decoder.decode(GeoCircle.self, from: encoder.encode(circle)) == circle)
    #expect(try decoder.decode(GeoBox.self, from: encoder.encode(box)) == box)
    #expect(try GeoShape(geoJSON: encoder.encode(polygon)) == .polygon(polygon))
  }
}

@Suite struct RegionErrorTests {
  private func reason(_ rings: [(Double, Double)]...) throws -> RegionError.Reason? {
    let points = try rings.map(ring)
    let shape = GeoShape.polygon(
      try #require(GeoPolygon(outerRing: points[0], holes: Array(points.dropFirst()))))
    return #expect(throws: RegionError.self) { try PreparedRegion(shape) }?.reason
  }

  @Test func `vertices with the same direction are one`() throws {
    // The coordinates differ by less than the rounding of their directions.
    let places = [(10.0, 1e-300), (10, 3e-300), (20, 0), (20, 10), (1e-300, 10), (2e-300, 10)]
    let region = try #require(GeoPolygon(outerRing: try ring(places + [(10, 1e-300)])))
    let prepared = try PreparedRegion(.polygon(region))
    #expect(prepared.contains(longitude: 15, latitude: 5))
    #expect(prepared.contains(longitude: 20, latitude: 5))
    #expect(!prepared.contains(longitude: 5, latitude: 2))
    let closing = [(1e-300, 0.0), (10, 0), (10, 10), (2e-300, 0), (1e-300, 0)]
    let triangle = try #require(GeoPolygon(outerRing: try ring(closing)))
    #expect(try PreparedRegion(.polygon(triangle)).contains(longitude: 8, latitude: 5))
    #expect(
      try reason([(1e-300, 0), (2e-300, 0), (10, 10), (1e-300, 0)]) == .tooFewVertices(ring: 0))
  }

  @Test func `each fault of a polygon has its reason`() throws {
    #expect(try reason([(0, 0), (1, 0), (0, 0), (0, 0)]) == .tooFewVertices(ring: 0))
    #expect(
      try reason([(0, 0), (180, 0), (90, 50), (0, 0)])
        == .antipodalNeighbours(longitude: 0, latitude: 0))
    let shell = [(0.0, 0.0), (10, 0), (10, 10), (0, 10), (0, 0)]
    guard
      case .holeOutsideShell = try reason(shell, [(20, 20), (21, 20), (20, 21), (20, 20)])
    else {
      Issue.record("expected holeOutsideShell")
      return
    }
    #expect(
      try reason(shell, [(0, 0), (10, 0), (5, 5), (0, 0)])
        == .duplicateEdge(
          longitude: 0, latitude: 0))
  }

  @Test func `faults of unchecked shapes have their reason`() {
    typealias Position = UncheckedShape.Position
    let open = [(0.0, 0.0), (1, 0), (0, 1), (1, 1)].map { Position(longitude: $0, latitude: $1) }
    for (shape, reason) in [
      (UncheckedShape.polygon([open]), RegionError.Reason.ringNotClosed(ring: 0)),
      (.circle(open[0], radiusInRadians: -1), .invalidRadius(-1)),
      (.box(open[0], Position(longitude: 0, latitude: 91)), .latitudeOutOfRange(91)),
      (.polygon([]), .empty), (.polygon([[open[0], open[0]]]), .tooFewVertices(ring: 0)),
    ] {
      #expect(#expect(throws: RegionError.self) { try shape.checked() }?.reason == reason)
    }
  }

  @Test func `a long shape is shortened in the message`() throws {
    let ring = (0..<1_000).map { ($0 % 2 == 0 ? 0.0 : 10.0, Double($0) / 100) }
    let shape = try polygon(ring + [ring[0]])
    let error = #expect(throws: RegionError.self) { try PreparedRegion(shape) }
    #expect(try #require(error).description.count < 500)
  }
}
