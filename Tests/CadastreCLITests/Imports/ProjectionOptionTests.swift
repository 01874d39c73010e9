import Foundation
import Testing

/// The option `--crs` with and without the library PROJ.
@Suite struct ProjectionOptionTests {
  @Test func `without PROJ files in other systems are refused and the store is unchanged`() throws {
    let scratch = try Scratch()
    let fixtures = repository.appendingPathComponent("Tests/CadastreDatasetsTests/Fixtures/shapes")
    let table = try scratch.csv("x,y\n1,2\n")
    let feature = #""features":[{"type":"Feature","properties":{},"geometry":null}]"#
    try scratch.file(
      "a.geojson",
      #"{"type":"FeatureCollection","crs":{"type":"name","properties":{"name":"EPSG:3857"}},"#
        + feature + "}")
    func run(_ arguments: String...) throws -> Outcome {
      try Program.run(
        ["import"] + arguments + ["--store", scratch.path("s"), "--into", "T"],
        through: ["/usr/bin/env", "CADASTRE_PROJ_LIBRARY=/nonexistent"])
    }

    for name in ["utm.shp", "utm.gpkg"] {
      expectSentence(
        try run(fixtures.appendingPathComponent(name).path),
        ["expected longitude and latitude in WGS 84", "PROJ", "ogr2ogr -t_srs EPSG:4326"])
    }
    expectSentence(try run(scratch.path("a.geojson")), ["'EPSG:3857'", "Install the library PROJ"])
    expectSentence(try run(table, "--crs", "EPSG:3857"), ["PROJ is not installed"])
    expectSentence(
      try run(fixtures.appendingPathComponent("points.shp").path, "--crs", "EPSG:3857"),
      ["PROJ is not installed"])
    #expect(!FileManager.default.fileExists(atPath: scratch.path("s")))
    #expect(try run(table, "--crs", "EPSG:4326").status == 0)
  }
}
