import CadastreGeometry
import CadastreModel
import CadastrePredicate
import Foundation
import Testing

@testable import CadastreDatasets

/// Imports of Parquet and FlatGeobuf files.
@Suite struct ColumnarImportTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private static let fixtures = repository.appending(
    path: "Tests/CadastreColumnarTests/Fixtures")

  private func path(_ name: String) -> String { folder.url.appendingPathComponent(name).path }

  @discardableResult
  private func run(
    _ files: [String], store: String = "s", _ change: (inout ImportSettings) -> Void = { _ in }
  ) throws -> ImportReport {
    var settings = ImportSettings(files: files, store: path(store), className: "T")
    change(&settings)
    return try Importer(settings).run()
  }

  private func runFixture(
    _ name: String, store: String = "s", _ change: (inout ImportSettings) -> Void = { _ in }
  ) throws -> ImportReport {
    try run([Self.fixtures.appending(path: name).path], store: store, change)
  }

  /// Returns the objects as JSON, sorted.
  private func objects(_ store: String = "s") throws -> [String] {
    let query = try StoreQuery(store: path(store), className: "T", predicate: nil)
    return try query.keys().compactMap {
      try query.record($0).map { FieldText.json(.record($0)) }
    }.sorted()
  }

  /// Writes all objects of a store as a Parquet file.
  private func export(_ store: String, _ name: String, groupRows: Int = 100) throws {
    let query = try StoreQuery(store: path(store), className: "T", predicate: nil)
    var bytes: [UInt8] = []
    let keys = try query.inHilbertOrder(try query.keys())
    _ = try query.columnarOutput(nil).write(query, keys, groupRows: groupRows) { bytes += $0 }
    let url = URL(filePath: path(name))
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url)
  }

  @Test(arguments: [
    "gdal_point_idx.fgb", "../../CadastreDatasetsTests/Fixtures/shapes/places.gpkg",
  ])
  func `columns cannot name the location of records that have one`(name: String) throws {
    let error = #expect(throws: ImportError.self) {
      try runFixture(name) { $0.wktColumn = "name" }
    }
    #expect(error?.description.hasPrefix("--wkt: the records have points of their own") == true)
  }

  /// A file of geopandas 1.2 with the points `geometry`, the polygons `border` in WGS 84 and the lines `course` in
  /// EPSG:3857.
  @Test func `further geometry columns in WGS 84 are geometries`() throws {
    let report = try runFixture(
      "../../CadastreDatasetsTests/Fixtures/shapes/several.parquet"
    )
    #expect(report.inserted == 3)
    let objects = try objects()
    let border = #""border":{"type":"Polygon","coordinates":[[[1,0],[1,1],[0,1],[0,0],[1,0]]]}"#
    #expect(objects[0].replacing(".0", with: "").contains(border), "\(objects[0])")
    #expect(objects[1].contains(#""border":null"#))
    #expect(objects[0].contains(#""type":"Point""#) && objects[0].contains(#""course":"AQ"#))
    // Our own files declare them too.
    try export("s", "again.parquet")
    try run([path("again.parquet")], store: "second")
    let again = try self.objects("second")
    #expect(again.map { $0.contains(#""location":{"type":"Point""#) } == [true, true, true])
    #expect(
      again[0].replacing(".0", with: "").contains(border.replacing("border", with: "geometry")))
  }

  /// A sequence of features on a grid.
  private func grid() throws -> String {
    let lines = (0..<2000).map { n in
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[\#(n % 50),\#(n / 50)]},"#
        + #""properties":{"n":\#(n),"name":"place \#(n)","tags":["a",\#(n % 3 == 0 ? "\"b\"" : "\"c\"")],"#
        + #""address":\#(n % 5 == 0 ? "null" : #"{"zip":\#(n),"city":"C"}"#),"#
        + #""parts":[{"k":\#(n)},{"k":null}],"day":"2024-01-02T03:04:05Z","x":\#(n % 7 == 0 ? "null" : "0.5")}}"#
    }
    return try folder.file("grid.ndjson", lines.joined(separator: "\n"))
  }

  @Test func `an exported store is imported with the same objects`() throws {
    try run([try grid()], store: "first")
    try export("first", "grid.parquet")
    let report = try run([path("grid.parquet")])

    #expect(report.inserted == 2000)
    #expect(try objects() == objects("first"))
  }

  @Test(arguments: [
    "n >= 700 AND n < 750", "n == 3", "x == 0.5 AND n BETWEEN {5, 20}", "name == 'place 77'",
    "n < 100 OR n > 1900", "NOT n < 1990", "address.zip == 3", "n > 99.5",
  ])
  func `a condition selects the same objects with and without statistics`(
    predicate: String
  ) throws {
    let source = try grid()
    try run([source], store: "first")
    try export("first", "grid.parquet")
    let parsed = try QueryPredicate(parsing: predicate)
    try run([source], store: "expected") { $0.predicate = parsed }
    try run([path("grid.parquet")]) { $0.predicate = parsed }

    #expect(try objects() == objects("expected"))
    #expect(try !objects().isEmpty)
  }

  @Test(arguments: ["3,3,6.5,9", "40,0,2,40", "-10,-10,-5,-5", "0,0,50,50"])
  func `a box selects the same objects with and without statistics`(text: String) throws {
    let source = try grid()
    try run([source], store: "first")
    try export("first", "grid.parquet")
    let box = BoundingBox(text)
    try run([source], store: "expected") { $0.bounds = box }
    let report = try run([path("grid.parquet")]) { $0.bounds = box }

    #expect(try objects() == objects("expected"))
    if text != "0,0,50,50" { #expect(report.read < 2000) }
  }

  @Test func `a file with great-circle edges says so`() throws {
    let planar = try Data(contentsOf: Self.fixtures.appending(path: "gpd_wkb_polygon.parquet"))
    let types = Array(#""geometry_types": ["Polygon"]"#.utf8)
    let start = try #require(planar.firstRange(of: types)?.lowerBound)
    // The text keeps its length, so the footer stays valid.
    let edges = Array(#""edges":"spherical""#.utf8)
    var spherical = planar
    spherical.replaceSubrange(
      start..<start + types.count,
      with: edges + repeatElement(UInt8(ascii: " "), count: types.count - edges.count))
    for (name, bytes, expected) in [("planar", planar, false), ("spherical", spherical, true)] {
      let report = try run([try folder.file("\(name).parquet", bytes)], store: name)
      #expect(report.notices.contains { $0.contains("great circles") } == expected, "\(name)")
    }
  }

  @Test func `the files of a folder have the columns of their paths`() throws {
    try run([try grid()], store: "first") { $0.limit = 10 }
    try export("first", "set/country=FR/year=2024/part-0.parquet")
    try export("first", "set/country=D%20E/year=2025/part-0.parquet")
    try export("first", "set/_temporary/part-0.parquet")
    let report = try run([path("set")])

    #expect(report.inserted == 20)
    let query = try StoreQuery(
      store: path("s"), className: "T", predicate: "country == 'D E' AND year == 2025")
    #expect(try query.count() == 10)
    try FileManager.default.createDirectory(
      atPath: path("empty"), withIntermediateDirectories: false)
    #expect(throws: DatasetError.self) { try run([path("empty")]) }
  }

  @Test func `selected columns are the only ones`() throws {
    try run([try grid()], store: "first")
    try export("first", "grid.parquet")
    let report = try run([path("grid.parquet")]) { $0.columns = ["geometry", "n"] }

    #expect(report.fields.map(\.name) == ["n"])
    #expect(try objects().first?.contains("coordinates") == true)
  }

  @Test func `points of other writers become locations`() throws {
    for name in [
      "gpd_wkb_point", "gpd_native_point", "duck_geo_V1", "duck_geo_BOTH", "duck_geo_V2",
    ] {
      let report = try runFixture("\(name).parquet", store: name)
      #expect(report.inserted == report.read)
      #expect(try objects(name).contains { $0.contains("coordinates") })
    }
    #expect(try runFixture("gdal_point300_idx.fgb", store: "fgb").inserted == 260)
    #expect(
      try runFixture("gdal_point300_idx.fgb", store: "box") {
        $0.bounds = BoundingBox("-20,-20,20,20")
      }.read < 260)
  }

  @Test func `lines and polygons of other writers become geometries`() throws {
    for (name, type) in [
      ("gpd_wkb_line.parquet", "LINESTRING"), ("gdal_polygon_idx.fgb", "POLYGON"),
      ("gpd_native_multipolygon.parquet", "MULTIPOLYGON"), ("gpd_wkb_mixed.parquet", "POINT"),
      ("gdal_mixed_idx.fgb", "POINT"),
    ] {
      let report = try runFixture(name, store: name) { $0.invalidShapes = .keep }
      #expect(report.inserted == report.read)
      let query = try StoreQuery(store: path(name), className: "T", predicate: nil)
      let texts = try query.keys().compactMap { try query.record($0)?.geometry?.wkt }
      #expect(texts.contains { $0.hasPrefix(type) }, "\(name)")
      if type != "POINT" { #expect(texts.allSatisfy { $0.hasPrefix(type) }) }
    }
  }

  private static let countries = repository.appending(
    path: "Datasets/naturalearth/countries.geojson"
  ).path

  /// Writes all objects of a store as a FlatGeobuf file.
  private func exportLayer(_ store: String, _ name: String) throws {
    let query = try StoreQuery(store: path(store), className: "T", predicate: nil)
    let file = try OutputFile(path: path(name), OutputRules(replacing: .all))
    let columns = try query.columns(nil)
    _ = try FlatGeobufOutput(query, columns, name: "T").write(try query.keys(), to: file)
  }

  @Test(arguments: ["countries.parquet", "countries.fgb"])
  func `countries are read as they were written`(name: String) throws {
    let source = try run([Self.countries], store: "first") { $0.invalidShapes = .keep }
    #expect(source.inserted == 177)
    if name.hasSuffix("fgb") {
      try exportLayer("first", name)
    } else {
      try export("first", name, groupRows: 10)
    }
    let report = try run([path(name)]) { $0.invalidShapes = .keep }
    #expect(report.inserted == 177)
    #expect(try objects() == objects("first"))
    for text in ["5,45,11,48", "170,-50,-170,75"] {
      let box = BoundingBox(text)
      for (store, file) in [("expected" + text, Self.countries), ("found" + text, path(name))] {
        let report = try run([file], store: store) {
          $0.bounds = box
          $0.invalidShapes = .keep
        }
        if store.hasPrefix("found") { #expect(report.read < 177) }
      }
      #expect(try objects("found" + text) == objects("expected" + text))
    }
  }

  /// Returns well-known text with an altitude of 0 for each position, except for a single point.
  private static func withZeros(_ text: String) -> String {
    guard !text.contains(" Z"), !text.hasPrefix("POINT") else { return text }
    return text.replacing(/-?[0-9.]+ -?[0-9.]+/) { "\($0.output) 0" }
      .replacing(/[A-Z]+(?= \()/) { "\($0.output) Z" }
  }

  @Test(arguments: ["shapes.parquet", "shapes.fgb"])
  func `geometries of all types are read as they were written`(name: String) throws {
    let texts = [
      "POINT (1 2)", "POINT Z (1 2 -3)", "LINESTRING (0 0, 1 1, 2 0.1)",
      "LINESTRING Z (0 0 1, 1 1 2)", "POLYGON ((0 0, 9 0, 9 9, 0 0), (4 2, 6 2, 6 3, 4 2))",
      "MULTIPOINT (1 1, -2 2)", "MULTILINESTRING ((0 0, 1 1), (5 5, 6 6, 7 5))",
      "MULTILINESTRING ((0 0, 1 1))", "MULTIPOLYGON (((0 0, 1 0, 1 1, 0 0)))",
      "MULTIPOLYGON (((0 0, 9 0, 9 9, 0 0), (4 2, 6 2, 6 3, 4 2)), ((20 0, 21 0, 21 1, 20 0)))",
      "GEOMETRYCOLLECTION (POINT (1 2), POLYGON ((0 0, 1 0, 1 1, 0 0)))",
      "GEOMETRYCOLLECTION (GEOMETRYCOLLECTION (LINESTRING (3 3, 4 5)), MULTIPOINT (1 1, 2 2))",
    ]
    // All geometries of a layer of FlatGeobuf have altitudes, or none.
    let isLayer = name.hasSuffix("fgb")
    for hasNull in [false, true] {
      var features = try texts.enumerated().map { index, text in
        #"{"type":"Feature","geometry":\#(try Geometry(wkt: text).geoJSON),"#
          + #""properties":{"n":\#(index)}}"#
      }
      if hasNull {
        features.append(#"{"type":"Feature","geometry":null,"properties":{"n":-1}}"#)
      }
      let source = try folder.file("shapes\(hasNull).ndjson", features.joined(separator: "\n"))
      let (first, second) = ("first\(hasNull)", "second\(hasNull)")
      try run([source], store: first)
      let file = "\(hasNull)\(name)"
      if isLayer { try exportLayer(first, file) } else { try export(first, file) }
      try run([path(file)], store: second)
      #expect(try isLayer || objects(second) == objects(first))
      #expect(try objects(second).count == features.count)
      let query = try StoreQuery(store: path(second), className: "T", predicate: "n >= 0")
      let found = try query.keys().compactMap { try query.record($0)?.geometry }
      let expected = try texts.map { try Geometry(wkt: isLayer ? Self.withZeros($0) : $0) }
      #expect(Set(found) == Set(expected))
    }
  }

  @Test(arguments: ["bow.parquet", "bow.fgb"])
  func `invalid polygons are rejected, kept or repaired`(file: String) throws {
    let bowtie = "POLYGON ((0 0, 2 2, 2 0, 0 2, 0 0))"
    let line =
      #"{"type":"Feature","geometry":\#(try Geometry(wkt: bowtie).geoJSON),"properties":{"n":1}}"#
    try run([try folder.file("bow.ndjson", line)], store: "first") { $0.invalidShapes = .keep }
    if file.hasSuffix("fgb") { try exportLayer("first", file) } else { try export("first", file) }
    let rejected = try run([path(file)], store: "reject") { $0.maximumRejects = 1 }
    #expect(rejected.rejects.count == 1)
    try run([path(file)], store: "keep") { $0.invalidShapes = .keep }
    #expect(try objects("keep") == objects("first"))
    try run([path(file)], store: "repair") { $0.invalidShapes = .repair }
    #expect(try objects("repair") != objects("first"))
    #expect(try objects("repair").count == 1)
  }

  @Test func `other reference systems are converted by PROJ, or refused without it`() throws {
    guard CoordinateTransformation.libraryVersion == nil else {
      #expect(try runFixture("gpd_v100_3857.parquet").rejects.isEmpty)
      return
    }
    let error = #expect(throws: DatasetError.self) { try runFixture("gpd_v100_3857.parquet") }
    #expect(error?.description.contains("ogr2ogr -t_srs EPSG:4326") == true)
  }
}
