import Foundation
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

@testable import CadastreDatasets

@Suite struct MapSVGTests {
  let outlines: CountryOutlines

  init() throws {
    outlines = try CountryOutlines(
      path: repository.appendingPathComponent("Datasets/naturalearth/countries.geojson").path)
  }

  func points(_ pairs: [(Double, Double)]) -> [MapPoint] {
    pairs.map { MapPoint(longitude: $0.0, latitude: $0.1) }
  }

  @Test func `all countries are read`() {
    #expect(outlines.countries.count == 177)
    #expect(outlines.countries.allSatisfy { !$0.isEmpty })
  }

  @Test func `a map is well-formed XML whatever the texts hold`() throws {
    var map = MapSVG(
      title: "<b>\"A\" & 'B'\u{1}\u{FFFF}</b>",
      query: "name == '<&>' AND " + String(repeating: "x", count: 999),
      outlines: outlines)
    map.regionRings = [points([(-10, 40), (10, 40), (10, 50), (-10, 40)]), []]

    for places in [[], [(2.35, 48.86)], [(-179, 60), (179, -89)], [(.nan, 1), (1, .infinity)]] {
      let parser = XMLParser(data: Data(map.text(points(places)).utf8))
      #expect(parser.parse(), "\(String(describing: parser.parserError))")
    }
  }

  @Test func `a frame fits its points, also across the antimeridian`() throws {
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
    var numbers = SeededNumbers(seed: seed)
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

  @Test func `a ring around a pole is led along it`() throws {
    let circle = points(stride(from: -180.0, to: 180, by: 30).map { ($0, 70) })

    let ring = try #require(MapRing(joiningTheShortWay: circle))

    #expect(ring.latitudes == 70...90)
    #expect(ring.longitudes == -180...180)
  }

  @Test func `places that fall together are drawn once`() {
    let map = MapSVG(title: "Twice")
    let once = map.text(points([(1, 1), (9, 9)]))
    let twice = map.text(points([(1, 1), (1.000001, 1), (9, 9)]))

    #expect(once.matches(of: /h0/).count == 4)
    #expect(twice.matches(of: /h0/).count == 4)
    #expect(twice.contains("3 places"))
  }

  @Test func `hexagons count every point once, in the nearest one`() {
    let seed: UInt64 = 6
    var numbers = SeededNumbers(seed: seed)
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

  @Test func `classes rise in round steps and name every number once`() {
    #expect(DensityGrid.classes(upTo: 1) == [1])
    #expect(DensityGrid.classes(upTo: 2) == [1, 2])
    #expect(DensityGrid.classes(upTo: 3_000) == [1, 5, 20, 100, 500])
    for most in [7, 30, 999, 1_000_000] {
      let classes = DensityGrid.classes(upTo: most)
      #expect(classes == classes.sorted() && Set(classes).count == classes.count)
      #expect(classes.count >= 3 && classes.last ?? 0 <= most)
    }
  }

  @Test func `the scale is true at the middle of the map`() throws {
    let frame = MapFrame(points: points([(2, 48), (3, 50)]), rings: [], width: 1_000)
    let bar = try #require(ScaleBar(frame, atMost: 150))
    let latitude = (frame.south + frame.north) / 2
    let degrees = bar.pixels * (frame.east - frame.west) / frame.width
    // The haversine formula along the parallel, for so few degrees as good as the arc.
    let kilometres = degrees * .pi / 180 * cos(latitude * .pi / 180) * 6371.0088

    #expect(abs(kilometres - bar.kilometres) < 1e-6 * bar.kilometres)
    #expect(bar.pixels <= 150 && bar.pixels > 50)
    #expect(bar.label == "\(Int(bar.kilometres)) km at 49°N")
    #expect(ScaleBar(MapFrame(points: [], rings: [], width: 1_000), atMost: 150) == nil)
  }

  @Test func `a map of the terminal fits it, and marks places where they are`() {
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
    // In the middle of an empty world.
    let world = TerminalMap(outlines: .none).text(
      points([(-120, 13), (0, 13), (120, 13)]), width: 80
    ).split(separator: "\n", omittingEmptySubsequences: false)
    let row = world.first { $0.contains("•") } ?? ""
    #expect(
      row.indices.filter { row[$0] == "•" }.map { row.distance(from: row.startIndex, to: $0) } == [
        13, 40, 66,
      ])
  }

  @Test func `a hundred thousand points stay below two megabytes`() {
    var numbers = SeededNumbers(seed: 100_000)
    let cloud = (0..<100_000).map { _ in
      MapPoint(
        longitude: .random(in: -180...180, using: &numbers),
        latitude: .random(in: -60...80, using: &numbers))
    }

    let text = MapSVG(title: "Many", outlines: outlines).text(cloud)

    #expect(text.utf8.count < 500_000)
    #expect(text.contains("100,000 places; so many in a hexagon:"))
    #expect(XMLParser(data: Data(text.utf8)).parse())
  }
}
