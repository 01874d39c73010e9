import CadastreDatasets
import Foundation
import Testing

/// Files as other programs write them, and words that a stranger types.
@Suite struct FoundFormsTests {
  private let scratch: Scratch
  private let store: String

  init() throws {
    scratch = try Scratch()
    store = scratch.path("a.cadastre")
  }

  private func rows(_ className: String, _ select: String, _ predicate: String? = nil) throws
    -> [String]
  {
    try succeed(
      ["query", store, className] + (predicate.map { [$0] } ?? [])
        + ["--select", select, "--format", "csv"]
    ).stdout.split(separator: "\n").dropFirst().map(String.init)
  }

  @Test func `a member of plain JSON is its geometry`() throws {
    let points = try scratch.csv(
      """
      {"name":"a","geometry":{"type":"Point","coordinates":[1,2]}}
      {"name":"b","geometry":null}

      """, "a.ndjson")
    try succeed("import", points, "--store", store, "--into", "P")
    #expect(try rows("P", "name,location.longitude") == ["a,1.0", "b,"])
    let shapes = try scratch.csv(
      #"[{"name":"a","geom":{"type":"LineString","coordinates":[[1,2],[3,4]]}}]"#, "b.json")
    try succeed("import", shapes, "--store", store, "--into", "L")
    #expect(try rows("L", "name,geometry") == ["a,\"LINESTRING (1.0 2.0, 3.0 4.0)\""])
  }

  @Test func `tables have geometries as PostGIS and GeoJSON write them`() throws {
    let table = try scratch.csv(
      """
      id,geom,hash
      1,0101000020E6100000000000000000F03F0000000000000040,0102030405060708090a
      2,0102000000020000000000000000000000000000000000000000000000000008400000000000001040,ff

      """)
    try succeed("import", table, "--store", store, "--into", "B")
    #expect(
      try rows("B", "id,geom,hash") == [
        "1,POINT (1.0 2.0),0102030405060708090a", "2,\"LINESTRING (0.0 0.0, 3.0 4.0)\",ff",
      ])
    let texts = try scratch.csv(
      "id,shape\n1,\"{\"\"type\"\":\"\"Point\"\",\"\"coordinates\"\":[1,2]}\"\n", "b.csv")
    try succeed("import", texts, "--store", store, "--into", "J")
    #expect(try rows("J", "shape") == ["POINT (1.0 2.0)"])
  }

  @Test func `a repeated header is left out`() throws {
    let joined = try scratch.csv("id,n\n1,a\nid,n\n2,b\n")
    let outcome = try succeed("import", joined, "--store", store, "--into", "T")
    #expect(outcome.stderr.contains("line 3 repeats the header"))
    #expect(try rows("T", "id,n") == ["1,a", "2,b"])
    // A table of one column may have the name as a value.
    let single = try scratch.csv("id\nx\nid\n", "b.csv")
    try succeed("import", single, "--store", store, "--into", "S")
    #expect(try rows("S", "id") == ["x", "id"])
  }

  @Test func `what would be wrong silently is refused`() throws {
    let table = try scratch.csv("lat,lon,v,w,n\n45,9,a,b,1\n")
    try fail(
      "import", table, "--store", store, "--into", "T", "--location", "lat,lon",
      saying: "--location lon,lat")
    try succeed("import", table, "--store", store, "--into", "T")
    #expect(try rows("T", "location.latitude") == ["45.0"])
    // Texts are not calculated.
    for word in ["v", "upper(v)"] {
      try fail("set", store, "T", "TRUEPREDICATE", "w=\(word)", saying: "'v' is a field")
    }
    try succeed("set", store, "T", "TRUEPREDICATE", "w=\"v\"")
    #expect(try rows("T", "w") == ["v"])
    try fail("join", store, "T", "T", "n == w", saying: "never equals")
    #expect(try rows("T", "n", "n BETWEEN 1 AND 2 AND v == 'a'") == ["1"])
    #expect(try rows("T", "n", "n NOT BETWEEN 1 AND 2").isEmpty)
  }

  @Test(.enabled(if: GDALLibrary.version != nil, "GDAL is not installed"))
  func `a shapefile has times as text`() throws {
    let table = try scratch.csv(
      "lon,lat,day,a long name of a time\n1,2,2024-05-06,2024-01-01T12:34:56Z\n")
    try succeed("import", table, "--store", store, "--into", "T")
    let outcome = try succeed("export", store, "T", "--to", scratch.path("t.shp"))
    #expect(outcome.stderr.contains("text in a Shapefile"), "\(outcome.stderr)")
    try succeed("import", scratch.path("t.shp"), "--store", store, "--into", "U")
    #expect(try rows("U", "day")[0].hasPrefix("2024-05-06"))
    #expect(try succeed("query", store, "U", "--format", "csv").stdout.contains("12:34:56"))
  }

  @Test(.enabled(if: GDALLibrary.version != nil, "GDAL is not installed"))
  func `spreadsheets have coordinates and geometries as tables have`() throws {
    let table = try scratch.csv("id,lon,lat,x\n1,2.5,48,700\n2,,,800\n")
    try succeed("import", table, "--store", store, "--into", "N", "--no-geometry")
    try succeed("export", store, "N", "--to", scratch.path("n.xlsx"))
    let sheet = scratch.path("n.xlsx")
    try succeed("import", sheet, "--store", store, "--into", "P")
    #expect(try rows("P", "id,location.longitude,x") == ["1,2.5,700", "2,,800"])
    try succeed("import", sheet, "--store", store, "--into", "L", "--location", "lon,lat")
    #expect(try rows("L", "id,location.latitude") == ["1,48.0", "2,"])
    try succeed("export", store, "P", "--to", scratch.path("p.xlsx"))
    try succeed("import", scratch.path("p.xlsx"), "--store", store, "--into", "Q")
    #expect(try rows("Q", "id,location.latitude") == ["1,48.0", "2,"])
    let areas = try scratch.csv("id,geometry\n1,\"POLYGON((0 0,1 0,1 1,0 0))\"\n", "b.csv")
    try succeed("import", areas, "--store", store, "--into", "A")
    try succeed("export", store, "A", "--to", scratch.path("a.xlsx"))
    try succeed("import", scratch.path("a.xlsx"), "--store", store, "--into", "B")
    #expect(try rows("B", "geometry") == rows("A", "geometry"))
    #expect(try succeed("schema", store).stdout.contains("geometry: geometry"))
  }
}
