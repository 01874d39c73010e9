import CadastreModel
import CadastreStore
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreDatasets

/// The fields that a record of an upsert changes, and the fields that keep their values.
@Suite struct UpsertFieldTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private var store: String { folder.url.appendingPathComponent("s").path }

  @discardableResult
  private func run(
    _ name: String, _ text: String, _ change: (inout ImportSettings) -> Void = { _ in }
  ) throws -> ImportReport {
    var settings = ImportSettings(
      files: [try folder.file(name, text)], store: store, className: "T")
    change(&settings)
    return try Importer(settings).run()
  }

  /// Imports the first file, whose primary key is `id`.
  private func create(_ name: String, _ text: String) throws {
    try run(name, text) { $0.primaryKey = "id" }
  }

  @discardableResult
  private func upsert(
    _ name: String, _ text: String, _ change: (inout ImportSettings) -> Void = { _ in }
  ) throws -> ImportReport {
    try run(name, text) {
      $0.keyPolicy = .update
      change(&$0)
    }
  }

  /// The message of an upsert that fails.
  private func message(
    _ name: String, _ text: String, _ change: (inout ImportSettings) -> Void = { _ in }
  ) throws -> String {
    do {
      try upsert(name, text, change)
      return ""
    } catch {
      return "\(error)"
    }
  }

  private func objects() throws -> [String] {
    let snapshot = try OpenStores.store(at: store).snapshot()
    #expect(try StoreCheck(snapshot).problems().isEmpty)
    let query = try StoreQuery(snapshot, className: "T")
    return try query.keys().compactMap {
      try query.record($0).map { FieldText.json(.record($0)) }
    }
  }

  @Test func `a record keeps the members that it does not name`() throws {
    try create(
      "a.ndjson",
      #"{"id":1,"a":1,"tags":["x"],"o":{"k":1,"l":2}}"# + "\n"
        + #"{"id":2,"a":2,"tags":["y"],"o":{"k":3,"l":4}}"#)
    // The class requires "a", but only a new record needs a value of it.
    let text =
      #"{"id":1,"tags":[]}"# + "\n" + #"{"id":2,"o":{"k":5,"l":6}}"# + "\n" + #"{"id":1,"a":7}"#
    let report = try upsert("b.ndjson", text)
    #expect((report.updated, report.unchanged) == (3, 0))
    let expected = [
      #"{"id":1,"a":7,"tags":[],"o":{"k":1,"l":2}}"#,
      #"{"id":2,"a":2,"tags":["y"],"o":{"k":5,"l":6}}"#,
    ]
    #expect(try objects() == expected)
    let again = try upsert("b.ndjson", text)
    #expect((again.updated, again.unchanged) == (0, 3))
    // Null is a value.
    #expect(
      try upsert("c.ndjson", #"{"id":1,"o":null,"tags":null}"#).updated == 1)
    #expect(try objects() == [#"{"id":1,"a":7,"tags":[],"o":null}"#, expected[1]])
    #expect(
      try message("d.ndjson", #"{"id":2,"a":null}"#).contains("line 1: 'a' is missing or null"))
    #expect(try message("d.ndjson", #"{"a":3}"#).contains("'id' is missing"))
  }

  @Test func `a Feature keeps its geometry without the member, and null removes it`() throws {
    let point = #"{"type":"Point","coordinates":[1.5,2.5,3.5]}"#
    try create(
      "a.geojsonl",
      #"{"type":"Feature","properties":{"id":1,"n":1},"geometry":\#(point)}"# + "\n"
        + #"{"type":"Feature","properties":{"id":2,"n":2},"geometry":\#(point)}"#)
    let kept = #"{"type":"Feature","properties":{"id":1,"n":3}}"#
    let removed = #"{"type":"Feature","properties":{"id":2},"geometry":null}"#
    #expect(try upsert("b.geojsonl", kept + "\n" + removed).updated == 2)
    let expected = [
      #"{"id":1,"n":3,"location":\#(point)}"#, #"{"id":2,"n":2,"location":null}"#,
    ]
    #expect(try objects() == expected)
    #expect(try upsert("b.geojsonl", kept + "\n" + removed).unchanged == 2)
    #expect(try upsert("c.geojsonl", kept).unchanged == 1)
    #expect(try objects() == expected)
  }

  @Test func `null geometries fit a class without a geometry`() throws {
    try create("a.csv", "id,n\n1,1\n")
    let text = #"{"type":"Feature","properties":{"id":1,"n":2},"geometry":null}"#
    #expect(try upsert("b.geojsonl", text).updated == 1)
    #expect(try objects() == [#"{"id":1,"n":2}"#])
  }

  @Test func `columns of degrees keep the altitude, and empty ones remove the point`() throws {
    let features = [1, 2].map { id in
      #"{"type":"Feature","properties":{"id":\#(id)},"#
        + #""geometry":{"type":"Point","coordinates":[1.5,2.5,3.5]}}"#
    }
    try create("a.geojsonl", features.joined(separator: "\n"))
    try upsert("b.csv", "id,lat,lon\n1,2.25,1.25\n2,,\n")
    let moved = #"{"id":1,"location":{"type":"Point","coordinates":[1.25,2.25,3.5]}}"#
    #expect(try objects() == [moved, #"{"id":2,"location":null}"#])
    // A point that was removed has no altitude when it returns.
    try upsert("c.csv", "id,lat,lon\n2,2.25,1.25\n")
    #expect(
      try objects()[1] == #"{"id":2,"location":{"type":"Point","coordinates":[1.25,2.25]}}"#)
  }

  @Test func `an empty column clears a list, an object and a point`() throws {
    let geometry = #""geometry":{"type":"Point","coordinates":[1,2]}"#
    try create(
      "a.geojsonl",
      #"{"type":"Feature","properties":{"id":1,"tags":["x"],"o":{"k":1},"n":5},\#(geometry)}"#)
    for column in ["tags", "o", "location"] {
      #expect(try upsert("b.csv", "id,\(column)\n1,\n").updated == 1)
      #expect(try upsert("b.csv", "id,\(column)\n1,\n").unchanged == 1)
    }
    #expect(try objects() == [#"{"id":1,"tags":[],"o":null,"n":5,"location":null}"#])
  }

  @Test func `columns with the names of properties are these properties`() throws {
    let geometry = #""geometry":{"type":"Point","coordinates":[1,2]}"#
    try create(
      "a.geojsonl",
      #"{"type":"Feature","properties":{"id":1,"lat":0.5,"lon":1.5},\#(geometry)}"#)
    try upsert("b.csv", "id,lat,lon\n1,3.5,4.5\n")
    let location = #""location":{"type":"Point","coordinates":[1,2]}"#
    #expect(try objects() == [#"{"id":1,"lat":3.5,"lon":4.5,\#(location)}"#])
  }

  @Test func `a new object needs the required properties, which a changed class does not`() throws {
    try create("a.csv", "id,name,n\n1,a,1\n")
    let text = "id,n\n1,2\n2,3\n"
    #expect(
      try message("b.csv", text).contains(
        "line 3: 'name' is missing; expected a string, which is required"))
    #expect(try objects() == [#"{"id":1,"name":"a","n":1}"#])
    let lenient = try upsert("b.csv", text) { $0.maximumRejects = 1 }
    #expect((lenient.updated, lenient.rejects.map(\.line)) == (1, [3]))
    #expect(try upsert("c.csv", "id,n\n1,2\n") { $0.altersClass = true }.alterations == [])
    let altered = try upsert("b.csv", text) { $0.altersClass = true }
    #expect(altered.alterations == ["T.name is optional"])
    #expect((altered.inserted, altered.unchanged) == (1, 1))
    #expect(try objects() == [#"{"id":1,"name":"a","n":2}"#, #"{"id":2,"name":null,"n":3}"#])
  }

  @Test func `selected fields of GeoJSON are the only ones`() throws {
    let features = { (name: String, x: Int) in
      #"{"type":"Feature","properties":{"id":1,"name":"\#(name)","n":\#(x)},"#
        + #""geometry":{"type":"LineString","coordinates":[[0.5,0.5],[\#(x).5,1.5]]}}"#
    }
    try create("a.geojsonl", features("a", 1))
    let report = try upsert("b.geojsonl", features("b", 2)) { $0.columns = ["id", "n"] }
    #expect(report.fields.map(\.name) == ["id", "n"])
    let first = #""geometry":{"type":"LineString","coordinates":[[0.5,0.5],[1.5,1.5]]}"#
    #expect(try objects() == [#"{"id":1,"name":"a","n":2,\#(first)}"#])
    try upsert("b.geojsonl", features("b", 2)) { $0.columns = ["id", "geometry"] }
    #expect(
      try objects() == [
        #"{"id":1,"name":"a","n":2,\#(first.replacing("[1.5,1.5]", with: "[2.5,1.5]"))}"#
      ])
    #expect(
      try message("b.geojsonl", features("b", 2)) { $0.columns = ["id", "q"] }
        == "--columns: there is no column 'q'; the records have id, name, n, geometry")
  }

  @Test func `a rejected record leaves its object as it is`() throws {
    let line = { (id: Int, ring: String) in
      #"{"type":"Feature","properties":{"id":\#(id),"n":\#(ring.count)},"#
        + #""geometry":{"type":"Polygon","coordinates":[[\#(ring)]]}}"#
    }
    let valid = "[0,0],[1,0],[1,1],[0,0]"
    try create("a.geojsonl", line(1, valid) + "\n" + line(2, valid))
    let before = try objects()
    // The ring crosses itself.
    let report = try upsert("b.geojsonl", line(1, "[0,0],[2,2],[2,0],[0,2],[0,0]")) {
      $0.maximumRejects = 1
    }
    #expect((report.updated, report.rejects.count) == (0, 1))
    #expect(try objects() == before)
  }

  @Test func `a version that a record does not name is not compared`() throws {
    try create("a.ndjson", #"{"id":1,"v":1,"n":1}"# + "\n" + #"{"id":2,"v":1,"n":1}"#)
    let text = #"{"id":1,"n":2}"# + "\n" + #"{"id":2,"v":1,"n":2}"#
    let report = try upsert("b.ndjson", text) { $0.versionField = "v" }
    #expect((report.updated, report.unchanged) == (1, 1))
    #expect(try objects() == [#"{"id":1,"v":1,"n":2}"#, #"{"id":2,"v":1,"n":1}"#])
  }

  @Test func `a second import of GPX updates lines`() throws {
    let gpx = { (x: Int, description: String) in
      "<gpx version=\"1.1\" xmlns=\"http://www.topografix.com/GPX/1/1\"><trk><name>a</name>"
        + "\(description)<trkseg><trkpt lat=\"1.5\" lon=\"\(x).5\"/><trkpt lat=\"2\" lon=\"3\"/>"
        + "</trkseg></trk></gpx>"
    }
    try run("a.gpx", gpx(1, "<desc>d</desc>")) { $0.primaryKey = "name" }
    #expect(try upsert("b.gpx", gpx(2, "")).updated == 1)
    #expect(try upsert("b.gpx", gpx(2, "")).unchanged == 1)
    let object = try #require(try objects().first)
    #expect(object.contains(#""desc":"d""#) && object.contains("[2.5,1.5]"))
  }

  @Test(.enabled(if: GDAL.isInstalled))
  func `a table of attributes without shapes keeps geometries`() throws {
    try create("a.csv", "id,n,lat,lon\n1,1,2,3\n2,2,4,5\n")
    let table = try folder.file("b.csv", "id,n,x,y\n1,7,100,200\n")
    for file in ["b.dbf", "b.gpkg"].map({ folder.url.appendingPathComponent($0).path }) {
      _ = try GDAL.run("ogr2ogr", file, table, "-oo", "AUTODETECT_TYPE=YES")
      var settings = ImportSettings(files: [file], store: store, className: "T")
      settings.keyPolicy = .update
      settings.columns = ["id", "n"]
      let report = try Importer(settings).run()
      #expect((report.updated, report.unchanged) == (file.hasSuffix("dbf") ? (1, 0) : (0, 1)))
      // Columns of such files are no coordinates.
      settings.columns = nil
      settings.className = file.hasSuffix("dbf") ? "Dbf" : "Gpkg"
      settings.keyPolicy = .fail
      #expect(try Importer(settings).run().schemaText.contains("x: int"))
    }
    #expect(try objects()[0].hasPrefix(#"{"id":1,"n":7,"location":{"#))
  }
}
