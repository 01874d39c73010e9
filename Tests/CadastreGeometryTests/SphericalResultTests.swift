import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreGeometry

/// Results of operations on the sphere are well formed where operands have vertices and edges in common.
struct SphericalResultTests {
  private static func polygon(_ ring: [(Int, Int)]) -> Geometry {
    Geometry(
      unchecked: .polygon([
        (ring + ring.prefix(1)).map {
          GeoPosition(uncheckedLongitude: Double($0.0), latitude: Double($0.1))
        }
      ]))
  }

  /// A valid polygon with vertices on a grid of degrees.
  private static func gridPolygon(
    _ random: inout SeededGenerator, west: Int, south: Int
  ) -> Geometry {
    while true {
      let ring = (0..<Int.random(in: 3...5, using: &random)).map { _ in
        let longitude = west + Int.random(in: 0...6, using: &random)
        return (
          longitude > 180 ? longitude - 360 : longitude,
          south + Int.random(in: 0...6, using: &random)
        )
      }
      let polygon = polygon(ring)
      // Areas are compared, so the edges may not cross as great circles either.
      if (try? Geometry(polygon.shape)) != nil, polygon.isValid(),
        let repaired = try? polygon.madeValidOnSphere(),
        abs(repaired.area - polygon.area) <= 1e-9 * polygon.area
      {
        return polygon
      }
    }
  }

  private func vertices(_ geometry: Geometry) -> [GeoPosition] {
    Array(geometry.parts.polygons.joined().joined())
  }

  @Test(arguments: [71 as UInt64, 72, 73, 74])
  func `polygons on a grid`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for round in 0..<250 {
      let west = [7, 177, -60][round % 3]
      let south = [45, -3, 80][round / 3 % 3]
      let first = Self.gridPolygon(&random, west: west, south: south)
      let second = Self.gridPolygon(&random, west: west, south: south)
      let comment: Comment = "seed \(seed), round \(round): \(first.wkt) \(second.wkt)"
      let common = try first.sphericalIntersection(second)
      let rest = try first.sphericalDifference(second)
      let union = try first.sphericalUnion(second)
      let all = try Geometry.sphericalUnion(of: [first, second])
      let known = Set((vertices(first) + vertices(second)).map(\.vertex.onSphere))
      for result in [common, rest, union, all, try union.sphericalConvexHull()] {
        #expect(throws: Never.self, comment) { try Geometry(result.shape) }
        #expect(try Geometry(wkb: result.wkb()) == result, comment)
        for vertex in vertices(result).map(\.vertex.onSphere) where !known.contains(vertex) {
          // A new vertex is at no vertex of the operands.
          #expect(known.allSatisfy { $0.angle(to: vertex) > 1e-15 }, comment)
        }
      }
      let (whole, other) = (first.area, second.area)
      #expect(abs(common.area + rest.area - whole) <= 1e-6 * whole + 1e-3, comment)
      #expect(abs(union.area + common.area - whole - other) <= 1e-6 * (whole + other), comment)
      #expect(union.area == all.area || abs(union.area - all.area) <= 1e-9 * union.area, comment)
    }
  }

  @Test func `the rest of nearly equal polygons is valid`() throws {
    let first = try Geometry(
      wkt: """
        POLYGON ((162.202817254795 -56.898801053825, 162.151723551146 -56.920078937827, 162.15331840782 -56.96450702723, \
        162.206368322236 -56.983505412968, 162.248231961692 -56.995612921707, 162.29879763774 -56.953206595486, \
        162.272810589936 -56.923117986059, 162.23982753324 -56.901250430919, 162.202817254795 -56.898801053825))
        """)
    let second = try Geometry(
      wkt: """
        POLYGON ((162.202817254792 -56.898801053826, 162.151723551148 -56.920078937832, 162.15331840782 -56.964507027229, \
        162.206368322237 -56.983505412967, 162.248231961688 -56.995612921708, 162.29879763774 -56.953206595481, \
        162.272810589935 -56.923117986056, 162.239827533243 -56.90125043092, 162.202817254792 -56.898801053826))
        """)
    let rest = try first.sphericalDifference(second)
    #expect(rest.isValid() && rest.area < 1e-6 * first.area)
    #expect(try Geometry.sphericalUnion(of: [first, second]).isValid())
  }

  /// Boxes on both sides of a meridian have edges in common, whose vertices are not exactly on one plane.
  @Test(arguments: Seeds.usual(81...84))
  func `neighbours on a meridian are united`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for round in 0..<100 {
      let meridian = [10.1, 180, -77.7, random.number(-170...170)][round % 4]
      func box(_ west: Double, _ east: Double, _ south: Double, _ north: Double) -> Geometry {
        func at(_ longitude: Double, _ latitude: Double) -> GeoPosition {
          GeoPosition(
            uncheckedLongitude: longitude > 180 ? longitude - 360 : longitude, latitude: latitude)
        }
        let ring = [at(west, south), at(east, south), at(east, north), at(west, north)]
        return Geometry(unchecked: .polygon([ring + [ring[0]]]))
      }
      let width = random.pick([0.001, 0.5, 9])
      let south = random.number(-80...70)
      let first = box(meridian - width, meridian, south, south + width)
      let second = box(
        meridian, meridian + width, south + width * random.number(-0.9...0.9),
        south + width * random.number(0.95...1.5))
      let note: Comment = "seed \(seed), round \(round): \(first.wkt) \(second.wkt)"
      let union = try first.sphericalUnion(second)
      #expect(union.parts.polygons.map(\.count) == [1] && union.isValid(), note)
      #expect(try first.sphericalIntersection(second).area == 0, note)
      let rest = try first.sphericalDifference(second)
      #expect(abs(rest.area - first.area) <= 1e-9 * first.area, note)
    }
  }

  @Test func `hulls across the meridian of 180 degrees are closed`() throws {
    let halves = Geometry(
      unchecked: .collection([
        Self.polygon([(178, 10), (180, 10), (180, 12), (178, 12)]),
        Self.polygon([(-180, 10), (-178, 10), (-178, 12), (-180, 12)]),
      ]))
    let hull = try halves.sphericalConvexHull()
    #expect(try Geometry(hull.shape).isValid())
    let union = try Geometry.sphericalUnion(of: halves.simpleParts)
    #expect(try Geometry(union.shape).isValid() && union.parts.polygons.count == 1)
  }

  @Test func `empty geometries are no part of unions`() throws {
    let square = Self.polygon([(0, 0), (5, 0), (5, 5), (0, 5)])
    for empty in [
      Geometry(), Geometry(unchecked: .point(nil)), Geometry(unchecked: .multiPoint([])),
      Geometry(unchecked: .collection([Geometry(unchecked: .point(nil))])),
    ] {
      #expect(try Geometry.sphericalUnion(of: [square, empty]).area == square.area)
      #expect(try Geometry.sphericalUnion(of: [empty, square]).area == square.area)
      #expect(try Geometry.sphericalUnion(of: [empty, empty]).isEmpty)
      #expect(try square.sphericalUnion(empty).area == square.area)
      #expect(try square.sphericalIntersection(empty).isEmpty)
      #expect(try square.sphericalDifference(empty).area == square.area)
    }
  }

  /// The southern edge passes north of a vertex of the northern border, as a great circle.
  @Test func `polygons that are valid in degrees only are operands`() throws {
    let thin = Self.polygon([(0, 60), (40, 60), (40, 62), (20, 61), (0, 62)])
    #expect(thin.isValid() && thin.isValid(edges: .planar))
    let square = Self.polygon([(15, 59), (25, 59), (25, 64), (15, 64)])
    let union = try thin.sphericalUnion(square)
    #expect(try Geometry.sphericalUnion(of: [thin, square]).isValid() && union.isValid())
    let rest = try thin.sphericalDifference(square)
    #expect(rest.isValid() && rest.parts.polygons.count == 2)
    let (inside, outside) = (
      try Geometry(.point(GeoPosition(longitude: 1, latitude: 61))),
      try Geometry(.point(GeoPosition(longitude: 10, latitude: 60.3)))
    )
    #expect(rest.intersects(inside) && !rest.intersects(outside))
  }

  @Test func `polygons with a common edge at a pole are repaired`() throws {
    for latitude in [-90, 90] {
      let wedges = Geometry(
        unchecked: .multiPolygon(
          [
            [[(70, latitude), (70, latitude * 8 / 9), (75, latitude * 8 / 9), (70, latitude)]],
            [[(75, latitude), (75, latitude * 8 / 9), (79, latitude * 8 / 9), (75, latitude)]],
          ].map {
            $0.map {
              $0.map { GeoPosition(uncheckedLongitude: Double($0.0), latitude: Double($0.1)) }
            }
          }))
      #expect(!wedges.isValid())
      let repaired = try wedges.madeValid()
      #expect(repaired.isValid() && repaired.parts.polygons.count == 1)
      #expect(abs(repaired.area - wedges.area) <= 1e-9 * wedges.area)
    }
  }

  @Test func `a buffer below the resolution of coordinates is refused`() throws {
    let point = try Geometry(.point(GeoPosition(longitude: 10, latitude: 48)))
    #expect(throws: GeometryError.self) {
      try point.buffered(by: #require(Distance.kilometers(1e-15)))
    }
    for exponent in -9...3 {
      guard let distance = Distance.kilometers(pow(10, Double(exponent - 3))) else { continue }
      for longitude in [0.5, 10, 180] {
        let point = try Geometry(.point(GeoPosition(longitude: longitude, latitude: 48)))
        guard let buffer = try? point.buffered(by: distance) else {
          // A millimetre is far above the resolution.
          #expect(exponent < -3)
          continue
        }
        #expect(throws: Never.self) { try Geometry(buffer.shape) }
      }
    }
  }
}
