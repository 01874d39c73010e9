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

  @Test func `a hundred thousand points stay below two megabytes`() {
    var numbers = SeededNumbers(seed: 100_000)
    let cloud = (0..<100_000).map { _ in
      MapPoint(
        longitude: .random(in: -180...180, using: &numbers),
        latitude: .random(in: -60...80, using: &numbers))
    }

    let text = MapSVG(title: "Many", outlines: outlines).text(cloud)

    #expect(text.utf8.count < 2_000_000)
    #expect(XMLParser(data: Data(text.utf8)).parse())
  }
}
