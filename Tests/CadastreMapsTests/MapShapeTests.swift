import CadastreGeometry
import Foundation
import CadastreTestSupport
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

@testable import CadastreMaps

/// Lines and polygons on maps.
@Suite struct MapShapeTests {
  private func shape(_ wkt: String) throws -> MapShape {
    try #require(try MapShape(Geometry(wkt: wkt), edges: .planar))
  }

  /// The text of a map of shapes alone.
  private func map(_ texts: String...) throws -> String {
    var map = MapSVG(title: "Shapes")
    map.shapes = try texts.map(shape)
    map.objectCount = texts.count
    let text = map.text([])
    let parser = XMLParser(data: Data(text.utf8))
    #expect(parser.parse(), "\(String(describing: parser.parserError))")
    return text
  }

  @Test func `parts of a geometry become lines and rings`() throws {
    let shape = try shape(
      "GEOMETRYCOLLECTION (POINT (1 2), LINESTRING (0 0, 1 1), "
        + "POLYGON ((0 0, 4 0, 4 4, 0 0), (2 1, 3 1, 3 2, 2 1)))")
    #expect(shape.lines.map(\.count) == [2] && shape.rings.map(\.count) == [4, 4])
    #expect(try MapShape(Geometry(wkt: "POINT (1 2)")) == nil)
    // A great circle between distant positions is divided.
    let arc = try #require(try MapShape(Geometry(wkt: "LINESTRING (-60 50, 60 50)")))
    #expect(arc.lines[0].count > 20 && (arc.lines[0].map(\.latitude).max() ?? 0) > 65)
  }

  /// Far corners are cut off; what is drawn of a ring stays the same, by the even-odd rule.
  @Test func `rings far beyond a small map are cut off`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    let block = [
      MapPoint(longitude: 2.35, latitude: 48.85), MapPoint(longitude: 2.354, latitude: 48.853),
    ]
    let frame = MapFrame(points: block, rings: [], width: 1000)
    #expect(frame.north - frame.south < 0.01)
    func contains(_ ring: [(x: Double, y: Double)], _ x: Double, _ y: Double) -> Bool {
      zip(ring, ring.dropFirst() + ring.prefix(1)).reduce(false) { isInside, edge in
        let (first, second) = edge
        guard (first.y > y) != (second.y > y) else { return isInside }
        let crossing = first.x + (y - first.y) / (second.y - first.y) * (second.x - first.x)
        return crossing > x ? !isInside : isInside
      }
    }
    for _ in 0..<200 {
      let corners = (0..<Int.random(in: 3...9, using: &random)).map { _ in
        let isNear = Bool.random(using: &random)
        return MapPoint(
          longitude: 2.352 + Double.random(in: -1...1, using: &random) * (isNear ? 0.005 : 90),
          latitude: 48.851 + Double.random(in: -1...1, using: &random) * (isNear ? 0.005 : 40))
      }
      let ring = try #require(MapRing(corners))
      let whole = corners.map { (x: frame.x($0.longitude), y: frame.y($0.latitude)) }
      let drawn = frame.corners(of: ring)
      for _ in 0..<20 {
        let x = Double.random(in: 0...frame.width, using: &random)
        let y = Double.random(in: 0...frame.height, using: &random)
        #expect(
          drawn.contains { contains($0, x, y) } == contains(whole, x, y),
          "seed \(seed): \(corners), \(x), \(y)")
      }
      #expect(drawn.joined().allSatisfy { abs($0.x) < 30_000 && abs($0.y) < 30_000 })
    }
  }

  @Test func `parts of far lines are drawn in their place`() throws {
    let block = [
      MapPoint(longitude: 9.12, latitude: 39.25), MapPoint(longitude: 9.1204, latitude: 39.2503),
    ]
    let frame = MapFrame(points: block, rings: [], width: 1000)
    let line = try #require(
      MapRing(unrolled: [
        MapPoint(longitude: -50, latitude: -20), MapPoint(longitude: 9.1202, latitude: 39.25015),
        MapPoint(longitude: 9.1202, latitude: 80),
      ]))
    let pieces = frame.corners(of: line, isClosed: false)
    #expect(pieces.count == 1 && pieces[0].count == 3)
    let middle = try #require(pieces.first?.dropFirst().first)
    #expect(middle.x == frame.x(9.1202) && middle.y == frame.y(39.25015))
    // The cut end lies on the line.
    let slope = (frame.y(-20) - middle.y) / (frame.x(-50) - middle.x)
    let end = pieces[0][0]
    #expect(abs((end.y - middle.y) / (end.x - middle.x) - slope) < 1e-6)
  }

  @Test func `a whole parallel is drawn over all longitudes`() throws {
    let band = try #require(
      try MapShape(Geometry(wkt: "POLYGON ((-180 -10, 180 -10, 180 20, -180 20, -180 -10))")))
    let longitudes = band.rings[0].map(\.longitude)
    #expect(longitudes.min() == -180 && longitudes.max() == 180 && longitudes.contains(0))
    #expect(band.rings[0].allSatisfy { (-10.001...20.001).contains($0.latitude) })
    #expect(zip(longitudes, longitudes.dropFirst()).allSatisfy { abs($0 - $1) < 180 })
  }

  @Test func `the map shows the extent of the shapes`() throws {
    // 1,124 pixels for the width of the polygon and a margin of 8 % on both sides.
    let text = try map("POLYGON ((10 40, 30 40, 30 50, 10 50, 10 40))")
    let path = try #require(
      text.firstMatch(of: /<path d="m(\d+) (\d+)l(\d+) 0 0-(\d+)-(\d+) 0 0 (\d+)z"/))
    #expect(Int(path.3) == Int(path.5) && abs((Int(path.3) ?? 0) - 9690) < 20)
    #expect(text.contains("fill-rule=\"evenodd\""))
    #expect(text.contains("1 point"))
    let line = try map("LINESTRING (178 -18, -178 -16)")
    // Across ±180° the line is not drawn around the world.
    let steps = try #require(line.firstMatch(of: /d="m(\d+) (\d+)l(-?\d+)(-?\d+)" fill="none"/))
    #expect((2000...11_240).contains(Int(steps.3) ?? 0))
  }

  @Test func `the size of the drawing bounds that of a shape`() throws {
    let ring = (0..<100_000).map { index in
      let angle = Double(index) / 100_000 * 2 * .pi
      return "\(10 * cos(angle)) \(10 * sin(angle))"
    }
    let text = try map("POLYGON ((\(ring.joined(separator: ", ")), 10.0 0.0))")
    #expect(text.utf8.count < 60_000)
  }
}
