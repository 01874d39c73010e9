import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreGeometry

/// The polygons of a multi-polygon may touch in points; they may not overlap or have an edge in common.
@Suite struct MultiPolygonTests {
  private static let square = "((0 0, 10 0, 10 10, 0 10, 0 0))"

  private static let table: [(name: String, parts: String, isValid: Bool)] = [
    ("apart", "\(square), ((20 0, 30 0, 30 10, 20 10, 20 0))", true),
    ("corner", "\(square), ((10 10, 20 10, 20 20, 10 20, 10 10))", true),
    ("diagonal", "((0 0, 4 0, 4 4, 0 0)), ((0 0, 4 4, 0 4, 0 0))", false),
    ("nested", "\(square), ((2 2, 8 2, 8 8, 2 8, 2 2))", false),
    ("nested, smaller first", "((2 2, 8 2, 8 8, 2 8, 2 2)), \(square)", false),
    ("nested, touching", "\(square), ((0 0, 8 2, 8 8, 2 8, 0 0))", false),
    ("overlap", "\(square), ((5 5, 15 5, 15 15, 5 15, 5 5))", false),
    ("twice", "\(square), \(square)", false),
    ("twice, turned", "\(square), ((10 10, 0 10, 0 0, 10 0, 10 10))", false),
    ("edge", "\(square), ((10 0, 20 0, 20 10, 10 10, 10 0))", false),
    ("part of an edge", "\(square), ((10 2, 20 2, 20 8, 10 8, 10 2))", false),
    ("through vertices", "((0 0, 4 4, 8 0, 4 -4, 0 0)), ((0 0, 8 0, 4 10, 0 0))", false),
    (
      "in a hole",
      "((0 0, 10 0, 10 10, 0 10, 0 0), (2 2, 8 2, 8 8, 2 8, 2 2)), ((4 4, 6 4, 6 6, 4 4))",
      true
    ),
    (
      "in a hole, touching",
      "((0 0, 10 0, 10 10, 0 10, 0 0), (2 2, 8 2, 8 8, 2 8, 2 2)), ((2 2, 6 4, 6 6, 2 2))", true
    ),
    (
      "filling a hole",
      "((0 0, 10 0, 10 10, 0 10, 0 0), (2 2, 8 2, 8 8, 2 8, 2 2)), ((2 2, 8 2, 8 8, 2 8, 2 2))",
      false
    ),
    // Cut at ±180°, as RFC 7946 asks for.
    (
      "cut",
      "((170 0, 180 0, 180 10, 170 10, 170 0)), ((-180 0, -170 0, -170 10, -180 10, -180 0))",
      true
    ),
    (
      "cut, at other places",
      "((170 0, 180 0, 180 10, 170 10, 170 0)), ((-180 4, -170 0, -170 10, -180 6, -180 4))", true
    ),
    (
      "overlap at ±180°",
      "((170 0, 180 0, 180 10, 170 10, 170 0)), ((175 2, 180 2, 180 8, 175 8, 175 2))", false
    ),
    (
      "overlap across ±180°",
      "((170 0, -170 0, -170 10, 170 10, 170 0)), ((175 2, -175 2, -175 8, 175 8, 175 2))", false
    ),
    // The great circle from 0 to 60 is 4° north of the parallel.
    (
      "under a great circle", "((0 30, 60 30, 60 50, 0 50, 0 30)), ((29 51, 31 51, 30 52, 29 51))",
      false
    ),
    (
      "over a great circle", "((0 30, 60 30, 60 50, 0 50, 0 30)), ((29 55, 31 55, 30 56, 29 55))",
      true
    ),
    ("at a pole", "((0 80, 40 80, 0 90, 0 80)), ((90 80, 130 80, 0 90, 90 80))", true),
    ("over a pole", "((0 80, 120 80, -120 80, 0 80)), ((10 85, 40 85, 0 90, 10 85))", false),
    (
      "bands",
      "((-180 0, 180 0, 180 10, -180 10, -180 0)), ((-180 20, 180 20, 180 30, -180 30, -180 20))",
      true
    ),
    (
      "bands with a common parallel",
      "((-180 0, 180 0, 180 10, -180 10, -180 0)), ((-180 10, 180 10, 180 30, -180 30, -180 10))",
      false
    ),
    (
      "nested bands",
      "((-180 0, 180 0, 180 40, -180 40, -180 0)), ((-180 10, 180 10, 180 30, -180 30, -180 10))",
      false
    ),
    ("in a band", "((-180 0, 180 0, 180 40, -180 40, -180 0)), ((5 10, 6 10, 6 11, 5 10))", false),
    (
      "beside a band", "((-180 0, 180 0, 180 40, -180 40, -180 0)), ((5 50, 6 50, 6 51, 5 50))",
      true
    ),
    (
      "in the world",
      "((-180 -90, 180 -90, 180 90, -180 90, -180 -90)), ((5 50, 6 50, 6 51, 5 50))",
      false
    ),
  ]

  @Test func `each multi-polygon has the validity of the table`() throws {
    for (name, parts, isValid) in Self.table {
      let geometry = try Geometry(wkt: "MULTIPOLYGON (\(parts))")
      let fault = geometry.invalidityReason()
      #expect((fault == nil) == isValid, "\(name): \(fault.map { "\($0)" } ?? "valid")")
      if let fault {
        guard case .overlappingPolygons = fault else {
          Issue.record("\(name): another reason, \(fault)")
          continue
        }
      }
      // A collection may have any parts.
      let members = geometry.parts.polygons.map { Geometry(unchecked: .polygon($0)) }
      #expect(try Geometry(.collection(members)).invalidityReason() == nil, "\(name)")
    }
  }

  @Test func `the fault names a common point`() throws {
    let geometry = try Geometry(
      wkt: "MULTIPOLYGON (\(Self.square), ((5 5, 15 5, 15 15, 5 15, 5 5)))")
    guard case .overlappingPolygons(let longitude, let latitude)? = geometry.invalidityReason()
    else {
      Issue.record("no fault")
      return
    }
    let point = try Geometry(point(longitude, latitude))
    for rings in geometry.parts.polygons {
      let part = try Geometry(.polygon(rings))
      #expect(try #require(part.distance(to: point)).radians < 1e-12)
    }
    #expect(
      geometry.invalidityReason().map { "\($0)" }?.contains("overlap or have an edge in common")
        == true)
  }

  // MARK: GEOS

  /// A polygon of the plane with whole coordinates, sometimes with a hole.
  private static func rings(_ random: inout SeededGenerator) -> [[PlanePoint]] {
    func corner() -> PlanePoint {
      PlanePoint(x: Double(random.below(13)), y: Double(random.below(13)))
    }
    if random.oneIn(3) {
      let (x, y) = (Double(random.below(6)), Double(random.below(6)))
      let size = Double(3 + random.below(6))
      func square(_ inset: Double) -> [PlanePoint] {
        let (low, high) = (inset, size - inset)
        return [(low, low), (high, low), (high, high), (low, high), (low, low)].map {
          PlanePoint(x: x + $0.0, y: y + $0.1)
        }
      }
      return random.oneIn(2) ? [square(0), square(1)] : [square(0)]
    }
    let ring = (0..<3 + random.below(3)).map { _ in corner() }
    return [ring + ring.prefix(1)]
  }

  @Test(arguments: Seeds.usual(1...6)) func `validity agrees with GEOS on a chart`(
    seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    let (longitude, latitude) = random.point()
    // On this chart great circles are straight. Its points are exact to a nanometre, which is within the
    // tolerance of borders.
    let chart = GnomonicProjection(center: UnitVector(longitude: longitude, latitude: latitude))
    var counts = (valid: 0, invalid: 0)
    for _ in 0..<1_500 {
      let parts = (0..<2 + random.below(3)).map { _ in Self.rings(&random) }
      let isEachValid = parts.allSatisfy { rings in
        (try? GEOSGeometry(rings: rings)).flatMap { try? $0.fault() == nil } == true
      }
      guard isEachValid else { continue }
      func multiPolygon(_ position: (PlanePoint) -> GeoPosition) throws -> Geometry {
        try Geometry(.multiPolygon(parts.map { $0.map { $0.map(position) } }))
      }
      let plane = try multiPolygon { GeoPosition(uncheckedLongitude: $0.x, latitude: $0.y) }
      let sphere = try multiPolygon {
        let direction = chart.direction(to: PlanePoint(x: $0.x / 100, y: $0.y / 100))
        return GeoPosition(
          uncheckedLongitude: direction.longitude, latitude: direction.latitude)
      }
      let isValid = plane.isValid(edges: .planar)
      #expect(sphere.isValid() == isValid, "\(plane), seed \(seed)")
      if isValid { counts.valid += 1 } else { counts.invalid += 1 }
    }
    print("seed \(seed): \(counts)")
    #expect(counts.valid > 20 && counts.invalid > 200)
  }

  // MARK: Many parts

  /// A square, counter-clockwise.
  private static func square(_ x: Double, _ y: Double, _ size: Double) -> [GeoPosition] {
    [(0, 0), (size, 0), (size, size), (0, size), (0, 0)].map { (dx, dy) in
      GeoPosition(uncheckedLongitude: x + dx, latitude: y + dy)
    }
  }

  @Test func `10,000 islands in lakes and one that overlaps are checked`() throws {
    // A mainland with a lake around each island.
    var mainland = [Self.square(-1, 58, 12)]
    var islands: [[[GeoPosition]]] = []
    for index in 0..<10_000 {
      let (x, y) = (Double(index % 100) * 0.1, 60 + Double(index / 100) * 0.05)
      mainland.append(Self.square(x, y, 0.03).reversed())
      islands.append([Self.square(x + 0.01, y + 0.01, 0.01)])
    }
    #expect(try Geometry(.multiPolygon([mainland] + islands)).invalidityReason() == nil)
    let strange = [Self.square(5.02, 62.52, 0.03)]
    #expect(try Geometry(.multiPolygon([mainland] + islands + [strange])).invalidityReason() != nil)
  }

  @Test func `squares that touch at their corners are valid, and one between them is not`() throws {
    // The fields of a chessboard.
    var fields: [[[GeoPosition]]] = []
    for row in 0..<100 {
      for column in 0..<100 where (row + column).isMultiple(of: 2) {
        fields.append([Self.square(Double(column) * 0.5, Double(row) * 0.5, 0.5)])
      }
    }
    #expect(try Geometry(.multiPolygon(fields)).invalidityReason() == nil)
    let between = [Self.square(25.5, 25, 0.25)]
    #expect(try Geometry(.multiPolygon(fields + [between])).invalidityReason() != nil)
  }

  @Test func `the countries of Natural Earth have parts that do not overlap`() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Datasets/naturalearth/countries.geojson")
    let collection = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
    let features = try #require((collection as? [String: Any])?["features"] as? [[String: Any]])
    var parts = 0
    for feature in features {
      let geometry = try Geometry(geoJSON: try JSONSerialization.data(withJSONObject: feature))
      guard case .multiPolygon(let polygons) = geometry.shape else { continue }
      parts += polygons.count
      if case .overlappingPolygons? = geometry.invalidityReason() {
        Issue.record("\(feature["properties"] ?? "")")
      }
    }
    #expect(parts > 100)
  }
}
