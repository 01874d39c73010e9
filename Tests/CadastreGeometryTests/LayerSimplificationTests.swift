import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreGeometry

/// Simplified layers: borders stay common, and neither gaps nor overlaps arise.
@Suite struct LayerSimplificationTests {
  /// A layer of cells that share their fractal borders, with islands in some cells.
  private struct Layer {
    var geometries: [Geometry] = []
    /// The indexes of the islands in `geometries`, with the cell in whose hole each lies.
    var islands: [(island: Int, cell: Int)] = []

    /// Creates cells around a place.
    ///
    /// - Parameters:
    ///   - center: The middle of the layer, in degrees.
    ///   - reach: The angle from the middle to the outermost corners, about, in radians.
    ///   - random: The generator.
    /// - Throws: `GeometryError`.
    init(
      around center: (longitude: Double, latitude: Double), reach: Double,
      _ random: inout SeededGenerator
    ) throws {
      let projection = AzimuthalProjection(
        center: UnitVector(longitude: center.longitude, latitude: center.latitude))
      let size = 4
      let step = reach / Double(size) / radiansPerDegree
      func place(_ x: Double, _ y: Double) -> GeoPosition {
        projection.position(of: PlanePoint(x: x * step, y: y * step))
      }
      var corners: [[(Double, Double)]] = []
      for row in 0...size {
        corners.append(
          (0...size).map { column in
            (
              Double(column) - 2 + random.number(-0.2...0.2),
              Double(row) - 2 + random.number(-0.2...0.2)
            )
          })
      }
      /// Returns a line from a corner to another one, without the last position.
      func fractal(_ from: (Double, Double), _ to: (Double, Double), _ depth: Int) -> [(
        Double, Double
      )] {
        guard depth > 0 else { return [from] }
        let shift = random.number(-0.12...0.12)
        let (dx, dy) = (to.0 - from.0, to.1 - from.1)
        let middle = (
          (from.0 + to.0) / 2 - dy * shift, (from.1 + to.1) / 2 + dx * shift
        )
        return fractal(from, middle, depth - 1) + fractal(middle, to, depth - 1)
      }
      let depth = 5
      var across: [[[(Double, Double)]]] = []
      var up: [[[(Double, Double)]]] = []
      for row in 0...size {
        across.append(
          (0..<size).map { fractal(corners[row][$0], corners[row][$0 + 1], depth) })
      }
      for row in 0..<size {
        up.append((0...size).map { fractal(corners[row][$0], corners[row + 1][$0], depth) })
      }
      for row in 0..<size {
        for column in 0..<size {
          /// The same line in the other direction, without its last position.
          func reversed(_ line: [(Double, Double)], _ end: (Double, Double)) -> [(Double, Double)] {
            [end] + line.dropFirst().reversed()
          }
          var ring =
            across[row][column] + up[row][column + 1]
            + reversed(across[row + 1][column], corners[row + 1][column + 1])
            + reversed(up[row][column], corners[row + 1][column])
          // Another start in each cell.
          let start = random.below(ring.count)
          ring = Array(ring[start...] + ring[..<start])
          let shell = (ring + [ring[0]]).map { place($0.0, $0.1) }
          guard random.oneIn(2) else {
            geometries.append(try Geometry(.polygon([shell])))
            continue
          }
          // A hole that an island fills.
          let corner = corners[row][column]
          let middle = (corner.0 + 0.5, corner.1 + 0.5)
          let hole = (0..<40).map { index in
            let angle = Double(index) / 40 * 2 * .pi
            let radius = random.number(0.02...0.05)
            return place(middle.0 + radius * cos(angle), middle.1 + radius * sin(angle))
          }
          islands.append((geometries.count + 1, geometries.count))
          geometries.append(try Geometry(.polygon([shell, hole + [hole[0]]])))
          let turned = Array((hole[17...] + hole[..<17]).reversed())
          geometries.append(try Geometry(.polygon([turned + [turned[0]]])))
        }
      }
    }
  }

  /// An edge between two vertices, in any direction.
  private struct Border: Hashable {
    let ends: Set<Vertex>
  }

  private func borders(_ geometries: [Geometry]) -> [Border: Int] {
    var counts: [Border: Int] = [:]
    for ring in geometries.flatMap({ Array($0.parts.polygons.joined()) }) {
      let vertices = ring.map(\.vertex.onSphere)
      for (start, end) in zip(vertices, vertices.dropFirst()) where start != end {
        counts[Border(ends: [start, end]), default: 0] += 1
      }
    }
    return counts
  }

  private func count(_ geometries: [Geometry]) -> Int {
    geometries.reduce(0) { $0 + $1.parts.polygons.joined().reduce(0) { $0 + $1.count } }
  }

  private func expectIsLayer(_ simplified: [Geometry], of layer: [Geometry], _ comment: Comment) {
    for geometry in simplified { #expect(geometry.isValid(), comment) }
    let prepared = (
      before: layer.map { PreparedGeometry($0, edges: .spherical) },
      after: simplified.map { PreparedGeometry($0, edges: .spherical) }
    )
    for first in layer.indices {
      for second in layer.indices.dropFirst(first + 1) {
        #expect(
          prepared.before[first].intersects(prepared.before[second])
            == prepared.after[first].intersects(prepared.after[second]), comment)
        guard prepared.after[first].intersects(prepared.after[second]),
          let overlap = try? simplified[first].sphericalIntersection(simplified[second])
        else { continue }
        let allowed = (try? layer[first].sphericalIntersection(layer[second]))?.area ?? 0
        #expect(overlap.area <= allowed * 1.01 + 1, comment)
      }
    }
  }

  @Test(arguments: 0..<6)
  func `cells stay a layer`(round: Int) throws {
    let seed = UInt64(701 + round)
    var random = SeededGenerator(seed: seed)
    let center =
      switch round % 4 {
      case 0: (longitude: 180.0, latitude: random.number(-60...60))
      case 1: (longitude: random.number(-180...180), latitude: 90.0)
      case 2: (longitude: random.number(-180...180), latitude: -89.9)
      default: (longitude: random.number(-180...180), latitude: random.number(-80...80))
      }
    let reach = [0.001, 0.02, 0.3][round % 3]
    let layer = try Layer(around: center, reach: reach, &random)
    for share in [0.005, 0.05, 0.5] {
      let distance = Distance(uncheckedRadians: reach * share)
      let simplified = Geometry.simplified(layer.geometries, within: distance)
      let comment: Comment = "seed \(seed), \(share) of \(reach)"
      #expect(count(simplified) < count(layer.geometries), comment)
      expectIsLayer(simplified, of: layer.geometries, comment)
      // Each border inside has two polygons, and the borders of one polygon form one ring around the layer.
      let (before, after) = (borders(layer.geometries), borders(simplified))
      #expect(after.values.allSatisfy { $0 <= 2 }, comment)
      #expect(after.values.count { $0 == 1 } <= before.values.count { $0 == 1 }, comment)
      var degrees: [Vertex: Int] = [:]
      for (border, count) in after where count == 1 {
        for end in border.ends { degrees[end, default: 0] += 1 }
      }
      #expect(degrees.values.allSatisfy { $0 == 2 }, comment)
      for (island, cell) in layer.islands {
        let hole = simplified[cell].parts.polygons[0][1].map(\.vertex)
        #expect(
          Set(hole) == Set(simplified[island].parts.polygons[0][0].map(\.vertex)), comment)
      }
      for (geometry, result) in zip(layer.geometries, simplified) {
        for (ring, simple) in zip(geometry.parts.polygons.joined(), result.parts.polygons.joined())
        {
          let line = try Geometry(.lineString(simple))
          for (index, position) in ring.enumerated() where index % 8 == round % 8 {
            let away = try #require(
              line.distance(to: try Geometry(.point(position)), edges: .spherical))
            #expect(away.radians <= distance.radians * (1 + 1e-9) + 1e-14, comment)
          }
          #expect(Set(simple.map(\.vertex)).isSubset(of: Set(ring.map(\.vertex))), comment)
        }
      }
    }
  }

  /// The narrow bay of one polygon contains islands, which an edge over the bay would leave on land.
  @Test func `islands in a bay stay in the sea`() throws {
    let land = try Geometry(
      wkt: "POLYGON((0 0, 10 0, 10 5, 5.2 5, 5.1 1, 5 5, 0 5, 0 0))")
    let island = try Geometry(wkt: "POLYGON((5.09 4, 5.11 4, 5.1 4.2, 5.09 4))")
    let road = try Geometry(wkt: "LINESTRING(5.1 3, 5.101 3.1, 5.1 3.2)")
    let layer = [land, island, road]
    for degrees in [0.01, 0.1, 1, 10] {
      let simplified = Geometry.simplified(
        layer, within: Distance(uncheckedRadians: degrees * radiansPerDegree))
      expectIsLayer(simplified, of: layer, "\(degrees)°")
    }
    // Without the island nothing keeps the bay.
    let alone = Geometry.simplified(
      [land], within: Distance(uncheckedRadians: 5 * radiansPerDegree))
    #expect(alone[0].parts.polygons[0][0].count < 8)
  }

  @Test func `the countries of the world stay neighbours`() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Datasets/naturalearth/countries.geojson")
    let root = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
    let features = try #require(root?["features"] as? [[String: Any]])
    let countries = try features.map { feature in
      try Geometry(
        geoJSON: Array(
          try JSONSerialization.data(withJSONObject: try #require(feature["geometry"]))))
    }.filter { $0.isValid() }
    #expect(countries.count > 170)
    for kilometres in [20.0, 300] {
      let simplified = Geometry.simplified(
        countries,
        within: Distance(uncheckedRadians: kilometres * 1000 / Distance.earthRadiusMeters))
      #expect(count(simplified) < count(countries))
      for geometry in simplified { #expect(geometry.isValid(), "\(kilometres) km") }
      // Their borders are as common as before.
      let (before, after) = (borders(countries), borders(simplified))
      #expect(after.values.allSatisfy { $0 <= 2 })
      #expect(
        before.values.contains(2) && after.values.contains(2), "\(kilometres) km")
      expectIsLayer(simplified, of: countries, "\(kilometres) km")
    }
  }

  @Test func `what is written at ±180° and at poles stays`() throws {
    let coast = stride(from: -175, through: 175, by: 5).map {
      "\($0) \($0 % 10 == 0 ? -70 : -70.5)"
    }
    let antarctica = try Geometry(
      wkt:
        "POLYGON((-180 -90, -180 -70, \(coast.joined(separator: ", ")), 180 -70, 180 -90, -180 -90))"
    )
    let simplified = Geometry.simplified(
      [antarctica], within: Distance(uncheckedRadians: radiansPerDegree))[0]
    #expect(simplified.isValid() && simplified != antarctica)
    let ring = simplified.parts.polygons[0][0]
    for (longitude, latitude) in [(-180.0, -90.0), (180, -90)] {
      #expect(ring.contains { ($0.longitude, $0.latitude) == (longitude, latitude) })
    }
  }

  @Test func `rings without area, lines and other geometries are kept`() throws {
    let texts = [
      "POINT(1 2)", "MULTIPOINT(1 2, 3 4)", "GEOMETRYCOLLECTION EMPTY", "POLYGON EMPTY",
      "LINESTRING(0 0, 1 1)", "POLYGON((0 0, 1 0, 0 1, 0 0))",
      "POLYGON((-180 60, 180 60, 180 70, -180 70, -180 60))",
      "POLYGON((0 0, 1 0, 0 0, 0 0))", "LINESTRING(0 0, 0 0)", "LINESTRING(0 0, 180 0)",
      "LINESTRING(0 10, 180 10)",
    ]
    let geometries = texts.compactMap { try? Geometry(wkt: $0) }
    let distance = Distance(uncheckedRadians: 0.15)
    #expect(Geometry.simplified(geometries, within: distance) == geometries)
    #expect(Geometry.simplified([], within: distance).isEmpty)
  }

  @Test func `polygons that overlap stay valid`() throws {
    var random = SeededGenerator(seed: 31)
    for round in 0..<40 {
      let stars = try (0..<6).map { _ in
        let middle = random.point(
          from: (longitude: 179, latitude: 70), bearing: random.number(0...6.28),
          angle: random.number(0...0.1))
        let ring = random.star(around: middle, reach: 0.1, count: 60)
        return try Geometry(
          .polygon([ring.compactMap { GeoPosition(longitude: $0.0, latitude: $0.1) }]))
      }
      let simplified = Geometry.simplified(stars, within: Distance(uncheckedRadians: 0.02))
      #expect(simplified.allSatisfy { $0.isValid() }, "round \(round)")
      #expect(count(simplified) < count(stars), "round \(round)")
    }
  }
}
