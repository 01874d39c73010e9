import CadastreTestSupport
import Testing

@testable import CadastreGeometry

/// Operations with great-circle edges, compared with the tests of points against the operands.
///
/// The tests of points are compared with S2 elsewhere; no operation is used to check another one.
struct SphericalOperationTests {
  /// A random polygon of at most 60° around a place, of which some are at a pole or at ±180°.
  private func polygon(
    _ random: inout SeededGenerator, near center: (longitude: Double, latitude: Double)
  ) throws -> Geometry {
    let reach = [0.001, 0.02, 0.3, 0.6].randomElement(using: &random) ?? 0.02
    let middle = random.point(
      from: center, bearing: random.number(0...6.28), angle: random.number(0...reach))
    let ring = random.star(
      around: middle, reach: reach, count: [3, 4, 9, 40].randomElement(using: &random) ?? 4)
    return try Geometry(
      .polygon([
        ring.compactMap { GeoPosition(longitude: $0.0, latitude: $0.1) }
      ]))
  }

  private func center(
    _ round: Int, _ random: inout SeededGenerator
  ) -> (longitude: Double, latitude: Double) {
    switch round % 4 {
    case 0: (180, random.number(-80...80))
    case 1: (random.number(-180...180), 90)
    case 2: (random.number(-180...180), -90)
    default: (random.number(-180...180), random.number(-89...89))
    }
  }

  /// The points to test: random ones near the operands, without those near a border.
  private func points(
    _ first: Geometry, _ second: Geometry, _ random: inout SeededGenerator
  ) throws -> [Geometry] {
    let vertices = [first, second].flatMap { Array($0.parts.polygons.joined().joined()) }
    let lines = [first, second].flatMap { $0.parts.polygons.joined() }.map {
      PreparedGeometry(Geometry(unchecked: .lineString($0)), edges: .spherical)
    }
    return try (0..<20).compactMap { _ in
      guard let vertex = vertices.randomElement(using: &random) else { return nil }
      let (longitude, latitude) = random.point(
        from: (vertex.longitude, vertex.latitude), bearing: random.number(0...6.28),
        angle: random.number(0...0.5))
      let point = try Geometry(
        .point(GeoPosition(longitude: longitude, latitude: latitude)))
      let located = PreparedGeometry(point, edges: .spherical)
      let isClear = lines.allSatisfy { $0.distance(to: located).map { $0.radians > 1e-9 } ?? true }
      return isClear ? point : nil
    }
  }

  @Test(arguments: [59 as UInt64, 60, 61, 62])
  func `overlays contain the points that the operands say`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for round in 0..<250 {
      let place = center(round, &random)
      let first = try polygon(&random, near: place)
      let second = try polygon(&random, near: place)
      let union = try first.sphericalUnion(second)
      let common = try first.sphericalIntersection(second)
      let rest = try first.sphericalDifference(second)
      let all = try Geometry.sphericalUnion(of: [first, second, first])
      for geometry in [union, common, rest] where !geometry.isEmpty {
        #expect(geometry.isValid(), "seed \(seed), round \(round)")
      }
      let prepared = [first, second, union, all, common, rest].map {
        PreparedGeometry($0, edges: .spherical)
      }
      for point in try points(first, second, &random) {
        let located = PreparedGeometry(point, edges: .spherical)
        let covers = prepared.map { $0.intersects(located) }
        let (isFirst, isSecond) = (covers[0], covers[1])
        let comment: Comment = "seed \(seed), round \(round), \(point)"
        #expect(covers[2] == (isFirst || isSecond), comment)
        #expect(covers[3] == (isFirst || isSecond), comment)
        #expect(covers[4] == (isFirst && isSecond), comment)
        #expect(covers[5] == (isFirst && !isSecond), comment)
      }
    }
  }

  @Test(arguments: [63 as UInt64, 64])
  func `hulls are convex and contain the geometry`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for round in 0..<250 {
      let geometry = try polygon(&random, near: center(round, &random))
      let hull = try geometry.sphericalConvexHull()
      let vertices = Array(geometry.parts.polygons.joined().joined())
      let corners = Array(try #require(hull.parts.polygons.first).joined())
      let comment: Comment = "seed \(seed), round \(round)"
      // Each corner is a vertex, and all vertices are on one side of each edge.
      #expect(corners.allSatisfy(vertices.contains), comment)
      for (start, end) in zip(corners, corners.dropFirst()) {
        let normal = start.direction.cross(end.direction)
        let sides = vertices.map { normal.dot($0.direction) }
        #expect(
          sides.allSatisfy { $0 > -1e-12 } || sides.allSatisfy { $0 < 1e-12 }, comment)
      }
    }
  }

  @Test(arguments: [65 as UInt64, 66])
  func `simplified borders stay within the distance`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for round in 0..<100 {
      let ring = random.star(
        around: center(round, &random), reach: random.number(0.01...1), count: 60)
      let geometry = try Geometry(
        .polygon([
          ring.compactMap { GeoPosition(longitude: $0.0, latitude: $0.1) }
        ]))
      let tolerance = try #require(Distance.kilometers(random.number(1...200)))
      let simple = try geometry.simplified(within: tolerance)
      let comment: Comment = "seed \(seed), round \(round)"
      let vertices = geometry.parts.polygons[0][0]
      let kept = try #require(simple.parts.polygons.first?.first)
      #expect(kept.allSatisfy(vertices.contains), comment)
      let border = try Geometry(.lineString(kept))
      for vertex in vertices {
        let distance = try #require(border.distance(to: try Geometry(.point(vertex))))
        #expect(distance.radians <= tolerance.radians * (1 + 1e-9), comment)
      }
    }
  }

  /// Each vertex of a polygon that was moved by less than the distance returns to its place, at ±180° and at a pole too.
  @Test(arguments: [67 as UInt64, 68])
  func `vertices snap to the positions of another geometry`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for round in 0..<100 {
      let middle = random.point(
        from: center(round, &random), bearing: random.number(0...6.28),
        angle: random.number(0...0.05))
      let ring = random.star(around: middle, reach: 0.1, count: 9).compactMap {
        GeoPosition(longitude: $0.0, latitude: $0.1)
      }
      let target = try Geometry(.polygon([ring]))
      guard target.isValid() else { continue }
      // Vertices 1 km apart at least, moved by at most 30 m.
      let moved = ring.dropLast().compactMap { position -> GeoPosition? in
        let (longitude, latitude) = random.point(
          from: (position.longitude, position.latitude), bearing: random.number(0...6.28),
          angle: random.number(0...(30 / 6_378_100)))
        return GeoPosition(longitude: longitude, latitude: latitude)
      }
      let lengths = zip(ring, ring.dropFirst()).map {
        $0.point.distance(to: $1.point).asMeters()
      }
      guard let first = moved.first, lengths.allSatisfy({ $0 > 1000 }) else { continue }
      let geometry = try Geometry(.polygon([moved + [first]]))
      #expect(
        try geometry.snapped(to: target, within: .kilometers(0.05)!) == target,
        "seed \(seed), \(round)")
      #expect(
        try geometry.snapped(to: target, within: .kilometers(0)!).positionCount
          == geometry.positionCount)
    }
    let far = try Geometry(wkt: "POINT (100 0)")
    let near = try Geometry(wkt: "POINT (0 0)")
    #expect(try near.snapped(to: far, within: .kilometers(1)!) == near)
  }

  @Test func `parts that are far apart are united in groups`() throws {
    func box(_ west: Double, _ east: Double) throws -> Geometry {
      try Geometry(
        wkt: "POLYGON((\(west) 0,\(east) 0,\(east) 10,\(west) 10,\(west) 0))")
    }
    let union = try Geometry.sphericalUnion(of: [
      box(0, 10), box(100, 110), box(10, 20), box(-120, -110), box(105, 115),
    ])
    #expect(union.parts.polygons.count == 3)
    #expect(union.kind == .multiPolygon)
    let area = try [box(0, 20), box(100, 115), box(-120, -110)].reduce(0) { $0 + $1.area }
    // The edge between two boxes had a vertex at the middle.
    #expect(abs(union.area / area - 1) < 0.01)
    #expect(try Geometry.sphericalUnion(of: [Geometry]()).isEmpty)
    // A single line or polygon has no other parts.
    let belt = try Geometry(wkt: "LINESTRING(0 0,100 0,-160 0,-10 0)")
    #expect(throws: GeometryError.self) { try belt.sphericalConvexHull() }
    #expect(throws: GeometryError.self) { try belt.sphericalDifference(box(0, 10)) }
  }

  /// Parts around the Earth, combined one by one, have the areas of their overlaps.
  @Test func `parts that are far apart are combined one by one`() throws {
    func box(_ west: Double, _ east: Double, _ south: Double = 0) -> String {
      "((\(west) \(south),\(east) \(south),\(east) \(south + 10),\(west) \(south + 10),\(west) \(south)))"
    }
    func area(_ polygons: String...) throws -> Double {
      try polygons.reduce(0) { try $0 + Geometry(wkt: "POLYGON\($1)").area }
    }
    let around = try Geometry(
      wkt: "MULTIPOLYGON(\(box(0, 10)),\(box(90, 100)),\(box(170, 180)),\(box(-100, -90)))")
    let others = try Geometry(wkt: "MULTIPOLYGON(\(box(5, 15)),\(box(175, 180)),\(box(-100, -90)))")
    let common = try around.sphericalIntersection(others)
    #expect(common.isValid() && common.parts.polygons.count == 3)
    let rest = try around.sphericalDifference(others)
    #expect(
      rest.isValid() && rest.parts.polygons.count == 3)
    let union = try around.sphericalUnion(others)
    #expect(union.isValid() && union.parts.polygons.count == 4)
    #expect(abs(common.area + rest.area - around.area) < 1e-9 * around.area)
    #expect(abs(union.area - rest.area - others.area) < 1e-9 * union.area)
    #expect(rest.area > (try area(box(90, 100))))
    let points = try Geometry(wkt: "MULTIPOINT(7 3,95 5,-150 3,-170 0,0 50)")
    #expect(
      try points.sphericalIntersection(around).parts.points.map(\.longitude).sorted() == [7, 95])
    #expect(try points.sphericalDifference(around).parts.points.count == 3)
    // A polygon that reaches 85° from its middle, whose positions lie on one side of it.
    let wide = try Geometry(
      wkt: "POLYGON((0 -80,1 -80,2 -80,3 -80,4 -80,5 -80,75 0,0 75,-75 0,0 -80))")
    #expect(abs(try wide.sphericalIntersection(around).area / area(box(0, 10)) - 1) < 1e-9)
  }

  /// The centre is found wherever there is one, however unequal the distances of the vertices are.
  @Test(arguments: Seeds.usual(69...70))
  func `geometries within 88 degrees of a middle fit`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for round in 0..<300 {
      let center = center(round, &random)
      let reach = random.pick([80, 85, 87, 87.9]) * Double.pi / 180
      // Most vertices are at one side.
      let vertices = (0..<random.pick([3, 4, 10, 50])).map { index in
        let bearing = index < 3 ? Double(index) * 2 + random.number(0...1) : random.number(0...1)
        let angle = reach * (index < 3 ? 1 : random.number(0.9...1))
        let (longitude, latitude) = random.point(from: center, bearing: bearing, angle: angle)
        return Vertex(longitude: longitude, latitude: latitude)
      }
      #expect(GnomonicProjection(around: vertices) != nil, "seed \(seed), round \(round)")
      let opposite = vertices.map(\.antipode)
      #expect(GnomonicProjection(around: vertices + opposite) == nil)
    }
  }

  @Test func `collections of several dimensions are combined`() throws {
    let mixed = try Geometry(
      wkt:
        "GEOMETRYCOLLECTION (POINT (1 1), LINESTRING (0 3, 9 3), POLYGON ((0 5, 9 5, 9 9, 0 9, 0 5)))"
    )
    let box = try Geometry(wkt: "POLYGON ((-1 -1, 5 -1, 5 20, -1 20, -1 -1))")
    let common = try mixed.sphericalIntersection(box)
    let rest = try mixed.sphericalDifference(box)
    #expect(common.parts.points.count == 1 && rest.parts.points.isEmpty)
    #expect(abs(common.area + rest.area - mixed.area) < 1e-9 * mixed.area)
    #expect(abs(common.length + rest.length - mixed.length) < 1e-9 * mixed.length)
    #expect(try mixed.sphericalUnion(box).isValid())
  }

  /// Natural Earth closes Antarctica by an edge along the pole, which is a point.
  @Test func `an edge along a pole is no edge`() throws {
    let cap = try Geometry(
      wkt: """
        POLYGON((-180 -90,-180 -84,-90 -70,0 -70,90 -70,180 -84,180 -90,-180 -90))
        """)
    let same = try Geometry(wkt: "POLYGON((180 -84,-90 -70,0 -70,90 -70,180 -84))")
    #expect(abs(cap.area - same.area) < 1e-9 * same.area)
    for operand in [cap, same] {
      let half = try operand.sphericalIntersection(
        Geometry(wkt: "POLYGON((0 -60,90 -60,180 -60,180 -89,0 -89,0 -60))"))
      #expect(half.isValid() && abs(half.area / same.area - 0.45) < 0.1, "\(half.area / same.area)")
      let width = try #require(Distance.kilometers(100))
      let buffer = try operand.buffered(by: width)
      #expect(buffer.isValid() && buffer.parts.polygons.map(\.count) == [1])
      #expect(abs(try buffer.area / same.buffered(by: width).area - 1) < 1e-3)
      #expect(abs(try operand.inset(by: width).area / same.inset(by: width).area - 1) < 1e-3)
      let union = try Geometry.sphericalUnion(of: [operand, same])
      #expect(union.isValid() && abs(union.area / same.area - 1) < 1e-9)
    }
  }

  @Test func `results have no position twice and no edge that leads back`() throws {
    for (text, expected) in [
      (
        "POLYGON ((-90 80, -90 80, 0 70, 90 80, -90 80))", "POLYGON ((-90 80, 0 70, 90 80, -90 80))"
      ),
      (
        "MULTIPOLYGON (((0 0, 1 0, 1 1, 0 0)), ((5 5, 6 5, 6 5, 5 5)))",
        "MULTIPOLYGON (((0 0, 1 0, 1 1, 0 0)))"
      ),
      ("POLYGON ((0 0, 1 0, 2 0, 1 0, 1 1, 0 0))", "POLYGON ((0 0, 1 0, 1 1, 0 0))"),
      ("POLYGON ((2 0, 1 0, 1 1, 0 0, 1 0, 2 0))", "POLYGON ((1 0, 1 1, 0 0, 1 0))"),
      ("POLYGON ((1 0, 1 1, 0 0, 1 0, 2 0, 1 0))", "POLYGON ((1 0, 1 1, 0 0, 1 0))"),
      (
        "POLYGON ((0 0, 3 0, 3 3, 0 0), (1 0.1, 1 0.1, 2 0.1, 1 0.1))",
        "POLYGON ((0 0, 3 0, 3 3, 0 0))"
      ),
      ("LINESTRING (1 1, 1 1, 2 2, 2 2.00000000000001)", "LINESTRING (1 1, 2 2)"),
      ("MULTILINESTRING ((1 1, 1 1), (1 1, 2 2))", "MULTILINESTRING ((1 1, 2 2))"),
      (
        "LINESTRING (0 89.99999999999999, 90 89.99999999999999, 0 80)",
        "LINESTRING (0 89.99999999999999, 0 80)"
      ),
    ] {
      #expect(try Geometry(wkt: text).withoutRepetitions == Geometry(wkt: expected), "\(text)")
    }
    // Found by Scripts/compare operations: edges of one meridian, seen from a plane at the pole.
    let first = try Geometry(wkt: "POLYGON ((-90 79.1, 90 83.2, 100 70, -90 79.1))")
    let line = try Geometry(wkt: "LINESTRING (-90 79.1, -90 85, 90 88, -90 70)")
    #expect(try first.sphericalUnion(line).isValid())
  }

  @Test func `vertices and altitudes of the operands are kept exactly`() throws {
    let first = try Geometry(wkt: "POLYGON Z((0.1 0.2 5,10.3 0.4 6,10.5 9.6 7,0.1 0.2 5))")
    let second = try Geometry(wkt: "POLYGON((50 50,51 50,51 51,50 50))")
    let union = try first.sphericalUnion(second)
    let positions = Set(union.parts.polygons.joined().joined())
    #expect(positions.isSuperset(of: first.parts.polygons[0][0]))
    #expect(positions.isSuperset(of: second.parts.polygons[0][0]))
  }
}
