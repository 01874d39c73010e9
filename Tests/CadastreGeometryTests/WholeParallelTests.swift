import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreGeometry

/// Edges of 360° of longitude: regions and stored polygons compared with latitudes.
@Suite struct WholeParallelTests {
  private static let radius = Distance.earthRadiusMeters

  /// A rectangle of all longitudes, in a random direction, from a random corner.
  private static func rectangle(
    _ south: Double, _ north: Double, _ random: inout SeededGenerator
  ) -> [(Double, Double)] {
    var corners = [(-180.0, south), (180, south), (180, north), (-180, north)]
    if random.oneIn(2) { corners.reverse() }
    let first = random.below(4)
    corners = Array(corners[first...] + corners[..<first])
    return corners + [corners[0]]
  }

  private static func latitudes(_ random: inout SeededGenerator) -> (south: Double, north: Double) {
    let first = random.oneIn(4) ? -90 : Double(random.below(179) - 89)
    let second = random.oneIn(4) ? 90 : Double(random.below(179) - 89)
    return first < second ? (first, second) : (min(second, 88), max(first, second) + 0.5)
  }

  /// Points at the borders, at ±180°, at the poles, and elsewhere.
  private static func points(
    _ south: Double, _ north: Double, _ random: inout SeededGenerator
  ) -> [(longitude: Double, latitude: Double)] {
    let latitudes = [
      south, north, south.nextDown, south.nextUp, north.nextDown, north.nextUp, -90, 90, 0,
      random.number(-90...90), random.number(-90...90),
    ]
    return latitudes.filter { abs($0) <= 90 }.map {
      (random.pick([-180, 180, 0, 90, random.number(-180...180)]), $0)
    }
  }

  @Test(arguments: Seeds.usual(1...4)) func `a rectangle of all longitudes is its latitudes`(
    seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let (south, north) = Self.latitudes(&random)
      let ring = Self.rectangle(south, north, &random)
      let shape = try polygon(ring)
      let region = try PreparedRegion(shape)
      let geometry = try #require(shape.geometry)
      let stored = PreparedGeometry(geometry, edges: .spherical)
      let box = try PreparedRegion(box((-180, south), (180, north)))
      let note = "\(geometry), seed \(seed)"
      #expect(geometry.invalidityReason() == nil, "\(note)")
      var batch = PointBatch(edges: .spherical)
      var expected: [Int] = []
      for (index, point) in Self.points(south, north, &random).enumerated() {
        let isInside = south <= point.latitude && point.latitude <= north
        let (longitude, latitude) = point
        #expect(region.contains(longitude: longitude, latitude: latitude) == isInside, "\(note)")
        #expect(box.contains(longitude: longitude, latitude: latitude) == isInside, "\(note)")
        #expect(stored.covers(longitude: longitude, latitude: latitude) == isInside, "\(note)")
        let single = try Geometry(Self.point(longitude, latitude))
        #expect(geometry.contains(single) == isInside, "\(note)")
        #expect(geometry.intersects(single) == isInside, "\(note)")
        let beside = max(south - latitude, latitude - north, 0) * radiansPerDegree
        let distance = try #require(geometry.distance(to: single)).radians
        #expect(abs(distance - beside) < 1e-13, "\(note)")
        batch.append(longitude: longitude, latitude: latitude, element: index)
        if isInside { expected.append(index) }
      }
      #expect(batch.elements(in: stored) == expected, "\(note)")
      let bounds = try #require(geometry.boundingBox())
      #expect(bounds == GeoBox(bottomLeft: (south, -180), topRight: (north, 180)), "\(note)")
    }
  }

  private static func point(_ longitude: Double, _ latitude: Double) throws -> GeoPoint {
    try #require(GeoPoint(latitude: latitude, longitude: longitude))
  }

  @Test(arguments: Seeds.usual(1...4)) func `measures of rectangles are those of zones`(
    seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let (south, north) = Self.latitudes(&random)
      let shape = try polygon(Self.rectangle(south, north, &random))
      let geometry = try #require(shape.geometry)
      let note = "\(geometry), seed \(seed)"
      // Archimedes: the area of a zone is that of the cylinder around it.
      let height = sin(north * .pi / 180) - sin(south * .pi / 180)
      let area = 2 * .pi * height * Self.radius * Self.radius
      #expect(abs(geometry.area / area - 1) < 1e-11, "\(note)")
      let circles = [south, north].map { abs($0) == 90 ? 0 : cos($0 * .pi / 180) }
      let perimeter = 2 * .pi * circles.reduce(0, +) * Self.radius
      #expect(abs(geometry.perimeter - perimeter) < 1e-6, "\(note)")
      if abs(south + north) > 1e-3 {
        #expect(geometry.centroid?.latitude == (south + north > 0 ? 90 : -90), "\(note)")
      } else {
        #expect(geometry.centroid == nil, "\(note)")
      }
    }
  }

  @Test func `the world, a cap and a band have the measures of their closed forms`() throws {
    let world = try Geometry(wkt: "POLYGON ((-180 -90, 180 -90, 180 90, -180 90, -180 -90))")
    let whole = 4 * Double.pi * Self.radius * Self.radius
    #expect(abs(world.area / whole - 1) < 1e-15 && world.perimeter == 0 && world.centroid == nil)
    let hole = try Geometry(
      wkt: """
        POLYGON ((-180 -90, 180 -90, 180 90, -180 90, -180 -90), (-180 -30, 180 -30, 180 30, -180 30, -180 -30))
        """)
    #expect(hole.invalidityReason() == nil && abs(hole.area / whole - 0.5) < 1e-12)
    let parallel = try Geometry(wkt: "LINESTRING (-180 60, 180 60)")
    #expect(abs(parallel.length / (.pi * Self.radius) - 1) < 1e-12)
    #expect(parallel.centroid?.latitude == 90)
    let pole = try Geometry(wkt: "LINESTRING (-180 90, 180 90)")
    #expect(try pole.length == 0 && pole.equals(Geometry(wkt: "POINT (13 90)")))
  }

  @Test(arguments: Seeds.usual(1...3)) func `relations of rectangles are those of their latitudes`(
    seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      let (first, second) = (Self.latitudes(&random), Self.latitudes(&random))
      let one = try #require(
        try polygon(Self.rectangle(first.south, first.north, &random)).geometry)
      let other = try #require(
        try polygon(Self.rectangle(second.south, second.north, &random)).geometry)
      let note = "\(one) and \(other), seed \(seed)"
      let gap = max(first.south - second.north, second.south - first.north)
      #expect(one.intersects(other) == (gap <= 0), "\(note)")
      let isInside = first.south <= second.south && second.north <= first.north
      #expect(one.contains(other) == isInside, "\(note)")
      #expect(one.equals(other) == (first == second), "\(note)")
      let distance = try #require(one.distance(to: other)).radians
      #expect(abs(distance - max(0, gap) * radiansPerDegree) < 1e-13, "\(note)")
      let line = try Geometry(wkt: "LINESTRING (-180 \(second.south), 180 \(second.south))")
      let isOn = first.south <= second.south && second.south <= first.north
      #expect(one.contains(line) == isOn && line.intersects(one) == isOn, "\(note)")
    }
  }

  /// Points along the shorter great circle between two points.
  private static func course(
    _ start: (Double, Double), _ end: (Double, Double), _ count: Int
  ) -> [Double] {
    let (from, to) = (
      UnitVector(longitude: start.0, latitude: start.1),
      UnitVector(longitude: end.0, latitude: end.1)
    )
    let angle = acos(max(-1, min(1, from.dot(to))))
    return (0...count).map { step in
      let fraction = Double(step) / Double(count)
      return (from * sin((1 - fraction) * angle) + to * sin(fraction * angle)).latitude
    }
  }

  @Test(arguments: Seeds.usual(1...3)) func `great circles meet a band where their points do`(
    seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      let (south, north) = Self.latitudes(&random)
      let band = try #require(try polygon(Self.rectangle(south, north, &random)).geometry)
      let parallel = try Geometry(wkt: "LINESTRING (-180 \(north), 180 \(north))")
      let (start, end) = (random.point(), random.point())
      let line = try Geometry(wkt: "LINESTRING (\(start.0) \(start.1), \(end.0) \(end.1))")
      let latitudes = Self.course(start, end, 2_000)
      let note = "\(band) and \(line), seed \(seed)"
      // The greatest distance of the points from the summit is far below the margin.
      let margin = 5e-3
      let gap = latitudes.reduce(.infinity) { min($0, max(south - $1, $1 - north)) }
      if abs(gap) > margin { #expect(band.intersects(line) == (gap < 0), "\(note)") }
      let excess = latitudes.reduce(-.infinity) { max($0, max(south - $1, $1 - north)) }
      if abs(excess) > margin { #expect(band.contains(line) == (excess < 0), "\(note)") }
      let distance = try #require(band.distance(to: line)).radians
      #expect(abs(distance - max(0, gap) * radiansPerDegree) < margin * radiansPerDegree, "\(note)")
      if abs(north) < 90 {
        let isBelow = latitudes.contains { $0 < north - margin }
        let isAbove = latitudes.contains { $0 > north + margin }
        if isBelow, isAbove { #expect(parallel.intersects(line), "\(note)") }
        let least = latitudes.reduce(.infinity) { min($0, abs($1 - north)) }
        let away = try #require(parallel.distance(to: line)).radians
        #expect(
          isBelow && isAbove || abs(away - least * radiansPerDegree) < margin * radiansPerDegree,
          "\(note)")
      }
    }
  }

  @Test(arguments: Seeds.usual(1...3))
  func `circles and bands have the relations of their latitudes`(
    seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let (south, north) = Self.latitudes(&random)
      let band = PreparedGeometry(
        try #require(try polygon(Self.rectangle(south, north, &random)).geometry),
        edges: .spherical)
      let center = (random.number(-180...180), random.number(-90...90))
      let degrees = random.number(0...120)
      let disc = PreparedGeometry(
        region: try circle(center, degrees * radiansPerDegree), edges: .spherical)
      let note = "\(south)...\(north), \(center), \(degrees)°, seed \(seed)"
      let gap = max(south - center.1, center.1 - north, 0)
      if abs(gap - degrees) > 1e-6 {
        #expect(band.intersects(disc) == (gap < degrees), "\(note)")
      }
      // The circle reaches over a pole to the other side.
      let reachesNorth = center.1 + degrees >= 90 ? 90 : center.1 + degrees
      let reachesSouth = center.1 - degrees <= -90 ? -90 : center.1 - degrees
      let margin = min(abs(reachesNorth - north), abs(reachesSouth - south))
      if margin > 1e-6 || abs(reachesNorth) == 90 || abs(reachesSouth) == 90 {
        #expect(
          band.covers(disc) == (south <= reachesSouth && reachesNorth <= north), "\(note)")
      }
      // The farthest point of a parallel is on the opposite meridian.
      let farthest = [south, north].map { 180 - abs(center.1 + $0) }
      let reach = south <= -center.1 && -center.1 <= north ? 180 : farthest.max() ?? 0
      if abs(reach - degrees) > 1e-6 { #expect(disc.covers(band) == (reach < degrees), "\(note)") }
    }
  }

  @Test func `a coast around a pole is the border of a cap, with or without a parallel`() throws {
    var random = SeededGenerator(seed: 7)
    let coast: [(Double, Double)] = stride(from: 180.0, through: -180, by: -3).map { longitude in
      (longitude, -70 + 4 * sin(longitude * 5 * .pi / 180))
    }
    let open = try polygon(Array(coast.dropLast()) + [coast[0]])
    let closed = try polygon([(-180, -90), (180, -90)] + coast + [(-180, -90)])
    let ringed = try polygon([(-180, -50), (180, -50)] + coast + [(-180, -50)])
    for shape in [open, closed, ringed] {
      #expect(shape.geometry?.invalidityReason() == nil, "\(shape.summary)")
    }
    let cap = try PreparedRegion(open)
    let (whole, belt) = (try PreparedRegion(closed), try PreparedRegion(ringed))
    let stored = [closed, ringed].compactMap(\.geometry).map {
      PreparedGeometry($0, edges: .spherical)
    }
    for _ in 0..<3_000 {
      let (longitude, latitude) = (random.number(-180...180), random.number(-90 ... -40))
      let isInside = cap.contains(longitude: longitude, latitude: latitude)
      let isBetween = latitude <= -50 && !isInside
      #expect(whole.contains(longitude: longitude, latitude: latitude) == isInside)
      #expect(stored[0].covers(longitude: longitude, latitude: latitude) == isInside)
      #expect(belt.contains(longitude: longitude, latitude: latitude) == isBetween)
      #expect(stored[1].covers(longitude: longitude, latitude: latitude) == isBetween)
    }
    let areas = [open, closed, ringed].compactMap { $0.geometry?.area }
    let zone = 2 * .pi * (1 - sin(50 * .pi / 180)) * Self.radius * Self.radius
    #expect(abs(areas[0] / areas[1] - 1) < 1e-12)
    #expect(abs((areas[0] + areas[2]) / zone - 1) < 1e-12)
    #expect(
      abs((closed.geometry?.perimeter ?? 0) - (open.geometry?.perimeter ?? 1)) < 1e-6)
    // From the middle of the cap, the border is the coast, not the meridian to the pole.
    let pole = try Geometry(wkt: "POINT (180 -89.9)")
    #expect(try #require(ringed.geometry?.distance(to: pole)).radians > 15 * radiansPerDegree)
  }

  @Test func `the meridians of a band are no border`() throws {
    let frame = try Geometry(
      wkt: """
        POLYGON ((-180 -90, 180 -90, 180 90, -180 90, -180 -90), (-180 10, 180 10, 180 20, -180 20, -180 10))
        """)
    let point = try Geometry(wkt: "POINT (180 15)")
    #expect(!frame.intersects(point))
    #expect(
      abs(try #require(frame.distance(to: point)).radians - 5 * radiansPerDegree) < 1e-13)
    #expect(try frame.intersects(Geometry(wkt: "POINT (180 10)")))
    // The meridian has a vertex here and none there, and a bite on its way.
    let bitten = try polygon([
      (-180, -30), (180, -30), (180, 0), (170, 5), (180, 10), (180, 30), (-180, 30), (-180, 20),
      (-180, -30),
    ])
    #expect(bitten.geometry?.invalidityReason() == nil)
    let region = try PreparedRegion(bitten)
    for (longitude, latitude, isInside) in [
      (178.0, 5.0, false), (180, 5, true), (-179, 5, true), (169, 5, true), (180, 20, true),
      (0, 31, false),
    ] {
      #expect(
        region.contains(longitude: longitude, latitude: latitude) == isInside,
        "\(longitude) \(latitude)")
    }
  }

  @Test func `a hemisphere between meridians is the side that the ring encloses`() throws {
    for (west, east) in [(0.0, 180.0), (-180, 0), (-90, 90)] {
      let corners = [(west, -90.0), (east, -90), (east, 90), (west, 90), (west, -90)]
      for ring in [corners, corners.reversed()] {
        let shape = try polygon(ring)
        let geometry = try #require(shape.geometry)
        let region = try PreparedRegion(shape)
        let stored = PreparedGeometry(geometry, edges: .spherical)
        for (longitude, latitude) in [(-135.0, 10.0), (-45, -70), (45, 89), (135, 0)] {
          let isInside = west < longitude && longitude < east
          #expect(region.contains(longitude: longitude, latitude: latitude) == isInside)
          #expect(stored.covers(longitude: longitude, latitude: latitude) == isInside)
        }
        #expect(abs(geometry.area / (2 * .pi * Self.radius * Self.radius) - 1) < 1e-12)
        #expect(geometry.invalidityReason() == nil)
      }
    }
    let meridian = try Geometry(wkt: "LINESTRING (30 -90, 30 90)")
    #expect(meridian.invalidityReason() == nil)
    #expect(try meridian.contains(Geometry(wkt: "POINT (30 0)")))
  }

  @Test func `a ring that follows one parallel only is refused`() throws {
    let rings: [[(Double, Double)]] = [
      [(-180, 60), (180, 60), (0, 40), (-180, 60)],
      [(-180, 60), (180, 60), (180, 50), (170, 50), (-180, 60)],
      [(-180, 7), (180, 8), (-180, 8), (-180, 7)],
    ]
    for ring in rings {
      let shape = try polygon(ring)
      let error = #expect(throws: RegionError.self) { try PreparedRegion(shape) }
      guard case .openParallel? = error?.reason else {
        Issue.record("another reason: \(String(describing: error))")
        continue
      }
      let geometry = try #require(shape.geometry)
      #expect(geometry.invalidityReason() == error?.reason)
      // A stored one is read, and has a meaning.
      #expect(geometry.area >= 0 && geometry.equals(geometry))
      #expect(geometry.distance(to: geometry) == .zero)
    }
    // Only the edge of 360° is a parallel: its halves are great circles over the pole.
    let halves = try PreparedGeometry(
      Geometry(wkt: "LINESTRING (-180 60, 0 60, 180 60)"), edges: .spherical)
    #expect(
      halves.covers(longitude: 0, latitude: 90) && !halves.covers(longitude: 90, latitude: 60))
  }

  /// Rings of one parallel, in both directions, and the vertices of a pole that close them.
  private static func caps(_ latitude: Double, _ pole: Double) -> [[(Double, Double)]] {
    let runs: [[Double]] = [
      [-180], [-90], [0], [33], [90], [180], [-180, 180], [180, -180], [180, 0, -180], [-90, 90],
    ]
    var rings: [[(Double, Double)]] = []
    for run in runs {
      let corners: [(Double, Double)] =
        [(-180, latitude), (180, latitude)] + run.map { ($0, pole) }
      let shifted = Array(corners[1...]) + [corners[0]]
      let forms: [[(Double, Double)]] = [corners, corners.reversed(), shifted]
      rings += forms.map { $0 + [$0[0]] }
    }
    return rings
  }

  @Test(arguments: [-89.0, -60, -45, -1, 1, 45, 60, 89], [-90.0, 90])
  func `a parallel that a pole closes is the cap of this pole, at any longitude`(
    latitude: Double, pole: Double
  ) throws {
    let (south, north) = (min(latitude, pole), max(latitude, pole))
    let height = sin(north * .pi / 180) - sin(south * .pi / 180)
    let area = 2 * .pi * height * Self.radius * Self.radius
    let perimeter = 2 * .pi * cos(latitude * .pi / 180) * Self.radius
    for ring in Self.caps(latitude, pole) {
      let shape = try polygon(ring)
      let geometry = try #require(shape.geometry)
      let region = try PreparedRegion(shape)
      let stored = PreparedGeometry(geometry, edges: .spherical)
      let note = "\(geometry)"
      #expect(geometry.invalidityReason() == nil, "\(note)")
      #expect(abs(geometry.area / area - 1) < 1e-9, "\(note)")
      #expect(abs(geometry.perimeter / perimeter - 1) < 1e-9, "\(note)")
      #expect(
        region.outlines == [
          .envelope(
            Envelope(west: -180, south: south, east: 180, north: north))
        ], "\(note)")
      for place in stride(from: -90.0, through: 90, by: 15) + [-89.5, 89.5, -70, 70] {
        let isInside = south <= place && place <= north
        for longitude in [-180.0, 33, 90] {
          #expect(region.contains(longitude: longitude, latitude: place) == isInside, "\(note)")
          #expect(stored.covers(longitude: longitude, latitude: place) == isInside, "\(note)")
          let single = try Geometry(Self.point(longitude, place))
          #expect(geometry.contains(single) == isInside, "\(note)")
          #expect(geometry.intersects(single) == isInside, "\(note)")
        }
      }
      let rectangle = try Geometry(
        wkt: """
          POLYGON ((-180 \(south), 180 \(south), 180 \(north), -180 \(north), -180 \(south)))
          """)
      #expect(geometry.equals(rectangle), "\(note)")
    }
  }

  @Test func `vertices of a pole do not enlarge a triangle`() throws {
    let run = try polygon([(-80, 70), (-180, 90), (180, 90), (80, 70), (-80, 70)])
    let triangle = try polygon([(-80, 70), (0, 90), (80, 70), (-80, 70)])
    let (region, expected) = (try PreparedRegion(run), try PreparedRegion(triangle))
    for longitude in stride(from: -175.0, through: 175, by: 10) {
      for latitude in [-80.0, 0, 60, 75, 88, 89.9] {
        #expect(
          region.contains(longitude: longitude, latitude: latitude)
            == expected.contains(longitude: longitude, latitude: latitude))
      }
    }
    #expect(region.contains(longitude: 5, latitude: 89.9))
    #expect(!region.contains(longitude: 175, latitude: 89.9))
    let areas = [run, triangle].compactMap { $0.geometry?.area }
    #expect(areas.count == 2 && abs(areas[0] / areas[1] - 1) < 1e-12)
  }

  @Test func `a repeated vertex at ±180° is no parallel if it is written twice`() throws {
    let shape = try polygon([
      (170, 0), (180, 0), (180, 0), (-180, 0), (-180, 0), (-170, 0), (-170, 10), (-180, 10),
      (180, 10), (180, 10), (170, 10), (170, 0),
    ])
    let region = try PreparedRegion(shape)
    #expect(shape.geometry?.invalidityReason() == nil)
    for (longitude, isInside) in [(160.0, false), (175, true), (180, true), (-175, true)] {
      #expect(region.contains(longitude: longitude, latitude: 5) == isInside)
    }
  }

  @Test func `positions keep their form in every notation`() throws {
    for wkt in [
      "POLYGON ((-180.0 -90.0, 180.0 -90.0, 180.0 90.0, -180.0 90.0, -180.0 -90.0))",
      "POLYGON ((180.0 10.0, -180.0 10.0, -180.0 -10.0, 180.0 -10.0, 180.0 10.0))",
      "LINESTRING (-180.0 5.0, 180.0 5.0)",
    ] {
      let geometry = try Geometry(wkt: wkt)
      #expect("\(geometry)" == wkt)
      #expect(try Geometry(wkb: geometry.wkb()) == geometry)
      #expect(try Geometry(geoJSON: geometry.geoJSON) == geometry)
    }
  }

  @Test func `databases receive bands as latitudes`() throws {
    func outlines(_ rings: [(Double, Double)]...) throws -> [RegionOutline] {
      let points = try rings.map(ring)
      let polygon = try #require(
        GeoPolygon(outerRing: points[0], holes: Array(points.dropFirst())))
      return try PreparedRegion(.polygon(polygon)).outlines
    }
    func zone(_ south: Double, _ north: Double) -> [(Double, Double)] {
      [(-180, south), (180, south), (180, north), (-180, north), (-180, south)]
    }
    func envelope(_ south: Double, _ north: Double) -> RegionOutline {
      .envelope(
        Envelope(west: -180, south: south, east: 180, north: north))
    }
    #expect(try outlines(zone(-10, 20)) == [envelope(-10, 20)])
    #expect(try outlines(zone(60, 90)) == [envelope(60, 90)])
    #expect(try outlines(zone(-90, 30)) == [envelope(-90, 30)])
    #expect(try outlines(zone(-90, 90)) == [.everything])
    #expect(try outlines(zone(-90, 90), zone(-10, 20)) == [.mixed])
    let coast = [(180.0, -60.0), (60, -60), (-60, -60), (-180, -60)]
    let around = try outlines([(-180, -90), (180, -90)] + coast + [(-180, -90)])
    guard case .spherical(let rings)? = around.first else {
      Issue.record("\(around)")
      return
    }
    #expect(rings.count == 1 && rings[0].map(\.latitude) == [-60, -60, -60, -60])
    #expect(Set(rings[0].map(\.longitude)) == [-180, -60, 60])
  }
}
