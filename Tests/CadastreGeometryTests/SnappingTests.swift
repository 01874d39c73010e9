import CadastreTestSupport
import Testing

@testable import CadastreGeometry

/// Snapping, compared with a search of all positions and edges.
struct SnappingTests {
  private static func position(_ place: (Double, Double)) -> GeoPosition {
    GeoPosition(uncheckedLongitude: place.0, latitude: place.1)
  }

  @Test(arguments: Seeds.usual(1...6))
  func `each vertex is at the nearest position, and each near position is a vertex`(
    seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    for round in 0..<40 {
      let center = (random.pick([180, -60, 11.5]), random.pick([0, 47.3, 89.95, -70]))
      let reach = random.pick([0.001, 0.1, 1.2])
      let width = reach * random.pick([0.01, 0.1])
      let line = (0..<random.pick([2, 5, 30])).map { _ in
        Self.position(
          random.point(
            from: center, bearing: random.number(0...6.28), angle: random.number(0...reach)))
      }
      let others = (0..<random.pick([1, 10, 60])).map { _ in
        Self.position(
          random.point(
            from: center, bearing: random.number(0...6.28), angle: random.number(0...reach)))
      }
      let note: Comment = "seed \(seed), round \(round)"
      let geometry = try Geometry(.lineString(line))
      let snapped = try geometry.snapped(
        to: Geometry(.multiPoint(others)), within: #require(.radians(width)))
      // The vertices that move, by comparing all.
      let moved = line.map { vertex in
        let nearest = others.min {
          $0.vertex.angle(to: vertex.vertex) < $1.vertex.angle(to: vertex.vertex)
        }
        return nearest.flatMap {
          $0.vertex.angle(to: vertex.vertex) <= width ? $0 : nil
        } ?? vertex
      }
      let segments = Segment.chain(moved.map(\.vertex), isClosed: false, edges: .spherical)
      let near = others.filter { other in
        segments.contains { segment in
          // The nearest point of the edge is none of its ends.
          let angle = segment.angle(to: other.vertex, edges: .spherical)
          let ends = [segment.start, segment.end].map { $0.angle(to: other.vertex) }
          return angle <= width && ends.allSatisfy { $0 > angle }
        }
      }
      let positions = snapped.parts.lines.joined().map(\.vertex.onSphere)
      let isOnePosition = Set(moved.map(\.vertex.onSphere)).count == 1 && near.isEmpty
      #expect(positions.isEmpty == isOnePosition, note)
      #expect(
        Set(positions) == Set((moved + near).map(\.vertex.onSphere)) || isOnePosition, note)
      // The moved vertices are there in their order.
      var rest = positions[...]
      for vertex in moved.map(\.vertex.onSphere) {
        guard !positions.isEmpty else { break }
        let index = rest.firstIndex(of: vertex)
        #expect(index != nil, note)
        rest = rest[(index ?? rest.startIndex)...]
      }
    }
  }

  /// Neighbours with borders that differ by up to 4 m, one of them with further vertices, have one border.
  @Test(arguments: Seeds.usual(11...14))
  func `the borders of a layer become equal`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let metre = 360 / 40_075_000.0
    func near(_ x: Int, _ y: Int) -> GeoPosition {
      Self.position(
        (
          12 + Double(x) * 0.001 + random.number(-2 * metre...2 * metre),
          48 + Double(y) * 0.001 + random.number(-2 * metre...2 * metre)
        ))
    }
    var layer: [Geometry] = []
    for x in 0..<6 {
      for y in 0..<6 {
        var ring = [near(x, y), near(x + 1, y), near(x + 1, y + 1), near(x, y + 1)]
        // A vertex in the middle of an edge, which the neighbour does not have.
        if random.oneIn(2) {
          ring.insert(
            Self.position((12 + (Double(x) + 0.5) * 0.001, 48 + Double(y) * 0.001)), at: 1)
        }
        layer.append(try Geometry(.polygon([ring + [ring[0]]])))
      }
    }
    let distance = try #require(Distance.kilometers(0.008))
    let snapped = Geometry.snapped(layer, within: distance)
    let united = try Geometry.sphericalUnion(of: snapped)
    // Without gaps and overlaps the areas add up, and the union has no hole.
    #expect(united.parts.polygons.map(\.count) == [1], "seed \(seed)")
    #expect(
      abs(united.area - snapped.reduce(0) { $0 + $1.area }) < 1e-6 * united.area, "seed \(seed)")
    #expect(try Geometry.sphericalUnion(of: layer).parts.polygons.map(\.count) != [1])
    #expect(Geometry.snapped(snapped, within: distance) == snapped)
    for (old, new) in zip(layer, snapped) {
      #expect(new.isValid() && abs(new.area / old.area - 1) < 0.2)
    }
  }

  /// The vertices that an edge gets are the same in both directions, and do not depend on other edges.
  @Test(arguments: Seeds.usual(21...24))
  func `equal edges of neighbours stay equal`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for round in 0..<100 {
      let border = (0...4).map { Self.position((Double($0), random.number(-0.3...0.3))) }
      let north = [Self.position((4, 5)), Self.position((0, 5))]
      let south = [Self.position((4, -5)), Self.position((0, -5))]
      let first = try Geometry(.polygon([border + north + [border[0]]]))
      let second = try Geometry(.polygon([[border[0]] + south.reversed() + border.reversed()]))
      let targets = (0..<30).map { _ in
        Self.position((random.number(0...4), random.number(-0.4...0.4)))
      }
      let width = try #require(Distance.degrees(random.pick([0.02, 0.1, 0.3])))
      let other = Geometry(unchecked: .multiPoint(targets))
      guard let one = try? first.snapped(to: other, within: width),
        let two = try? second.snapped(to: other, within: width)
      else { continue }
      let union = try one.sphericalUnion(two)
      let note: Comment = "seed \(seed), round \(round)"
      #expect(union.parts.polygons.map(\.count) == [1], note)
      #expect(abs(union.area - one.area - two.area) < 1e-9 * union.area, note)
    }
  }

  @Test func `what is far from all positions stays as it is`() throws {
    let far = try Geometry(wkt: "POINT (100 0)")
    for text in [
      "POLYGON ((-180 -90, -180 -84, 0 -70, 180 -84, 180 -90, -180 -90))",
      "LINESTRING (0 0, 0 0, 1 1)", "GEOMETRYCOLLECTION (POINT EMPTY)",
      "LINESTRING (0 0, 180 0, 170 10)",
    ] {
      let geometry = try Geometry(wkt: text)
      #expect(try geometry.snapped(to: far, within: #require(.kilometers(10))) == geometry)
    }
    // An edge between antipodes gets no vertex, and loses none.
    let line = try Geometry(wkt: "LINESTRING (0 0, 180 0, 170 10)")
    let near = try Geometry(wkt: "POINT (175 5.01)")
    let snapped = try line.snapped(to: near, within: #require(.kilometers(50)))
    #expect(snapped.parts.lines[0].map(\.longitude) == [0, 180, 175, 170])
  }

  @Test func `altitudes stay, and new vertices have those between`() throws {
    let line = try Geometry(wkt: "LINESTRING Z (0 0 10, 1 0 30)")
    let targets = try Geometry(wkt: "MULTIPOINT Z (0.00001 0 7, 0.5 0.00001 7)")
    let snapped = try line.snapped(to: targets, within: #require(.kilometers(0.01)))
    let positions = try #require(snapped.parts.lines.first)
    #expect(positions.map(\.longitude) == [0.00001, 0.5, 1])
    let altitudes = positions.compactMap(\.altitude)
    #expect(altitudes.count == 3 && altitudes[0] == 10 && altitudes[2] == 30)
    #expect(abs(altitudes[1] - 20) < 0.001)
    // A ring that would collapse stays as it is in a layer, and is an error alone.
    let ring = try Geometry(wkt: "POLYGON ((0 0, 1 0, 1 1, 0 0))")
    let center = try Geometry(wkt: "POINT (0.7 0.3)")
    let distance = try #require(Distance.degrees(1))
    #expect(throws: GeometryError.self) { try ring.snapped(to: center, within: distance) }
    #expect(Geometry.snapped([center, ring], within: distance) == [center, ring])
  }
}
