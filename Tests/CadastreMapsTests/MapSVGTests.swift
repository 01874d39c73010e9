import CadastreTestSupport
import Foundation
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

@testable import CadastreMaps

@Suite struct MapSVGTests {
  let outlines: CountryOutlines

  init() throws {
    let repository = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let file = repository.appendingPathComponent("Datasets/naturalearth/countries.geojson")
    outlines = try CountryOutlines(geoJSON: try Data(contentsOf: file))
  }

  func points(_ pairs: [(Double, Double)]) -> [MapPoint] {
    pairs.map { MapPoint(longitude: $0.0, latitude: $0.1) }
  }

  @Test func `all countries are read`() {
    #expect(outlines.countries.count == 177)
    #expect(outlines.countries.allSatisfy { !$0.rings.isEmpty && !$0.name.isEmpty })
  }

  @Test func `small maps of every place are drawn`() {
    var map = MapSVG(title: "Small", outlines: outlines)
    map.objectCount = 2
    let seed: UInt64 = 91
    var random = SeededGenerator(seed: seed)
    // The first place is on an island in the bounding box of its country's mainland.
    for size in [0.04, 0.002, 0.0005] {
      for place in 0..<25 {
        let longitude = place == 0 ? 9.12 : Double.random(in: -179...179, using: &random)
        let latitude = place == 0 ? 39.25 : Double.random(in: -80...80, using: &random)
        let text = map.text(points([(longitude, latitude), (longitude + size, latitude + size)]))
        #expect(text.hasSuffix("</svg>\n"), "seed \(seed)")
        #expect(text.contains(" at "), "seed \(seed)")
      }
    }
  }

  @Test func `outlines that are no FeatureCollection are refused`() {
    #expect(throws: CountryOutlinesError.self) {
      try CountryOutlines(geoJSON: Data(#"{"type": "Point", "coordinates": [1, 2]}"#.utf8))
    }
  }

  @Test func `a map is well-formed XML with any title and query`() throws {
    var map = MapSVG(
      title: "<b>\"A\" & 'B'\u{1}\u{FFFF}</b>",
      query: "name == '<&>' AND " + String(repeating: "x", count: 999),
      outlines: outlines)
    map.regionRings = [points([(-10, 40), (10, 40), (10, 50), (-10, 40)]), []]

    for pairs in [[], [(2.35, 48.86)], [(-179, 60), (179, -89)], [(.nan, 1), (1, .infinity)]] {
      let parser = XMLParser(data: Data(map.text(points(pairs)).utf8))
      #expect(parser.parse(), "\(String(describing: parser.parserError))")
    }
  }

  @Test func `a frame contains its points, also across the antimeridian`() throws {
    let pacific = MapFrame(points: points([(178, -18), (-172, -14)]), rings: [], width: 1_000)

    #expect(!pacific.isWorld)
    #expect(pacific.east - pacific.west < 30)
    for longitude in [178, -180, 180, -172] {
      let x = pacific.x(try #require(pacific.unwrapped(Double(longitude))))
      #expect((0...1_000).contains(x))
    }
    #expect(pacific.unwrapped(0) == nil)
    #expect(
      MapFrame(points: points([(-120, 40), (120, 40), (0, 0)]), rings: [], width: 1_000).isWorld)
    #expect(MapFrame(points: [], rings: [], width: 1_000).isWorld)
  }

  @Test func `every point of a random cloud is inside its frame`() {
    let seed: UInt64 = 90
    var numbers = SeededGenerator(seed: seed)
    for _ in 0..<2_000 {
      let center = (
        Double.random(in: -180...180, using: &numbers), Double.random(in: -90...90, using: &numbers)
      )
      let size = Double.random(in: 0...200, using: &numbers)
      let cloud = (0..<8).map { _ -> MapPoint in
        let longitude = center.0 + Double.random(in: -0.5...0.5, using: &numbers) * size
        return MapPoint(
          longitude: longitude - 360 * ((longitude + 180) / 360).rounded(.down),
          latitude: min(
            90, max(-90, center.1 + Double.random(in: -0.2...0.2, using: &numbers) * size)))
      }
      let frame = MapFrame(points: cloud, rings: [], width: 1_000)
      for point in cloud {
        #expect(frame.unwrapped(point.longitude) != nil, "seed \(seed): \(cloud)")
        #expect((-0.01...frame.height + 0.01).contains(frame.y(point.latitude)), "seed \(seed)")
      }
      #expect((200...1_200).contains(frame.height), "seed \(seed): \(frame)")
    }
  }

  @Test func `a ring around a pole gets corners at the pole`() throws {
    let circle = points(stride(from: -180.0, to: 180, by: 30).map { ($0, 70) })

    let ring = try #require(MapRing(withShortEdges: circle))

    #expect(ring.latitudes == 70...90)
    #expect(ring.longitudes == -180...180)
  }

  @Test func `points at the same pixel are drawn once`() {
    let map = MapSVG(title: "Twice")
    let once = map.text(points([(1, 1), (9, 9)]))
    let twice = map.text(points([(1, 1), (1.000001, 1), (9, 9)]))

    #expect(once.matches(of: /h0/).count == 4)
    #expect(twice.matches(of: /h0/).count == 4)
    #expect(twice.contains("3 points"))
  }

  @Test func `every point is counted once, in the nearest hexagon`() {
    let seed: UInt64 = 6
    var numbers = SeededGenerator(seed: seed)
    let points = (0..<600).map { _ in
      (
        x: Double.random(in: 0...120, using: &numbers),
        y: Double.random(in: 0...80, using: &numbers)
      )
    }
    let grid = DensityGrid(points)

    #expect(grid.cells.reduce(0) { $0 + $1.count } == points.count)
    for point in points.prefix(300) {
      let nearest = grid.cells.map { hypot($0.x - point.x, $0.y - point.y) }.min() ?? .infinity
      #expect(nearest <= DensityGrid.radius + 1e-9, "seed \(seed): \(point)")
    }
    for cell in grid.cells {
      let count = points.count { point in
        let distance = hypot(cell.x - point.x, cell.y - point.y)
        return !grid.cells.contains { hypot($0.x - point.x, $0.y - point.y) < distance }
      }
      #expect(count == cell.count, "seed \(seed): \(cell)")
    }
  }

  @Test func `class bounds are round numbers, ascending and distinct`() {
    #expect(DensityGrid.classes(upTo: 1) == [1])
    #expect(DensityGrid.classes(upTo: 2) == [1, 2])
    #expect(DensityGrid.classes(upTo: 3_000) == [1, 5, 20, 100, 500])
    for maximum in [7, 30, 999, 1_000_000] {
      let classes = DensityGrid.classes(upTo: maximum)
      #expect(classes == classes.sorted() && Set(classes).count == classes.count)
      #expect(classes.count >= 3 && classes.last ?? 0 <= maximum)
    }
  }

  @Test func `the scale bar is exact at the middle latitude`() throws {
    let frame = MapFrame(points: points([(2, 48), (3, 50)]), rings: [], width: 1_000)
    let bar = try #require(ScaleBar(frame, atMost: 150))
    let latitude = (frame.south + frame.north) / 2
    let degrees = bar.pixels * (frame.east - frame.west) / frame.width
    // The length along the parallel; for so few degrees it equals the great-circle arc.
    let kilometres = degrees * .pi / 180 * cos(latitude * .pi / 180) * 6371.0088

    #expect(abs(kilometres - bar.kilometres) < 1e-6 * bar.kilometres)
    #expect(bar.pixels <= 150 && bar.pixels > 50)
    #expect(bar.label == "\(Int(bar.kilometres)) km at 49°N")
    #expect(ScaleBar(MapFrame(points: [], rings: [], width: 1_000), atMost: 150) == nil)
  }

  @Test func `a terminal map fits the width and marks each point at its position`() {
    var map = TerminalMap(outlines: outlines)
    map.regionRings = [points([(170, -25), (-170, -25), (-170, -10), (170, -10), (170, -25)])]
    let fiji = points([(178, -18), (-179, -17)])

    for width in [40, 80, 100] {
      let lines = map.text(fiji, width: width).split(separator: "\n")
      #expect(lines.allSatisfy { $0.count <= width })
      #expect(lines.dropLast().joined().count { $0 == "•" } == 2)
      #expect(lines.last?.hasPrefix("2 objects") == true)
    }
    map.isColoured = true
    #expect(map.text(fiji, width: 80).contains("\u{1B}[31;1m"))
    let world = TerminalMap(outlines: .none).text(
      points([(-120, 13), (0, 13), (120, 13)]), width: 80
    ).split(separator: "\n", omittingEmptySubsequences: false)
    let row = world.first { $0.contains("•") } ?? ""
    #expect(
      row.indices.filter { row[$0] == "•" }.map { row.distance(from: row.startIndex, to: $0) } == [
        13, 40, 66,
      ])
  }

  @Test func `a map of a hundred thousand points stays below 500 kB`() {
    var numbers = SeededGenerator(seed: 100_000)
    let cloud = (0..<100_000).map { _ in
      MapPoint(
        longitude: .random(in: -180...180, using: &numbers),
        latitude: .random(in: -60...80, using: &numbers))
    }

    let text = MapSVG(title: "Many", outlines: outlines).text(cloud)

    #expect(text.utf8.count < 500_000)
    #expect(text.contains("100,000 points; number in each hexagon:"))
    #expect(XMLParser(data: Data(text.utf8)).parse())
  }
}
