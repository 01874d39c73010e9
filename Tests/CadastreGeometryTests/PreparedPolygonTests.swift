import CadastreTestSupport
import Testing

@testable import CadastreGeometry

@Suite struct PreparedPolygonTests {
  @Test func `spherical polygons agree with GEOS on a gnomonic projection`() throws {
    let seed: UInt64 = 33
    var generator = SeededGenerator(seed: seed)
    for round in 0..<200 {
      let center = generator.point()
      let reach = generator.number(0.0001...1.2)
      let shell = generator.star(
        around: center, reach: reach, count: [3, 5, 17, 300][round % 4])
      let chart = GnomonicProjection(
        center: UnitVector(longitude: center.longitude, latitude: center.latitude))
      let plane = shell.compactMap {
        chart.project(UnitVector(longitude: $0.0, latitude: $0.1))
      }
      let reference = try GEOSGeometry(rings: [plane])
      guard try reference.fault() == nil else { continue }
      let region = try PreparedRegion(polygon(shell))
      for _ in 0..<200 {
        let (longitude, latitude) = generator.point(
          from: center, bearing: generator.number(0...6.3),
          angle: reach * generator.number(0...1.1))
        guard
          let onChart = chart.project(UnitVector(longitude: longitude, latitude: latitude))
        else { continue }
        #expect(
          try region.contains(longitude: longitude, latitude: latitude)
            == reference.covers(onChart), "seed \(seed): [\(longitude), \(latitude)] of \(shell)")
      }
    }
  }

  @Test func `planar polygons agree with GEOS covers, also for borders at integer degrees`() throws
  {
    let seed: UInt64 = 34
    var generator = SeededGenerator(seed: seed)
    for round in 0..<300 {
      var shell = generator.star(
        around: (generator.number(-80...80), generator.number(-30...30)),
        reach: generator.number(0.1...0.8), count: [3, 5, 17, 100][round % 4])
      if round % 2 == 0 { shell = shell.map { ($0.0.rounded(), $0.1.rounded()) } }
      let reference = try GEOSGeometry(rings: [shell.map { PlanePoint(x: $0.0, y: $0.1) }])
      guard try reference.fault() == nil else { continue }
      let region = try PreparedRegion(polygon(shell), edges: .planar)
      for _ in 0..<300 {
        var (longitude, latitude) = (generator.number(-180...180), generator.number(-90...90))
        if Bool.random(using: &generator) {
          (longitude, latitude) = (
            (longitude * 2).rounded() / 2, (latitude * 2).rounded() / 2
          )
        }
        #expect(
          try region.contains(longitude: longitude, latitude: latitude)
            == reference.covers(PlanePoint(x: longitude, y: latitude)),
          "seed \(seed): [\(longitude), \(latitude)] of \(shell)")
      }
    }
  }

  @Test(arguments: EdgeModel.allCases)
  func `vertices and sides along meridians belong to the region`(edges: EdgeModel) throws {
    for (west, east) in [(0.0, 0.5), (-10, 5), (10, 11.7), (170, 180), (-180, -170)] {
      let region = try PreparedRegion(box((west, 35), (east, 50)), edges: edges)
      for corner in [(west, 35.0), (west, 50), (east, 35), (east, 50), (west, 41.3), (east, 47)] {
        #expect(region.contains(longitude: corner.0, latitude: corner.1), "\(corner)")
      }
      #expect(!region.contains(longitude: west.nextDown, latitude: 40) || west == -180)
      #expect(!region.contains(longitude: east.nextUp, latitude: 40) || east == 180)
    }
  }

  @Test func `the border of a hole belongs to the region, its interior does not`() throws {
    let shape = try polygon(
      [(0, 0), (10, 0), (10, 10), (0, 10), (0, 0)], [(4, 4), (6, 4), (6, 6), (4, 6), (4, 4)])
    let region = try PreparedRegion(shape)
    #expect(region.contains(longitude: 4, latitude: 5))
    #expect(region.contains(longitude: 6, latitude: 6))
    #expect(!region.contains(longitude: 4.001, latitude: 5))
  }

  @Test func `a region may cross ±180°`() throws {
    let region = try PreparedRegion(box((170, -10), (-170, 10)))
    for longitude in [170.0, 175, 180, -180, -175, -170] {
      #expect(region.contains(longitude: longitude, latitude: 5))
    }
    #expect(!region.contains(longitude: 169.9, latitude: 5))
    #expect(!region.contains(longitude: -169.9, latitude: 5))
    #expect(!region.contains(longitude: 0, latitude: 5))
    #expect(region.envelopes.count == 2)
    let far = Envelope(west: -160, south: -5, east: 160, north: 5)
    #expect(region.relation(to: far) == .disjoint)
  }

  @Test func `a vertex at ±180° is in the region at both longitudes`() throws {
    let region = try PreparedRegion(polygon([(170, 0), (180, 5), (170, 10), (170, 0)]))
    #expect(region.contains(longitude: 180, latitude: 5))
    #expect(region.contains(longitude: -180, latitude: 5))
    #expect(!region.contains(longitude: -180, latitude: 6))
  }

  @Test(arguments: [1.0, -1])
  func `a ring around a pole contains the pole`(sign: Double) throws {
    let ring = [0.0, 90, 180, -90, 0].map { ($0, 80 * sign) }
    let region = try PreparedRegion(polygon(ring))
    for longitude in [-180.0, -33, 0, 45, 180] {
      #expect(region.contains(longitude: longitude, latitude: 90 * sign))
      #expect(region.contains(longitude: longitude, latitude: 86 * sign))
      #expect(!region.contains(longitude: longitude, latitude: 79 * sign))
      #expect(!region.contains(longitude: longitude, latitude: -90 * sign))
    }
  }

  @Test(arguments: [1.0, -1])
  func `a pole may be a vertex or on an edge`(sign: Double) throws {
    let wedge = try PreparedRegion(
      polygon([(10, 60), (50, 60), (99, 90), (10, 60)].map { ($0.0, $0.1 * sign) }))
    #expect(wedge.contains(longitude: 30, latitude: 80 * sign))
    #expect(wedge.contains(longitude: -120, latitude: 90 * sign))
    #expect(!wedge.contains(longitude: -120, latitude: 89 * sign))
    let over = try PreparedRegion(
      polygon([(0, 70), (180, 70), (90, 60), (0, 70)].map { ($0.0, $0.1 * sign) }))
    #expect(over.contains(longitude: 90, latitude: 80 * sign))
    #expect(over.contains(longitude: 7, latitude: 90 * sign))
    #expect(!over.contains(longitude: -90, latitude: 80 * sign))
  }

  @Test func `a box may reach from pole to pole`() throws {
    for (west, east) in [(0.0, 10.0), (175, -175), (-90, 90)] {
      let region = try PreparedRegion(box((west, -90), (east, 90)))
      let middle = west > east ? 180 : (west + east) / 2
      #expect(region.contains(longitude: middle, latitude: 89))
      #expect(region.contains(longitude: middle, latitude: -89))
      #expect(region.contains(longitude: 123, latitude: 90))
      #expect(region.contains(longitude: west, latitude: 12))
      #expect(!region.contains(longitude: middle > 0 ? middle - 180 : middle + 180, latitude: 0))
    }
  }

  @Test func `a box from -180 to 180 is a band of latitudes`() throws {
    let region = try PreparedRegion(box((-180, -20), (180, 20)))
    #expect(region.contains(longitude: 77, latitude: 20))
    #expect(!region.contains(longitude: 77, latitude: 20.1))
    #expect(
      region.envelopes == [
        Envelope(west: -180, south: -20, east: 180, north: 20)
      ])
  }

  @Test(arguments: EdgeModel.allCases)
  func `a box without width or height is an arc or a point`(edges: EdgeModel) throws {
    let upright = try PreparedRegion(box((5, 10), (5, 20)), edges: edges)
    #expect(upright.contains(longitude: 5, latitude: 15.123))
    #expect(upright.contains(longitude: 5, latitude: 20))
    #expect(!upright.contains(longitude: 5, latitude: 20.000001))
    #expect(!upright.contains(longitude: Double(5).nextUp, latitude: 15))
    let level = try PreparedRegion(box((5, 0), (15, 0)), edges: edges)
    #expect(level.contains(longitude: 7.3, latitude: 0))
    #expect(!level.contains(longitude: 7.3, latitude: 1e-9))
    #expect(!level.contains(longitude: 7.3, latitude: -1e-9))
    let point = try PreparedRegion(box((5, 50), (5, 50)), edges: edges)
    #expect(point.contains(longitude: 5, latitude: 50))
    #expect(!point.contains(longitude: 5, latitude: 50.0000001))
    let north = try PreparedRegion(box((5, 90), (15, 90)), edges: edges)
    #expect(north.contains(longitude: 7, latitude: 90))
    #expect(!north.contains(longitude: 7, latitude: 89.999))
  }

  @Test func `the interior of a ring is its smaller side, in either orientation`() throws {
    let belt = [(0, 1), (120, 1), (-120, 1), (0, 1)].map { (Double($0.0), Double($0.1)) }
    for ring in [belt, belt.reversed()] {
      let region = try PreparedRegion(polygon(ring))
      #expect(region.contains(longitude: 0, latitude: 80))
      #expect(!region.contains(longitude: 0, latitude: -80))
    }
  }

  @Test func `a polygon that is valid in longitude and latitude is accepted on the sphere`() throws
  {
    // On the sphere the southern side of the exterior ring bulges over the hole.
    let shape = try polygon(
      [(0, 50), (60, 50), (60, 60), (0, 60), (0, 50)],
      [(20, 50.5), (40, 50.5), (40, 55), (20, 55), (20, 50.5)])
    let region = try PreparedRegion(shape)
    #expect(!region.contains(longitude: 30, latitude: 52))
    #expect(region.contains(longitude: 10, latitude: 58))
  }

  @Test func `every vertex and the midpoint of every edge belong to the region`() throws {
    let seed: UInt64 = 35
    var generator = SeededGenerator(seed: seed)
    for round in 0..<300 {
      let center = generator.point()
      let reach = generator.number(1e-6...1.4)
      let shell = generator.star(around: center, reach: reach, count: [3, 5, 17, 300][round % 4])
      guard let region = try? PreparedRegion(polygon(shell)) else { continue }
      for (first, second) in zip(shell, shell.dropFirst()) {
        let middle =
          UnitVector(longitude: first.0, latitude: first.1)
          + UnitVector(longitude: second.0, latitude: second.1)
        #expect(
          region.contains(longitude: first.0, latitude: first.1), "seed \(seed): \(first)")
        #expect(
          region.contains(longitude: middle.longitude, latitude: middle.latitude),
          "seed \(seed): between \(first) and \(second)")
      }
    }
  }

  @Test func `a point a millimetre from an edge is on the correct side`() throws {
    let millimetre = 1e-3 / Distance.earthRadiusMeters
    let region = try PreparedRegion(polygon([(0, 10), (50, 20), (20, 60), (0, 10)]))
    let first = UnitVector(longitude: 0, latitude: 10)
    let second = UnitVector(longitude: 50, latitude: 20)
    let normal = try #require(first.edgeNormal(to: second))
    for (side, expected) in [(millimetre, true), (-millimetre, false)] {
      let shift = UnitVector(x: normal.x * side, y: normal.y * side, z: normal.z * side)
      let middle = try #require((first + second).normalized) + shift
      #expect(
        region.contains(longitude: middle.longitude, latitude: middle.latitude) == expected)
    }
  }

  @Test func `a ring too large for a chart is accepted unless its edges cross`() throws {
    let corners = [(-85.0, -60.0), (85, -60), (85, 60), (-85, 60), (-85, -60)]
    let region = try PreparedRegion(polygon(corners))
    #expect(region.contains(longitude: 0, latitude: 0))
    let tie = [(-85.0, -60.0), (85, 60), (85, -60), (-85, 60), (-85, -60)]
    let error = #expect(throws: RegionError.self) { try PreparedRegion(polygon(tie)) }
    guard case .selfCrossing(let longitude, let latitude) = error?.reason else {
      Issue.record("another reason: \(String(describing: error))")
      return
    }
    #expect(abs(longitude) < 1e-9 && abs(latitude) < 1e-9)
  }

  @Test func `a multipolygon is the union of its polygons`() throws {
    let shape = try GeoShape(
      wkt: "MULTIPOLYGON (((0 0, 10 0, 10 10, 0 10, 0 0)), ((5 5, 15 5, 15 15, 5 15, 5 5)))")
    let region = try PreparedRegion(shape)
    for degrees in [1.0, 7, 14] {
      #expect(region.contains(longitude: degrees, latitude: degrees))
    }
    #expect(!region.contains(longitude: 14, latitude: 1))
    #expect(throws: RegionError.self) { try PreparedRegion(.multiPolygon([])) }
  }

  @Test func `a ring of 200,000 vertices can be prepared`() throws {
    let count = 200_000
    var ring = (0..<count).map { index in
      let angle = 2 * Double.pi * Double(index) / Double(count)
      let reach = 10 + sine(angle * 500)
      return (reach * cosine(angle), 45 + reach * sine(angle))
    }
    ring.append(ring[0])
    let shape = try polygon(ring)
    var region: PreparedRegion?
    let time = try ContinuousClock().measure { region = try PreparedRegion(shape) }
    print("200,000 vertices prepared in \(time)")
    #expect(region?.contains(longitude: 3, latitude: 44) == true)
    #expect(region?.contains(longitude: 12, latitude: 44) == false)
  }
}

/// A polygon gives the same answers before and after its arcs are indexed.
@Suite struct LazyPolygonTests {
  @Test(arguments: EdgeModel.allCases, 1...20) func `indexes change no answer`(
    edges: EdgeModel, seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<20 {
      let geometry = random.geometry()
      let positions = geometry.parts.polygons.joined().joined()
      guard !positions.isEmpty else { continue }
      let indexed = PreparedGeometry(geometry, edges: edges)
      for _ in 0..<200 { _ = indexed.covers(longitude: random.number(-6...6), latitude: 0) }
      for position in positions { _ = indexed.covers(longitude: position.longitude, latitude: 0) }
      let fresh = PreparedGeometry(geometry, edges: edges)
      var points = positions.prefix(20).map { ($0.longitude, $0.latitude) }
      points += (0..<40).map { _ in (random.number(-6...6), random.number(-6...6)) }
      points += [(180, 0), (-180, 0), (0, 90), (0, -90)]
      for (longitude, latitude) in points {
        #expect(
          fresh.covers(longitude: longitude, latitude: latitude)
            == indexed.covers(longitude: longitude, latitude: latitude),
          "seed \(seed): \(geometry.wkt) and \(longitude) \(latitude)")
      }
    }
  }
}
