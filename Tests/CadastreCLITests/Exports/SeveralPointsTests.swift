import Foundation
import Testing
import TestingSupport

/// Exports of objects with several points, of which a feature can have only one as its geometry.
@Suite struct SeveralPointsTests {
  private let scratch: Scratch
  private let store: String

  init() throws {
    scratch = try Scratch()
    store = scratch.path("a")
    try scratch.file(
      "trips.ndjson",
      """
      {"id":1,"name":"one","trip":{"start":{"type":"Point","coordinates":[1.5,2.5]},"end":{"type":"Point","coordinates":[3.5,4.5,5]}}}
      {"id":2,"name":"two","trip":{"start":null,"end":{"type":"Point","coordinates":[-3.5,-4.5]}}}
      {"id":3,"name":"three","trip":null}

      """)
    try succeed(
      "import", scratch.path("trips.ndjson"), "--store", store, "--into", "Trip", "--pk", "id")
  }

  private func export(_ name: String, _ options: String...) throws -> String {
    let arguments = ["export", store, "Trip", "--to", scratch.path(name), "--quiet"] + options
    let outcome = try Program.run(arguments)
    #expect(outcome.status == 0, "\(outcome.stderr)")
    return String(decoding: try scratch.bytes(name), as: UTF8.self)
  }

  @Test func `the first point is the geometry, and the others are properties`() throws {
    #expect(
      try export("a.geojsonl", "--sort", "id") == """
        {"type":"Feature","id":1,"geometry":{"type":"Point","coordinates":[1.5,2.5]},"properties":{"id":1,"name":"one","trip":{"end":{"type":"Point","coordinates":[3.5,4.5,5]}}}}
        {"type":"Feature","id":2,"geometry":null,"properties":{"id":2,"name":"two","trip":{"end":{"type":"Point","coordinates":[-3.5,-4.5]}}}}
        {"type":"Feature","id":3,"geometry":null,"properties":{"id":3,"name":"three","trip":null}}

        """)
  }

  @Test func `the geometry may be selected, or is that of the class`() throws {
    #expect(
      try export("a.geojsonl", "--select", "trip.end,id", "--limit", "1", "--sort", "id") == """
        {"type":"Feature","id":1,"geometry":{"type":"Point","coordinates":[3.5,4.5,5]},"properties":{"id":1}}

        """)
    let text = try export("b.geojsonl", "--select", "name", "--limit", "1", "--sort", "id")
    #expect(text.contains(#""coordinates":[1.5,2.5]}"#))
  }

  @Test func `KML and CSV have all points`() throws {
    let placemarks = try export("a.kml", "--sort", "id").split(separator: "\n")
      .filter { $0.hasPrefix("<Placemark>") }
    #expect(placemarks.count == 3)
    #expect(placemarks[0].contains("<Point><coordinates>1.5,2.5</coordinates></Point>"))
    #expect(placemarks[0].contains("&quot;coordinates&quot;:[3.5,4.5,5]"))
    #expect(placemarks[1].contains("[-3.5,-4.5]") && !placemarks[1].contains("<Point>"))
    let lines = try export("a.csv", "--sort", "id").split(separator: "\n")
    #expect(lines[0].contains("trip.end.longitude,trip.end.latitude"))
    #expect(lines[1].contains("1.5,2.5") && lines[1].contains("3.5,4.5"))
  }

  @Test(arguments: ["gpkg", "fgb", "parquet"])
  func `binary formats keep all points`(format: String) throws {
    _ = try export("a.\(format)", "--sort", "id")
    let copy = scratch.path("copy")
    try succeed(
      "import", scratch.path("a.\(format)"), "--store", copy, "--into", "Trip", "--pk", "id")
    let rows = try succeed("query", copy, "Trip", "--sort", "id", "--format", "ndjson").lines
    #expect(rows.count == 3)
    if format == "parquet" {
      // Points in structures are well-known binary.
      #expect(rows[0].contains("\"trip\":{"))
    } else {
      #expect(rows[0].contains(#"{"type":"Point","coordinates":[1.5,2.5]}"#))
      #expect(rows[0].contains(#"[3.5,4.5,5]"#) && rows[1].contains(#"[-3.5,-4.5]"#))
    }
  }
}
