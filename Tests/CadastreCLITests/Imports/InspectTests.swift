import CadastreDatasets
import Foundation
import Testing

/// `cadastre inspect`, `cadastre formats`, zip archives, folders, and the formats of GDAL.
@Suite struct InspectTests {
  private let scratch: Scratch
  private let cases =
    repository.appendingPathComponent("Tests/CadastreDatasetsTests/Fixtures/Cases/cases.zip").path

  init() throws { scratch = try Scratch() }

  @Test func `inspect describes a table and stores nothing`() throws {
    let table = try scratch.csv("id,name,lon,lat\n1,Ann,2.5,48\n2,,3,49\n")
    let outcome = try succeed("inspect", table)
    #expect(
      outcome.stdout
        == """
        file     \(table), CSV
        rows     2

        field  type    reason
        ─────  ──────  ───────────────────────────────────────────────────────────
        id     int     all 2 values are integers
        name   string  1 text
        lon    double  all 2 values are numbers, the first with a fraction: line 2 has '2.5'
        lat    int     all 2 values are integers

        extent   2.5, 48, 3, 49

        id  name  location
        ──  ────  ────────
         1  Ann   2.5 48
         2        3 49

        """.replacing(
          "───────────────────────────────────────────────────────────\nid",
          with: String(repeating: "─", count: 69) + "\nid"))
    #expect(scratch.names == ["table.csv"])
  }

  @Test func `long values are cut in descriptions, and complete in results`() throws {
    let ring = (0...200).map { "[\(Double($0 % 200) / 7),\($0 % 200 < 100 ? 0 : 1)]" }
    let area = try scratch.csv(
      """
      {"type":"Feature","properties":{},"geometry":{"type":"LineString","coordinates":
      [\(ring.joined(separator: ","))]}}
      """, "area.geojson")
    let store = scratch.path("area.cadastre")
    try succeed("import", area, "--store", store, "--into", "Area")
    for command in [["inspect", area], ["stats", store, "Area"]] {
      let outcome = try Program.run(command)
      #expect(outcome.stdout.contains("LINESTRING (0.0 0.0"))
      for line in outcome.stdout.split(separator: "\n") { #expect(line.count < 260) }
    }
    #expect(try succeed("stats", store, "Area", "--format", "json").stdout.count > 4000)
    #expect(try succeed("query", store, "Area").stdout.count > 4000)
  }

  @Test func `inspect lists the layers of a file, and describes one of them`() throws {
    let outcome = try succeed("inspect", "\(cases)/gpkg/two.gpkg")
    #expect(outcome.stdout.contains("l1     POINT     1\nl2     POINT     1\n"))
    let layer = try succeed("inspect", "\(cases)/gpkg/two.gpkg", "--layer", "l2", "--rows", "0")
    #expect(layer.stdout.contains("rows     1\n"))
    try fail("inspect", "\(cases)/gpkg/two.gpkg", "--layer", "none", saying: "no layer 'none'")
    try fail("inspect", scratch.path("none.csv"), saying: "does not exist")
  }

  @Test func `invalid records are counted with the first reason`() throws {
    let outcome = try succeed("inspect", "\(cases)/csv/lat91.csv")
    #expect(outcome.stdout.contains("rows     2, of which 1 are invalid, the first: column 'lat'"))
  }

  @Test func `formats lists what is read and written`() throws {
    #expect(try succeed("formats", "--format", "json").stdout.hasPrefix("[\n  {"))
    let lines = try succeed("formats").stdout.split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("gpkg ") && $0.contains("reads, writes") })
    #expect(lines.contains { $0.hasPrefix("topojson ") && !$0.contains("writes") })
    #expect(
      lines.contains { $0.hasPrefix("GML ") } == (GDALLibrary.version != nil))
    let without = try Program.run(
      ["formats"], through: ["/usr/bin/env", "CADASTRE_GDAL_LIBRARY=/nonexistent"])
    #expect(without.status == 0)
    #expect(!without.stdout.contains("GML"))
    #expect(without.stderr.contains("GDAL of CADASTRE_GDAL_LIBRARY cannot be loaded"))
  }

  // MARK: Archives and folders

  @Test func `an archive names its datasets, and one of them is imported`() throws {
    let store = scratch.path("a.cadastre")
    try fail(
      "import", cases, "--store", store, "--into", "T",
      saying: "it has several datasets; name one, as \(cases)/csv/bad_quote.csv")
    try fail(
      "import", "\(cases)/none.shp", "--store", store, "--into", "T",
      saying: "it has no file 'none.shp'")
    try succeed("import", "\(cases)/shp/loc.shp", "--store", store, "--into", "T")
    var bytes = try Data(contentsOf: URL(filePath: cases))
    // The comment of an archive may contain the signature of its end.
    let comment = Data([0x50, 0x4B, 5, 6] + [UInt8](repeating: 0x20, count: 30))
    let commented = URL(filePath: scratch.path("commented.zip"))
    try (bytes.dropLast(2) + [UInt8(comment.count), 0] + comment).write(to: commented)
    try succeed(
      "import", "\(commented.path)/shp/loc.shp", "--store", store, "--into", "Commented")
    bytes.removeLast(bytes.count / 2)
    try bytes.write(to: URL(filePath: scratch.path("cut.zip")))
    try fail(
      "import", scratch.path("cut.zip"), "--store", store, "--into", "U",
      saying: "it has no directory; get the file again")
  }

  @Test func `a folder stands for its files of one format`() throws {
    let folder = scratch.path("days")
    try FileManager.default.createDirectory(
      atPath: folder + "/second", withIntermediateDirectories: true)
    for (name, text) in [("a.csv", "n\n1\n"), ("second/b.csv", "n\n2\n3\n"), ("notes.md", "n")] {
      try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name)"))
    }
    let store = scratch.path("a.cadastre")
    try succeed("import", folder, "--store", store, "--into", "T")
    #expect(try succeed("query", store, "T", "--format", "count").stdout == "3\n")
    try Data("{}".utf8).write(to: URL(filePath: folder + "/c.geojson"))
    try fail(
      "import", folder, "--store", store, "--into", "U", saying: "several formats, csv, geojson")
  }

  // MARK: GDAL

  /// Writes objects with GDAL and reads them again.
  @Test(
    .enabled(if: GDALLibrary.version != nil, "GDAL is not installed"),
    arguments: [
      ("a.shp", ["a.dbf", "a.prj", "a.shp", "a.shx"]), ("a.gml", ["a.gml", "a.xsd"]),
    ])
  func `objects are written by GDAL and read again`(name: String, files: [String]) throws {
    let store = scratch.path("s.cadastre")
    let table = try scratch.csv("id,name,share,lon,lat\n1,Ann,0.5,2.5,48\n2,Bob,1.25,-70.125,-33\n")
    try succeed("import", table, "--store", store, "--into", "T")
    let before = Set(scratch.names)
    try succeed("export", store, "T", "--to", scratch.path(name))
    #expect(Set(scratch.names).subtracting(before).isSuperset(of: files))
    try fail("export", store, "T", "--to", scratch.path(name), saying: "exists already")
    try succeed("import", scratch.path(name), "--store", store, "--into", "U")
    func objects(_ className: String) throws -> String {
      try succeed(
        "query", store, className, "--select", "id,name,share,location", "--sort", "id", "--format",
        "csv"
      ).stdout
    }
    #expect(try objects("U") == objects("T"))
  }

  @Test(.enabled(if: GDALLibrary.version != nil, "GDAL is not installed"))
  func `exports in another reference system are read in degrees again`() throws {
    let store = scratch.path("s.cadastre")
    let table = try scratch.csv("id,lon,lat\n1,2.5,48\n2,-70.125,-33\n")
    try succeed("import", table, "--store", store, "--into", "T")
    for name in ["a.gpkg", "a.fgb", "a.geojson", "a.shp"] {
      try succeed("export", store, "T", "--to", scratch.path(name), "--crs", "EPSG:3857")
      let className = "C" + name.split(separator: ".")[1]
      try succeed("import", scratch.path(name), "--store", store, "--into", className)
      let points = try succeed(
        "query", store, className, "--select", "location", "--sort", "id", "--format", "csv"
      ).stdout.split(separator: "\n").dropFirst().map { line in
        line.split(separator: ",").compactMap { Double($0) }
      }
      for (found, expected) in zip(points, [[2.5, 48], [-70.125, -33]]) {
        #expect(zip(found, expected).allSatisfy { abs($0 - $1) < 1e-7 }, "\(name): \(points)")
      }
      #expect(points.count == 2)
    }
    try fail(
      "export", store, "T", "--to", scratch.path("b.csv"), "--crs", "EPSG:3857",
      saying: "no other reference system than WGS 84")
    // GDAL would take a system of heights, and leave the coordinates as they are.
    try fail(
      "export", store, "T", "--to", scratch.path("b.gpkg"), "--crs", "EPSG:5773",
      saying: "neither a geographic nor a projected system")
    #expect(!scratch.names.contains("b.gpkg"))
  }

  @Test(.enabled(if: GDALLibrary.version != nil, "GDAL is not installed"))
  func `areas across ±180° are divided in formats of the plane`() throws {
    let store = scratch.path("s.cadastre")
    let areas = try scratch.csv(
      "id,geometry\n1,\"POLYGON((179 -1,-179 -1,-179 1,179 1,179 -1))\"\n"
        + "2,\"POLYGON((0 0,1 0,1 1,0 0))\"\n", "areas.csv")
    try succeed("import", areas, "--store", store, "--into", "A")
    try succeed("export", store, "A", "--to", scratch.path("B.gpkg"), "--crs", "EPSG:3857")
    try succeed("export", store, "A", "--to", scratch.path("C.gpkg"))
    try succeed("export", store, "A", "--to", scratch.path("D.fgb"))
    for file in ["B.gpkg", "C.gpkg", "D.fgb"] {
      try succeed(
        "import", scratch.path(file), "--store", store, "--into", String(file.prefix(1)))
    }
    func rows(_ name: String) throws -> [[String]] {
      try succeed(
        "query", store, name, "--select", "id,geometry.area,geometry.positionCount", "--sort", "id",
        "--format", "csv"
      ).stdout.split(separator: "\n").dropFirst().map {
        $0.split(separator: ",").map(String.init)
      }
    }
    let before = try rows("A")
    for after in [try rows("B"), try rows("C"), try rows("D")] {
      // Two parts with five positions each.
      #expect(before.map(\.[2]) == ["5", "4"] && after.map(\.[2]) == ["10", "4"], "\(after)")
      for (first, second) in zip(before, after) {
        let (area, other) = (Double(first[1]) ?? 0, Double(second[1]) ?? -1)
        #expect(abs(area - other) < 1e-6 * area, "\(before), \(after)")
      }
    }
  }

  @Test(.enabled(if: GDALLibrary.version != nil, "GDAL is not installed"))
  func `shapefiles have the type of all geometries, and all letters`() throws {
    let store = scratch.path("s.cadastre")
    let ring = "[[0,0],[4,0],[4,4],[0,0]]"
    for (name, geometries, type) in [
      ("a", ["null", #"{"type":"Polygon","coordinates":[\#(ring)]}"#], "POLYGON"),
      ("b", ["null", #"{"type":"MultiPolygon","coordinates":[[\#(ring)]]}"#], "POLYGON"),
      ("c", ["null", #"{"type":"LineString","coordinates":\#(ring)}"#], "LINESTRING"),
      (
        "d",
        [
          #"{"type":"Point","coordinates":[1,2]}"#,
          #"{"type":"MultiPoint","coordinates":[[1,2],[3,4]]}"#,
        ],
        "MULTIPOINT"
      ),
    ] {
      let features = geometries.map {
        #"{"type":"Feature","properties":{"name":"Москва 東京 Łódź"},"geometry":\#($0)}"#
      }
      let file = try scratch.csv(features.joined(separator: "\n") + "\n", name + ".geojsonl")
      try succeed("import", file, "--store", store, "--into", name)
      try succeed("export", store, name, "--to", scratch.path(name + ".shp"))
      try succeed("import", scratch.path(name + ".shp"), "--store", store, "--into", name + "2")
      let rows = try succeed(
        "query", store, name + "2", "--select", "name,geometry", "--format", "csv"
      ).stdout.split(separator: "\n").dropFirst()
      #expect(rows.allSatisfy { $0.hasPrefix("Москва 東京 Łódź,") }, "\(rows)")
      #expect(rows.last?.contains(type) == true, "\(rows)")
    }
    try fail(
      "export", store, "a", "--to", scratch.path("a.gdb"), saying: "gdb", status: 64)
  }

  @Test func `a layer of a format without layers is an error`() throws {
    let table = try scratch.csv("a,b\n1,2\n")
    try fail(
      "import", table, "--store", scratch.path("s.cadastre"), "--into", "T", "--layer", "nope",
      saying: "--layer applies to GeoPackages")
  }

  @Test(.enabled(if: GDALLibrary.version != nil, "GDAL is not installed"))
  func `spreadsheets have the geometry as text, which is their location`() throws {
    let store = scratch.path("s.cadastre")
    let table = try scratch.csv("id,name,lon,lat\n1,Ann,2.5,48\n2,Bob,-70.125,-33\n")
    try succeed("import", table, "--store", store, "--into", "T")
    for name in ["a.xlsx", "a.ods"] {
      try succeed("export", store, "T", "--to", scratch.path(name))
      let text = try succeed("inspect", scratch.path(name)).stdout
      #expect(text.contains("extent   -70.125, -33, 2.5, 48"), "\(text)")
    }
  }

  @Test func `layers that are not read are named`() throws {
    let outcome = try succeed(
      "import", "\(cases)/gpkg/attr.gpkg", "--store", scratch.path("s.cadastre"), "--into", "T")
    #expect(outcome.stderr.contains("only the layer 'pts' is read; --layer names another one: att"))
  }

  @Test func `a damaged file of GDAL is an error, not an empty import`() throws {
    guard GDALLibrary.version != nil else { return }
    let store = scratch.path("s.cadastre")
    try succeed(
      "import", try scratch.csv("id,lon,lat\n1,2,3\n2,3,4\n"), "--store", store, "--into", "T")
    try succeed("export", store, "T", "--to", scratch.path("a.gml"))
    let bytes = try scratch.bytes("a.gml")
    try bytes.prefix(bytes.count * 2 / 3).write(to: URL(filePath: scratch.path("cut.gml")))
    try fail("import", scratch.path("cut.gml"), "--store", store, "--into", "U", saying: "cut.gml")
  }

  @Test func `without GDAL its formats are refused with a way on`() throws {
    let file = try scratch.file("a.xlsx", "PK").path
    let outcome = try Program.run(
      ["import", file, "--store", scratch.path("s"), "--into", "T"],
      through: ["/usr/bin/env", "CADASTRE_GDAL_LIBRARY=/nonexistent"])
    expectSentence(
      outcome, ["GDAL of CADASTRE_GDAL_LIBRARY cannot be loaded", "GeoPackage or CSV"])
  }
}
