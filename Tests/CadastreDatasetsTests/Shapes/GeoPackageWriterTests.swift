import CadastreGeometry
import CadastreModel
import CadastreSQLite
import CadastreStore
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreDatasets

@Suite struct GeoPackageWriterTests {
  private let folder: ScratchFolder
  private let path: String
  private let columns: [(name: String, type: PropertyType?)] = [
    ("name", .string), ("people", .int), ("share", .double), ("small", .float), ("open", .bool),
    ("day", .date), ("bytes", .data), ("id", .UUID), ("anything", nil),
  ]

  init() throws {
    folder = try ScratchFolder()
    path = folder.url.appendingPathComponent("it's \"out\".gpkg").path
  }

  private func values(_ number: Int, nanoseconds: Int64 = 123_456_789) throws -> [Value] {
    let day = Timestamp(seconds: Int64(number) * 86_399 - 1_000_000, nanoseconds: nanoseconds)
    let uuid = try #require(UUID(uuidString: "00000000-0000-4000-8000-00000000000A"))
    return [
      .string("Ort \(number) é"), .int(Int64(number)), .double(Double(number) / 3), .float(0.5),
      .bool(number % 2 == 0), .date(day), .data(Data([0, UInt8(number & 0xFF)])), .uuid(uuid),
      number % 2 == 0 ? .double(.nan) : .list([.int(1), .string("b")]),
    ]
  }

  private func writer(
    _ path: String? = nil, layer: String = "t", columns: [(name: String, type: PropertyType?)],
    replacing replacement: OutputRules.Replacement = .none
  ) throws -> GeoPackageWriter {
    let file = try OutputFile(path: path ?? self.path, OutputRules(replacing: replacement))
    let writer = try GeoPackageWriter(file)
    try writer.begin(layer: layer, columns: columns)
    return writer
  }

  private func write(
    _ count: Int, layer: String = "my \"layer\"",
    columns: [(name: String, type: PropertyType?)]? = nil, nanoseconds: Int64 = 123_456_789
  ) throws -> [GeoPoint?] {
    var numbers = SeededGenerator(seed: 11)
    let writer = try writer(layer: layer, columns: columns ?? self.columns)
    var points: [GeoPoint?] = []
    for number in 0..<count {
      let point =
        number % 7 == 3
        ? nil
        : GeoPoint(
          latitude: .random(in: -90...90, using: &numbers),
          longitude: .random(in: -180...180, using: &numbers),
          altitude: number % 2 == 0 ? 0 : 12.5)
      points.append(point)
      try writer.write(
        try values(number, nanoseconds: nanoseconds), geometry: point.map(Geometry.init))
    }
    try writer.finish()
    return points
  }

  @Test func `written rows are read back`() throws {
    let points = try write(300)
    let reading = try TypedReading(GeoPackageReader(path: path))

    #expect(reading.rowErrors == [])
    #expect(reading.fields.map(\.name) == ["fid"] + columns.map(\.name))
    #expect(
      reading.fields.map(\.type) == [
        .int, .string, .int, .double, .double, .bool, .date, .data, .string, .string,
      ])
    #expect(reading.rows.count == 300)
    for (number, row) in reading.rows.enumerated() {
      var expected = try values(number)
      expected[3] = .double(0.5)
      expected[7] = .string("00000000-0000-4000-8000-00000000000a")
      expected[8] = .string(number % 2 == 0 ? "nan" : "[1,\"b\"]")
      #expect(Array(row.values.dropFirst()) == expected)
      #expect(row.point == points[number].map(TypedPoint.init))
    }
  }

  @Test func `mixed values are exact texts`() throws {
    let writer = try writer(columns: [("mixed", .any)])
    let values: [Value] = [
      .double(0.1 + 0.2), .double(9_007_199_254_740_992), .double(-0.0), .float(0.1), .bool(true),
      .int(7), .null,
    ]
    for value in values { try writer.write([value], geometry: nil) }
    try writer.finish()
    let connection = try Connection.readingForeign(path, isImmutable: false)

    let texts =
      "SELECT group_concat(ifnull(mixed, 'null'), ' ') FROM (SELECT mixed FROM t ORDER BY fid)"
    #expect(
      try connection.text(texts) == "0.30000000000000004 9007199254740992.0 -0.0 0.1 true 7 null")
  }

  @Test func `tables, index and triggers follow the standard`() throws {
    let points = try write(2000).compactMap { $0 }
    let connection = try Connection.readingForeign(path, isImmutable: false)

    #expect(try connection.integer("PRAGMA application_id") == 0x4750_4B47)
    #expect(try connection.integer("PRAGMA user_version") == 10200)
    #expect(try connection.text("PRAGMA integrity_check") == "ok")
    #expect(try connection.integer("SELECT count(*) FROM pragma_foreign_key_check") == 0)
    #expect(
      try connection.text("SELECT group_concat(srs_id) FROM gpkg_spatial_ref_sys ORDER BY 1")
        == "-1,0,4326")
    #expect(
      try connection.text("SELECT table_name || data_type || srs_id FROM gpkg_contents")
        == "my \"layer\"features4326")
    #expect(
      try connection.text(
        "SELECT table_name || column_name || geometry_type_name || srs_id || z || m "
          + "FROM gpkg_geometry_columns") == "my \"layer\"geomPOINT432620")
    #expect(
      try connection.text("SELECT extension_name || scope FROM gpkg_extensions")
        == "gpkg_rtree_indexwrite-only")
    let sides = [
      points.map(\.longitude).min(), points.map(\.latitude).min(),
      points.map(\.longitude).max(), points.map(\.latitude).max(),
    ].map { Value.double($0 ?? 0) }
    #expect(
      try connection.integer(
        "SELECT count(*) FROM gpkg_contents WHERE min_x = ? AND min_y = ? AND max_x = ? "
          + "AND max_y = ?", sides[0], sides[1], sides[2], sides[3]) == 1)
    let tree = "\"rtree_my \"\"layer\"\"_geom\""
    #expect(try connection.text("SELECT rtreecheck('rtree_my \"layer\"_geom')") == "ok")
    #expect(try connection.integer("SELECT count(*) FROM \(tree)") == Int64(points.count))
    let east = points.filter { $0.longitude > 100 && $0.latitude > 10 }.count
    #expect(
      try connection.integer("SELECT count(*) FROM \(tree) WHERE minx > 100 AND miny > 10")
        == Int64(east))
    #expect(
      try connection.text(
        "SELECT group_concat(replace(name, 'rtree_my \"layer\"_geom_', '')) FROM "
          + "(SELECT name FROM sqlite_schema WHERE type = 'trigger' ORDER BY name)")
        == "delete,insert,update1,update2,update3,update4")
  }

  @Test func `repeated names get a numeric suffix`() throws {
    let columns: [(name: String, type: PropertyType?)] = [
      ("FID", .string), ("geom", .int), ("a", .double), ("A", .float), ("a_2", .bool),
    ]
    let schema = GeoPackageSchema(layer: "t", columns: columns, hasShapes: false)

    #expect(schema.columns == ["FID", "geom", "a", "A_3", "a_2"])
    #expect(schema.key == "fid_2")
    #expect(schema.geometry == "geom_2")
    let writer = try writer(columns: columns)
    try writer.write([.string("x"), .int(1), .double(-0.0), .null, .null], geometry: nil)
    try writer.finish()
    let row = try TypedReading(GeoPackageReader(path: path)).rows[0]
    #expect(row.values == [.int(1), .string("x"), .int(1), .double(0), .null, .null])
  }

  @Test func `an existing file is replaced only on request, and only by a complete file`() throws {
    let url = URL(fileURLWithPath: path)
    let names = { try FileManager.default.contentsOfDirectory(atPath: folder.url.path) }
    try Data("precious".utf8).write(to: url)

    #expect(throws: OutputError.self) { try writer(columns: []) }
    do {
      let writer = try writer(columns: [], replacing: .all)
      try writer.write([], geometry: nil)
    }
    #expect(try Data(contentsOf: url) == Data("precious".utf8))
    #expect(try names() == [url.lastPathComponent])

    try writer(columns: [], replacing: .all).finish()
    #expect(try TypedReading(GeoPackageReader(path: path)).rows == [])
    #expect(try names() == [url.lastPathComponent])

    let late = folder.url.appendingPathComponent("late.gpkg").path
    do {
      let second = try writer(late, columns: [])
      try Data("first".utf8).write(to: URL(fileURLWithPath: late))
      #expect(throws: OutputError.self) { try second.finish() }
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: late)) == Data("first".utf8))
    #expect(try names().count == 2)
  }

  @Test(.enabled(if: GDAL.isInstalled))
  func `GDAL opens the file without warnings, uses its index and edits it`() throws {
    // The standard and GDAL know milliseconds; GDAL warns about further digits, and reads the rest.
    let points = try write(200, layer: "orte", nanoseconds: 123_000_000)
    let info = try GDAL.run("ogrinfo", "-al", "-so", path)
    #expect(info.errors == "")
    #expect(info.output.contains("Feature Count: 200"))
    #expect(info.output.contains("Geometry Column = geom"))
    #expect(info.output.contains("day: DateTime (0.0)"))
    #expect(info.output.contains("open: Integer(Boolean) (0.0)"))
    #expect(info.output.contains("small: Real(Float32) (0.0)"))

    let east = points.compactMap { $0 }.filter { $0.longitude > 0 && $0.latitude > 0 }.count
    let window = try GDAL.run(
      "ogrinfo", "-al", "-so", path, "-spat", "0", "0", "180", "90")
    #expect(window.output.contains("Feature Count: \(east)"))

    let entries = points.compactMap { $0 }.count
    let edit = try GDAL.run("ogrinfo", path, "-sql", "UPDATE orte SET geom = NULL WHERE fid = 1")
    #expect(edit.errors == "")
    let connection = try Connection.readingForeign(path, isImmutable: false)
    #expect(
      try connection.integer("SELECT count(*) FROM rtree_orte_geom") == Int64(entries - 1))
    let copy = folder.url.appendingPathComponent("copy.gpkg").path
    let converted = try GDAL.run("ogr2ogr", copy, path)
    #expect(converted.errors == "")
    let reading = try TypedReading(GeoPackageReader(path: copy))
    #expect(reading.rows.count == 200)
    #expect(reading.rows[8].point == points[8].map(TypedPoint.init))
  }
}
