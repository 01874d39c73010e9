import Foundation
import Testing

/// Lines and polygons on the command line: imported, queried and exported.
@Suite struct ShapeImportTests {
  private static let features = """
    {"type":"FeatureCollection","features":[
    {"type":"Feature","properties":{"name":"road"},"geometry":{"type":"LineString","coordinates":[[2,48],[3,49,7]]}},
    {"type":"Feature","properties":{"name":"park"},"geometry":{"type":"Polygon","coordinates":[[[2,48],[4,48],[4,50],[2,50],[2,48]],[[3,49],[3.5,49],[3.5,49.5],[3,49]]]}},
    {"type":"Feature","properties":{"name":"spot"},"geometry":{"type":"Point","coordinates":[2.5,48.5]}},
    {"type":"Feature","properties":{"name":"none"},"geometry":null}]}
    """

  /// The names of the things that match a predicate.
  private func names(_ store: String, _ predicate: String) throws -> [String] {
    try succeed("query", store, "Thing", predicate, "--select", "name", "--format", "csv").stdout
      .split(separator: "\n").dropFirst().map(String.init)
  }

  @Test func `GeoJSON survives a round trip by GeoJSON, GeoPackage and CSV`() throws {
    let scratch = try Scratch()
    let store = scratch.path("a")
    let input = try scratch.csv(Self.features, "things.geojson")
    try succeed("import", input, "--store", store, "--into", "Thing")
    #expect(
      try names(store, "geometry GEOINTERSECTS geometry('POINT (2 48)')") == ["road", "park"])
    #expect(try names(store, "geometry GEOWITHIN geoCircle([2.5, 48.5], 1km)") == ["spot"])
    #expect(try names(store, "geometry == null") == ["none"])
    #expect(try names(store, "GEODISTANCE(geometry, 'POINT (2.5 48.6)') < 12km").count == 3)
    #expect(
      try succeed(
        "query", store, "Thing", "--bbox=1.9,47,2.1,48.1", "--select", "name", "--format", "csv"
      ).stdout == "name\nroad\npark\n")
    #expect(
      try succeed(
        "query", store, "Thing", "--within", "1km", "--of", "2.5,48.5", "--select", "name",
        "--format", "csv"
      ).stdout == "name\nroad\npark\nspot\n")
    #expect(
      try succeed(
        "query", store, "Thing", "--near=4.01,49", "--select", "name", "--format", "csv", "--limit",
        "2"
      ).stdout == "name,distance\npark,730.317\nroad,73761.507\n")
    for file in ["b.geojson", "b.gpkg", "b.csv"] {
      let output = scratch.path(file)
      try succeed("export", store, "Thing", "--to", output)
      let copy = scratch.path(file + ".cadastre")
      try succeed("import", output, "--store", copy, "--into", "Thing")
      for name in ["road", "park", "spot", "none"] {
        let texts = try [store, copy].map { store in
          try succeed(
            "query", store, "Thing", "name == '\(name)'", "--select", "geometry", "--format", "csv"
          ).stdout
        }
        // In a GeoPackage a missing altitude among others is 0.
        let isLayer = file.hasSuffix("gpkg")
        let expected = isLayer ? texts[0].replacing(/nan/.ignoresCase(), with: "0.0") : texts[0]
        #expect(texts[1] == expected, "\(file), \(name)")
      }
    }
  }

  @Test(arguments: ["things.geojson", "b.gpkg", "b.parquet", "b.fgb"])
  func `geometries are ignored or become their centroids`(file: String) throws {
    let scratch = try Scratch()
    let source = scratch.path("a")
    let input = scratch.path(file)
    let features = try scratch.csv(Self.features, "things.geojson")
    if input != features {
      try succeed("import", features, "--store", source, "--into", "Thing")
      try succeed("export", source, "Thing", "--to", input)
    }
    let plain = scratch.path("plain")
    try succeed("import", input, "--store", plain, "--into", "Thing", "--no-geometry")
    let schema = try succeed("schema", plain).stdout
    #expect(schema.contains("name"))
    #expect(!schema.contains("geometry") && !schema.contains("Location"))
    #expect(try names(plain, "TRUEPREDICATE").sorted() == ["none", "park", "road", "spot"])

    let centers = scratch.path("centers")
    try succeed("import", input, "--store", centers, "--into", "Thing", "--centroid")
    #expect(try !succeed("schema", centers).stdout.contains("geometry"))
    // The middle of the road is near the mean of its ends; the hole of the park moves its centroid.
    let circles = [
      "road": "geoCircle([2.5, 48.5], 500m)", "spot": "geoCircle([2.5, 48.5], 1m)",
      "park": "geoCircle([2.98, 48.98], 5km)",
    ]
    for (name, circle) in circles {
      #expect(try names(centers, "location GEOWITHIN \(circle) AND name == '\(name)'") == [name])
    }
    #expect(try names(centers, "location == null") == ["none"])
    let box = scratch.path("box")
    try succeed(
      "import", input, "--store", box, "--into", "Thing", "--centroid", "--bbox", "2.9,48,4,50")
    #expect(try names(box, "TRUEPREDICATE") == ["park"])
  }

  @Test func `well-known text is a text with --no-geometry`() throws {
    let scratch = try Scratch()
    let store = scratch.path("a")
    let table = try scratch.csv("name,wkt\na,POINT(1 2)\nb,POLYGON((0 0\n", "a.csv")
    try succeed("import", table, "--store", store, "--into", "Thing", "--no-geometry")
    #expect(try succeed("schema", store).stdout.contains("wkt: string"))
    #expect(try names(store, "wkt BEGINSWITH 'POL'") == ["b"])
  }

  @Test func `a record is located among others of its line`() throws {
    let scratch = try Scratch()
    func feature(_ latitude: Int) -> String {
      #"{"type":"Feature","properties":{},"geometry":{"type":"Point","coordinates":[1,\#(latitude)]}}"#
    }
    let file = try scratch.csv(
      #"{"type":"FeatureCollection","features":[\#(feature(1)),\#(feature(200))]}"#, "a.geojson")
    try fail(
      "import", file, "--store", scratch.path("a"), "--into", "A",
      saying: "a.geojson, line 1, column 124: 'geometry': latitude 200")
    let rejects = scratch.path("r.ndjson")
    let outcome = try Program.run([
      "import", file, "--store", scratch.path("a"), "--into", "A", "--max-rejects", "1",
      "--rejects", rejects,
    ])
    #expect(outcome.status == 2)
    #expect(try String(contentsOfFile: rejects, encoding: .utf8).contains(#""column":124"#))
  }

  @Test func `options for geometries that contradict each other are usage errors`() throws {
    let scratch = try Scratch()
    let input = try scratch.csv("name\na\n", "a.csv")
    let store = scratch.path("a")
    let cases: [(options: [String], words: String, status: Int32)] = [
      (["--no-geometry", "--centroid"], "exclude each other", 64),
      (["--no-geometry", "--bbox", "0,0,1,1"], "--no-geometry excludes", 64),
      (["--centroid"], "no geometries of their own", 1),
    ]
    for (options, words, status) in cases {
      let outcome = try Program.run(["import", input, "--store", store, "--into", "A"] + options)
      expectSentence(outcome, [words], status: status)
    }
    let places = try scratch.csv("name,lon,lat\na,1,2\n", "places.csv")
    try succeed("import", places, "--store", store, "--into", "A", "--no-geometry")
    #expect(try succeed("schema", store).stdout.contains("lon"))
  }

  @Test func `a multi-polygon whose polygons overlap is rejected, kept or repaired`() throws {
    let scratch = try Scratch()
    func feature(_ name: String, _ second: String) -> String {
      let square = "[[[0,0],[10,0],[10,10],[0,10],[0,0]]]"
      return "{\"type\":\"Feature\",\"properties\":{\"name\":\"\(name)\"},\"geometry\":"
        + "{\"type\":\"MultiPolygon\",\"coordinates\":[\(square),\(second)]}}\n"
    }
    let shapes = [
      ("nested", "[[[2,2],[8,2],[8,8],[2,8],[2,2]]]"),
      ("overlap", "[[[5,5],[15,5],[15,15],[5,15],[5,5]]]"),
      ("twice", "[[[0,0],[10,0],[10,10],[0,10],[0,0]]]"),
    ]
    for (name, second) in shapes {
      let input = try scratch.csv(feature(name, second), "\(name).geojsonl")
      let store = scratch.path(name)
      try fail(
        "import", input, "--store", store, "--into", "Thing",
        saying: "its polygons overlap or have an edge in common at")
    }
    let input = try scratch.csv(shapes.map { feature($0.0, $0.1) }.joined(), "all.geojsonl")
    let kept = scratch.path("kept")
    try succeed("import", input, "--store", kept, "--into", "Thing", "--on-invalid", "keep")
    #expect(
      try names(kept, "geometry GEOINTERSECTS 'POINT (5 5)'") == ["nested", "overlap", "twice"])
    let repaired = scratch.path("repaired")
    try succeed("import", input, "--store", repaired, "--into", "Thing", "--on-invalid", "repair")
    #expect(
      try names(repaired, "geometry GEOINTERSECTS 'POINT (6 6)'") == ["nested", "overlap", "twice"])
    #expect(try names(repaired, "geometry GEOINTERSECTS 'POINT (14 14)'") == ["overlap"])
  }

  @Test func `a planar box may cross ±180°`() throws {
    let scratch = try Scratch()
    let input = try scratch.csv(
      "name,lon,lat\neast,179.9,1\nwest,-179.9,1\nfar,10,0\nline,180,1\n", "places.csv")
    let store = scratch.path("s")
    try succeed("import", input, "--store", store, "--into", "Thing")
    let found = try names(store, "location GEOWITHIN[planar] geoBox([170,-20],[-170,20])")
    #expect(found == ["east", "west", "line"])
    let relation = "location GEOINTERSECTS[planar] geoBox([170,-20],[-170,20])"
    #expect(try names(store, relation) == found)
    let option = try succeed(
      "query", store, "Thing", "--bbox=170,-20,-170,20", "--select", "name", "--format", "csv"
    ).stdout
    #expect(option == "name\neast\nwest\nline\n")
    #expect(
      try names(store, "location GEOWITHIN[planar] geoBox([-170,-20],[170,20])") == ["far"])
  }

  @Test func `an invalid geometry is rejected, kept or repaired`() throws {
    let scratch = try Scratch()
    let input = try scratch.csv(
      "name,border\nbow,\"POLYGON ((0 0, 2 2, 2 0, 0 2, 0 0))\"\n", "bow.csv")
    let store = scratch.path("c")
    try fail(
      "import", input, "--store", store, "--into", "Thing", saying: "edges cross or touch at")
    #expect(!FileManager.default.fileExists(atPath: store))
    try succeed("import", input, "--store", store, "--into", "Thing", "--on-invalid", "keep")
    let other = scratch.path("d")
    try succeed("import", input, "--store", other, "--into", "Thing", "--on-invalid", "repair")
    let text = try succeed("query", other, "Thing", "--select", "border", "--format", "csv").stdout
    #expect(text.contains("MULTIPOLYGON"))
    #expect(try names(other, "border GEOINTERSECTS 'POINT (1 1)'") == ["bow"])
  }

  @Test(arguments: [
    ("{\"type\":\"LineString\",\"coordinates\":[[2,48]]}", "at least two"),
    ("{\"type\":\"LineString\",\"coordinates\":[[2,48],[200,3]]}", "longitude from -180 to 180"),
    ("{\"type\":\"LineString\",\"coordinates\":[[2,48],\"x\"]}", "expected an array"),
    ("{\"type\":\"Polygon\",\"coordinates\":[[[2,48],[3,48]]]}", "ring 0 of polygon 0"),
    ("{\"type\":\"Polyp\",\"coordinates\":[]}", "expected a geometry"),
    ("{\"type\":\"GeometryCollection\",\"geometries\":[{\"type\":\"Point\"}]}", "found none"),
  ]) func `a mistake names what was found`(geometry: String, words: String) throws {
    let text = """
      {"type":"Feature","properties":{"name":"a"},"geometry":{"type":"LineString","coordinates":[[2,48],[3,49]]}}
      {"type":"Feature","properties":{"name":"b"},"geometry":\(geometry)}

      """
    let scratch = try Scratch()
    let input = try scratch.csv(text, "bad.geojsonl")
    let store = scratch.path("e")
    try fail("import", input, "--store", store, "--into", "Thing", saying: words)
    #expect(!FileManager.default.fileExists(atPath: store))
  }
}
