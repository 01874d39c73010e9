import CadastreGeometry
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreMaps

/// Sizes, heat maps, names of countries and backgrounds.
@Suite struct MapStyleTests {
  private let outlines: CountryOutlines

  init() throws {
    let repository = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    outlines = try CountryOutlines(
      geoJSON: try Data(
        contentsOf: repository.appendingPathComponent("Datasets/naturalearth/countries.geojson")))
  }

  private func frame(_ west: Double, _ south: Double, _ east: Double, _ north: Double) -> MapFrame {
    MapFrame(
      points: [
        MapPoint(longitude: west, latitude: south), MapPoint(longitude: east, latitude: north),
      ], rings: [], width: 1_000)
  }

  @Test func `areas of dots are proportional to values`() throws {
    let sizes = try #require(DotSizes([3, 400, .nan, -5, 80]))
    let (first, second) = (sizes.radius(400), sizes.radius(100))
    #expect(abs(first * first / (second * second) - 4) < 1e-9)
    #expect(sizes.radius(0) == sizes.radius(-5) && sizes.radius(0) > 0)
    #expect(sizes.radius(1e9) == first)
    #expect(sizes.examples == [200, 40, 4])
    for values in [[], [0], [-1, .nan], [.infinity]] as [[Double]] {
      #expect(DotSizes(values) == nil)
    }
  }

  @Test func `sized dots are drawn from large to small`() throws {
    var map = MapSVG(title: "Sizes")
    var group = MapGroup(
      label: "", colour: "#123456",
      points: (0..<5).map { MapPoint(longitude: Double($0), latitude: 0) })
    group.sizes = [1, 9, 4, 0, 16]
    map.groups = [group]
    map.sizeTitle = "n:"
    let svg = map.text(group.points)
    let radii = svg.matches(of: /<circle cx="\d+" cy="-?\d+" r="(\d+)" fill="#123456"/)
      .compactMap { Int($0.1) }
    #expect(radii.count == 5 && radii == radii.sorted(by: >))
    #expect(radii.first == 170)
    #expect(svg.contains(">n:</text>") && svg.contains(">10</text>"))
  }

  @Test func `the number of sized dots is bounded`() {
    var generator = SeededGenerator(seed: 4)
    var map = MapSVG(title: "Many")
    var group = MapGroup(
      label: "", colour: "#123456",
      points: (0..<60_000).map { _ in
        MapPoint(
          longitude: .random(in: -170...170, using: &generator),
          latitude: .random(in: -50...80, using: &generator))
      })
    group.sizes = group.points.map { _ in .random(in: 0...100, using: &generator) }
    map.groups = [group]
    let svg = map.text(group.points)
    #expect(svg.matches(of: /<circle\ /).count <= MapSVG.maximumSizedDots + 3)
  }

  /// Returns the classes of cells by their positions in an SVG.
  private func cells(_ map: HeatMap) -> [SIMD2<Int>: Int] {
    var cells: [SIMD2<Int>: Int] = [:]
    for (index, colour) in HeatMap.colours.enumerated() {
      let path = try? Regex("d=\"([^\"]*)\" fill=\"\(colour)\"").firstMatch(in: map.svg)
      let data = path?.output[1].substring ?? ""
      for run in data.matches(of: /M(\d+) (\d+)h(\d+)v3h-(\d+)z/) {
        guard let x = Int(run.1), let y = Int(run.2), let width = Int(run.3) else { continue }
        for cell in stride(from: x, to: x + width, by: 3) { cells[SIMD2(cell, y)] = index + 1 }
      }
    }
    return cells
  }

  @Test func `density is a sum of normal distributions`() {
    var generator = SeededGenerator(seed: 8)
    let points = (0..<40).map { _ in
      (
        x: Double.random(in: 20...380, using: &generator),
        y: Double.random(in: 20...280, using: &generator),
        weight: Double.random(in: 0...3, using: &generator)
      )
    }
    let found = cells(HeatMap(points, width: 400, height: 300))
    // The density from its definition, at the centres of the cells.
    var densities: [SIMD2<Int>: Double] = [:]
    for x in stride(from: 0, to: 402, by: 3) {
      for y in stride(from: 0, to: 300, by: 3) {
        densities[SIMD2(x, y)] = points.reduce(0) { sum, point in
          let dx = Double(x) - (point.x / 3).rounded(.down) * 3
          let dy = Double(y) - (point.y / 3).rounded(.down) * 3
          return sum + point.weight * exp(-(dx * dx + dy * dy) / (2 * 169))
        }
      }
    }
    let greatest = densities.values.max() ?? 0
    var wrong = 0
    for (cell, density) in densities {
      let share = density / greatest
      let expected = share < 0.01 ? 0 : min(8, Int(share.squareRoot() * 8 + 1))
      // The tails beyond three deviations are left out.
      if abs(expected - found[cell, default: 0]) > (share < 0.05 ? 1 : 0) { wrong += 1 }
    }
    #expect(wrong < densities.count / 200, "\(wrong) of \(densities.count) cells, seed 8")
    #expect(HeatMap([], width: 10, height: 10).svg.contains("<path") == false)
    #expect(
      HeatMap([(5, 5, -1), (5, 5, .nan)], width: 10, height: 10).svg.contains("<path") == false)
  }

  @Test func `names of countries are inside them, apart, and inside the map`() throws {
    for frame in [frame(-5, 42, 15, 55), frame(100, -20, 180, 10), frame(-170, -50, 170, 80)] {
      var count = 0
      for country in outlines.countries {
        guard let place = CountryNames.center(country, frame) else { continue }
        count += 1
        let half = Double(country.name.count) * CountryNames.characterWidth / 2
        #expect(place.x >= half && place.x <= frame.width - half, "\(country.name)")
        #expect(place.y > 0 && place.y < frame.height)
        // GEOS decides whether the place is in the country.
        let point = try #require(
          GeoPoint(
            latitude: frame.north - place.y / frame.height * (frame.north - frame.south),
            longitude: wrapped(frame.west + place.x / frame.width * (frame.east - frame.west))))
        let isInside = try country.rings.contains { ring in
          let positions = ring.corners.compactMap {
            GeoPosition(longitude: wrapped($0.longitude), latitude: $0.latitude)
          }
          return try Geometry(.polygon([positions + positions.prefix(1)]))
            .contains(Geometry(point), edges: .planar)
        }
        #expect(isInside, "\(country.name)")
      }
      #expect(count >= 3)
    }
    let svg = MapSVG(title: "t", outlines: outlines)
      .text([MapPoint(longitude: 0, latitude: 42), MapPoint(longitude: 10, latitude: 52)])
    #expect(svg.contains(">France</text>") && !svg.contains(">Chile</text>"))
    var map = MapSVG(title: "t", outlines: outlines)
    map.showsCountryNames = false
    #expect(!map.text([MapPoint(longitude: 2, latitude: 47)]).contains("id=\"countries\""))
  }

  private func wrapped(_ longitude: Double) -> Double {
    longitude - 360 * ((longitude + 180) / 360).rounded(.down)
  }

  @Test func `names of countries give way to names of objects`() throws {
    let frame = frame(0, 42, 10, 52)
    let france = try #require(outlines.countries.first { $0.name == "France" })
    let place = try #require(CountryNames.center(france, frame))
    let point = MapPoint(
      longitude: frame.west + place.x / frame.width * (frame.east - frame.west),
      latitude: frame.north - place.y / frame.height * (frame.north - frame.south))
    var map = MapSVG(title: "t", outlines: outlines)
    map.labels = [MapLabel("Middle", at: point)]
    let svg = map.text([
      MapPoint(longitude: 0, latitude: 42), MapPoint(longitude: 10, latitude: 52), point,
    ])
    #expect(svg.contains(">Middle</text>") && !svg.contains(">France</text>"))
  }

  @Test func `the background is below the objects`() throws {
    var map = MapSVG(title: "t")
    let line = try Geometry(wkt: "LINESTRING(1 1, 2 2)")
    let lake = try Geometry(wkt: "POLYGON((1 1, 2 1, 2 2, 1 1))")
    map.background = [line, lake].compactMap { MapShape($0) }
    let svg = map.text([
      MapPoint(longitude: 0, latitude: 0), MapPoint(longitude: 3, latitude: 3),
    ])
    let river = try #require(svg.range(of: "#7ea5c4"))
    let area = try #require(svg.range(of: "#a9c6dd"))
    let dots = try #require(svg.range(of: MapSVG.mainColour))
    #expect(river.lowerBound < dots.lowerBound && area.lowerBound < river.lowerBound)
  }
}
