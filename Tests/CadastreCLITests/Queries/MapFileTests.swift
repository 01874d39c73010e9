import Foundation
import Testing

/// Ten maps that were looked at as pictures, and the options of maps.
@Suite struct MapFileTests {
  private static let maps: [(name: String, arguments: [String])] = [
    ("circle", ["Airport", Airports.aroundParis, "--label-by", "name"]),
    (
      "small",
      [
        "Airport", "--within", "30km", "--of", "-0.1,51.5", "--label-by", "icao", "--title",
        "London",
      ]
    ),
    (
      "sizes",
      [
        "Airport", "country == 'FR'", "--size-by", "elevation * 0.3048", "--color-by",
        "elevation", "--title", "Elevation of airports in France, in metres",
      ]
    ),
    ("heat", ["Airport", "country IN {'BR', 'AR', 'CL'}", "--heat"]),
    ("continents", ["Country", "--color-by", "continent", "--title", "Continents"]),
    ("antimeridian", ["Airport", "country IN {'FJ', 'NZ', 'WS', 'TO'}", "--color-by", "country"]),
    ("density", ["Airport", "country == 'US'"]),
    (
      "names",
      [
        "Country", "geometry GEOWITHIN geoBox([-12, 34], [32, 72])", "--label-by", "name",
        "--no-country-names",
      ]
    ),
    ("polar", ["Airport", "location.latitude < -60", "--label-by", "name"]),
    (
      "rivers",
      [
        "Airport", "country == 'CH'", "--background", "rivers.geojson", "--label-by", "city",
        "--sort", "elevation desc", "--bbox", "5.9,45.8,10.5,47.9",
      ]
    ),
  ]

  /// The Rhine and Lake Constance, roughly.
  private static let rivers = """
    {"type":"FeatureCollection","features":[
    {"type":"Feature","properties":{},"geometry":{"type":"LineString","coordinates":[[8.7,46.6],
    [9.5,46.9],[9.5,47.5],[8.6,47.6],[7.6,47.6],[7.8,48.6]]}},
    {"type":"Feature","properties":{},"geometry":{"type":"Polygon","coordinates":[[[9.0,47.7],
    [9.5,47.5],[9.7,47.5],[9.4,47.7],[9.0,47.7]]]}}]}
    """

  private func store(_ scratch: Scratch) throws -> String {
    let store = try scratch.airportsStore()
    let countries = repository.appendingPathComponent("Datasets/naturalearth/countries.geojson")
    try succeed("import", countries.path, "--store", store, "--into", "Country")
    try scratch.file("rivers.geojson", Self.rivers)
    return store
  }

  /// To update the pictures, run `CADASTRE_RECORD=1 swift test --filter MapFileTests`, and look at them.
  @Test func `maps are those that were looked at`() throws {
    let scratch = try Scratch()
    let store = try store(scratch)
    let golden = repository.appendingPathComponent("Tests/CadastreCLITests/Golden/maps")
    for (name, arguments) in Self.maps {
      let words = arguments.map { $0 == "rivers.geojson" ? scratch.path($0) : $0 }
      let outcome = try Program.run(
        ["query", store] + words + ["--format", "count", "--map", scratch.path("\(name).svg")])
      #expect(outcome.status == 0, "\(name): \(outcome.stderr)")
      let map = try scratch.bytes("\(name).svg")
      let file = golden.appendingPathComponent("\(name).svg")
      if ProcessInfo.processInfo.environment["CADASTRE_RECORD"] == "1" { try map.write(to: file) }
      // The functions of other systems round the last digit otherwise.
      #if os(Linux)
        let isEqual = try map == Data(contentsOf: file)
        #expect(isEqual, "\(name)")
      #endif
    }
  }

  @Test func `options that do not fit are refused before anything is written`() throws {
    let scratch = try Scratch()
    let store = try store(scratch)
    let map = scratch.path("m.svg")
    func run(_ arguments: String...) throws -> Outcome {
      try Program.run(["query", store, "Airport", "country == 'LU'"] + arguments)
    }
    expectSentence(try run("--heat"), ["--heat needs --map"], status: 64)
    expectSentence(try run("--size-by", "elevation"), ["--size-by needs --map"], status: 64)
    expectSentence(
      try run("--map", map, "--heat", "--color-by", "tz"), ["exclude each other"], status: 64)
    expectSentence(try run("--map", map, "--size-by", "name"), ["'name'", "number"], status: 64)
    expectSentence(try run("--map", map, "--size-by", "elevatio"), ["'elevation'?"])
    expectSentence(
      try run("--map", map, "--background", scratch.path("none.shp")), ["does not exist"])
    try scratch.file("bad.geojson", #"{"type":"FeatureCollection","features":[{"#)
    expectSentence(
      try run("--map", map, "--background", scratch.path("bad.geojson")), ["bad.geojson"])
    #expect(!FileManager.default.fileExists(atPath: map))
  }

  @Test func `a background may be any file that can be imported`() throws {
    let scratch = try Scratch()
    let store = try store(scratch)
    let lines = scratch.path("lines.gpkg")
    try succeed(
      "import", scratch.path("rivers.geojson"), "--store", scratch.path("r"), "--into", "River")
    try succeed("export", scratch.path("r"), "River", "--to", lines)
    for file in [lines, scratch.path("rivers.geojson")] {
      try succeed(
        "query", store, "Airport", "country == 'CH'", "--map", scratch.path("m.html"),
        "--overwrite", "--background", file, "--quiet")
      let page = String(decoding: try scratch.bytes("m.html"), as: UTF8.self)
      #expect(page.contains("#7ea5c4") && page.contains("#a9c6dd"))
    }
  }
}
