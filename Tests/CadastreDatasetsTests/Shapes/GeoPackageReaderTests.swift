import CadastreGeometry
import CadastreModel
import CadastreSQLite
import CadastreStore
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreDatasets

@Suite struct GeoPackageReaderTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// Copies a GeoPackage and runs SQL statements on the copy.
  private func changed(_ name: String = "places.gpkg", _ statements: String...) throws -> String {
    try changed(name, statements)
  }

  private func changed(_ name: String, _ statements: [String]) throws -> String {
    let path = try folder.file("t.gpkg", try ShapeFixture.bytes(name))
    let connection = try Connection.writingForeign(path)
    // The triggers of the index call SQL functions that only GDAL defines.
    for trigger in ["insert", "update1", "update2", "update3", "update4", "delete"] {
      try connection.run("DROP TRIGGER IF EXISTS rtree_places_geom_\(trigger)")
    }
    for statement in statements { try connection.run(statement) }
    return path
  }

  private func failure(_ path: String, layer: String? = nil) -> DatasetError? {
    TypedReading.failure { () throws(DatasetError) in
      try GeoPackageReader(path: path, layer: layer)
    }
  }

  private func problem(_ path: String, layer: String? = nil) -> GeoPackageProblem? {
    failure(path, layer: layer)?.problem.problem(of: GeoPackageProblem.self)
  }

  private func expectFeatures(_ reading: TypedReading, hasAltitude: Bool) throws {
    #expect(reading.rowErrors == [])
    let features = try ShapeFixture.features()
    #expect(reading.rows.count == features.count)
    for (row, feature) in zip(reading.rows, features) {
      let expected = reading.fields.map {
        // The oracle was written from a Shapefile, which cannot represent empty strings.
        $0.name == "fid"
          ? .int(Int64(row.number))
          : ShapeFixture.value(feature.properties[$0.name].map { $0 is NSNull ? "" : $0 }, $0.type)
      }
      #expect(row.values == expected)
      #expect(row.point.map { [$0.longitude, $0.latitude] } == feature.point)
      let height = expected.last?.doubleValue ?? 0
      let altitude = hasAltitude && height > 0 && row.point != nil ? height : nil
      #expect(row.point?.altitude == altitude)
    }
  }

  @Test func `the rows equal those that GDAL wrote`() throws {
    let reader = try GeoPackageReader(path: ShapeFixture.path("places.gpkg"))
    let reading = try TypedReading(reader)

    #expect(
      reading.fields == [
        TypedField(name: "fid", type: .int), TypedField(name: "name", type: .string),
        TypedField(name: "people", type: .int), TypedField(name: "share", type: .double),
        TypedField(name: "founded", type: .date, isDay: true),
        TypedField(name: "note", type: .string),
        TypedField(name: "height", type: .double),
      ])
    try expectFeatures(reading, hasAltitude: true)
    #expect(reader.progressBytes == reader.totalBytes)
  }

  @Test func `a gzipped GeoPackage is decompressed and leaves no file`() throws {
    let packed = try folder.file(
      "a.gpkg.gz", StoredGzip.file(try ShapeFixture.bytes("places.gpkg")))
    try expectFeatures(try TypedReading(GeoPackageReader(path: packed)), hasAltitude: true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["a.gpkg.gz"])
  }

  @Test func `a file of several layers needs a layer name`() throws {
    let path = ShapeFixture.path("two.gpkg")
    let second = try TypedReading(GeoPackageReader(path: path, layer: "second"))

    try expectFeatures(second, hasAltitude: false)
    #expect(
      problem(path)
        == .severalLayers(["first (POINT)", "second (POINT)", "lines (LINESTRING)"]))
    #expect(
      problem(path, layer: "none")
        == .noLayer(name: "none", layers: ["first", "second", "lines"]))
    let lines = try TypedReading(GeoPackageReader(path: path, layer: "lines"))
    #expect(!lines.rows.isEmpty && lines.rows.allSatisfy { $0.geometry?.kind == .lineString })
  }

  @Test func `other reference systems are rejected with the command that converts`() throws {
    let path = ShapeFixture.path("utm.gpkg")
    let stem = path.dropLast(5)

    #expect(
      problem(path)
        == .referenceSystem(
          name: "WGS 84 / UTM zone 32N",
          command: "ogr2ogr -t_srs EPSG:4326 \(stem)-wgs84.gpkg \(path) places"))
    // The definition takes precedence over the organisation and number.
    let renamed = try changed(
      "places.gpkg",
      "UPDATE gpkg_spatial_ref_sys SET organization = 'own', organization_coordsys_id = 7")
    #expect(failure(renamed) == nil)
  }

  @Test func `files that are no GeoPackage are rejected`() throws {
    #expect(problem(try folder.file("a.gpkg", "no database at all, but long")) == .notSQLite)
    #expect(problem(try folder.file("b.gpkg", "")) == .notSQLite)
    #expect(failure(folder.url.path)?.problem == .directory)
    #expect(failure(folder.url.path + "/none")?.problem == .missing)
    #expect(
      problem(try changed("places.gpkg", "DROP TABLE gpkg_geometry_columns")) == .notGeoPackage)
    let none = try changed("places.gpkg", "DELETE FROM gpkg_geometry_columns")
    #expect(problem(none) == .noLayers)
    let view = try changed(
      "places.gpkg", "ALTER TABLE places RENAME TO real",
      "CREATE VIEW v AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) "
        + "SELECT x AS fid, NULL AS geom FROM n",
      "UPDATE gpkg_geometry_columns SET table_name = 'v'",
      "UPDATE gpkg_contents SET table_name = 'v'")
    #expect(problem(view) == .notATable(layer: "v"))
  }

  @Test func `a geometry above the limit is an error that names the limit`() throws {
    let limit = 64 * 1024 * 1024
    let path = try changed(
      "places.gpkg", "UPDATE places SET geom = zeroblob(\(limit + 1)) WHERE fid = 2")
    #expect(problem(path) == .valueTooLarge(limit: limit))
    #expect(failure(path)?.description.contains("more than 67108864 bytes") == true)
  }

  @Test func `tables of attributes are layers without geometries`() throws {
    let attributes = [
      "CREATE TABLE notes(fid INTEGER PRIMARY KEY, text TEXT, n INTEGER)",
      "INSERT INTO notes VALUES (1, 'a', 2), (2, NULL, -3)",
      "INSERT INTO gpkg_contents(table_name, data_type) VALUES ('notes', 'attributes')",
    ]
    let alone = try changed(
      "places.gpkg",
      attributes + ["DELETE FROM gpkg_contents WHERE data_type = 'features'"])
    let reader = try GeoPackageReader(path: alone)
    #expect(!reader.hasGeometry)
    let rows = try TypedReading(reader).rows
    #expect(rows.map(\.values) == [[.int(1), .string("a"), .int(2)], [.int(2), .null, .int(-3)]])
    #expect(rows.allSatisfy { $0.point == nil && $0.geometry == nil })

    let store = folder.url.appendingPathComponent("notes").path
    let report = try Importer(ImportSettings(files: [alone], store: store, className: "Note")).run()
    #expect(report.inserted == 2)
    let query = try StoreQuery(store: store, className: "Note", predicate: "n < 0")
    #expect(try query.count() == 1)
    #expect(query.layout.schema.properties.map(\.name) == ["fid", "text", "n"])

    // Features are preferred, and the name selects the table.
    let both = try changed("places.gpkg", attributes)
    #expect(try GeoPackageReader(path: both).hasGeometry)
    #expect(try !GeoPackageReader(path: both, layer: "notes").hasGeometry)
    #expect(problem(both, layer: "x") == .noLayer(name: "x", layers: ["places", "notes"]))
  }

  @Test func `a file with changes in a write-ahead log is rejected`() throws {
    let path = try changed("places.gpkg", "PRAGMA journal_mode = WAL")
    let names = { try FileManager.default.contentsOfDirectory(atPath: folder.url.path) }
    let writer = try Connection.writingForeign(path)
    try writer.run("UPDATE places SET name = 'later'")
    #expect(
      problem(path) == .log(command: "sqlite3 \(path) 'PRAGMA journal_mode = DELETE'"))
    try writer.run("PRAGMA journal_mode = DELETE")
    try writer.run("PRAGMA journal_mode = WAL")
    for suffix in ["-wal", "-shm"] { unlink(path + suffix) }

    let before = try names()
    #expect(try TypedReading(GeoPackageReader(path: path)).rows[0].values[1] == .string("later"))
    #expect(try names() == before)
  }

  @Test func `invalid geometries and texts reject their rows, other values are kept`() throws {
    let zeros = String(repeating: "00", count: 16)
    let path = try changed(
      "places.gpkg",
      "UPDATE places SET geom = x'47500001E6100000010800000000000000' WHERE fid = 1",
      "UPDATE places SET name = CAST(x'C0AF' AS TEXT) WHERE fid = 2",
      "UPDATE places SET geom = x'4750001100000000' WHERE fid = 3",
      "UPDATE places SET founded = 'soon', people = 'many', share = x'00' WHERE fid = 4",
      "UPDATE places SET geom = x'47500001E71000000101000000\(zeros)' WHERE fid = 5",
      "UPDATE places SET geom = 'POINT(1 2)' WHERE fid = 6")
    let reading = try TypedReading(GeoPackageReader(path: path))

    #expect(reading.rows.map(\.number) == [3, 4, 5])
    #expect(reading.rows[0].point == nil)
    #expect(
      reading.rows[1].values[2...4] == [.string("many"), .data(Data([0])), .string("soon")])
    #expect(reading.rowErrors.map(\.record) == [1, 2, 6])
    #expect(
      reading.rowErrors.map(\.problem) == [
        .geoPackage(
          .geometry(
            detail: "expected a geometry without curves at byte 5, found CircularString")),
        .geoPackage(.text(field: "name")),
        .geoPackage(.geometry(detail: "found a value that is no blob")),
      ])
  }

  @Test func `blobs of both byte orders, with envelopes, dimensions and no coordinates`() throws {
    func point(_ hex: String) throws(GeometryBlob.Problem) -> [Double]? {
      let digits = Array(hex.utf8.filter { $0 != 0x20 })
      let bytes = stride(from: 0, to: digits.count, by: 2).map {
        UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16) ?? 0
      }
      return try bytes.withUnsafeBufferPointer { bytes throws(GeometryBlob.Problem) in
        try GeometryBlob.geometry(bytes)?.point
      }.map { [$0.longitude, $0.latitude, $0.altitude] }
    }
    let (one, two, three) = ("3FF0000000000000", "4000000000000000", "4008000000000000")
    let box = one + one + two + two

    #expect(try point("47500000 000010E6 00 00000001" + one + two) == [1, 2, 0])
    #expect(try point("47500002 000010E6" + box + "00 000003E9" + one + two + three) == [1, 2, 3])
    #expect(
      try point("47500008" + "000010E6" + box + box + "00 00000BB9" + one + two + three + one) == [
        1, 2, 3,
      ])
    #expect(
      try point("47500000 00000000 00 E0000001 000010E6" + one + two + three + one) == [1, 2, 3])
    #expect(try point("47500000 000010E6 00 000007D1" + one + two + three) == [1, 2, 0])
    let nan = "7FF8000000000000"
    #expect(try point("47500000 000010E6 00 00000001" + nan + nan) == nil)
    for wrong in [
      "4750", "47510000 000010E6", "47500100 000010E6", "47500020 000010E6",
      "4750000A 000010E6", "47500002 000010E6" + one, "47500000 000010E6 00 00000001" + one,
      "47500000 000010E6 00 00000001" + one + two + "00", "47500000 000010E6 00 00000001" + box,
      "47500000 000010E6 02 00000001" + one + two,
      "47500000 000010E6 00 00000001 4069000000000000" + one,
    ] {
      #expect(throws: GeometryBlob.Problem.self, "\(wrong)") { try point(wrong) }
    }
  }

  @Test func `declared column types map to property types`() {
    let types = [
      "BOOLEAN": PropertyType.bool, "TINYINT": .int, "MEDIUMINT": .int, "integer": .int,
      "FLOAT": .double, "DOUBLE": .double, "REAL": .double, "TEXT": .string, "TEXT(80)": .string,
      "BLOB(3)": .data, "DATE": .date, "DATETIME": .date, "VARCHAR(9)": .string, "": .string,
    ]
    for (declared, type) in types { #expect(GeoPackageColumns.type(declared: declared) == type) }
  }

  @Test func `a truncated or changed file never crashes the reader`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var numbers = SeededGenerator(seed: seed)
    let intact = try ShapeFixture.bytes("places.gpkg")
    for round in 0..<300 {
      var bytes = intact
      if round % 3 == 0 {
        bytes.removeLast(Int.random(in: 1...intact.count, using: &numbers))
      } else {
        for _ in 0..<Int.random(in: 1...60, using: &numbers) {
          bytes[.random(in: 0..<bytes.count, using: &numbers)] =
            .random(in: 0...255, using: &numbers)
        }
      }
      let path = try folder.file("t.gpkg", bytes)
      let reading = try? TypedReading(GeoPackageReader(path: path))
      #expect((reading?.rows.count ?? 0) <= 300, "seed \(seed), round \(round)")
    }
  }
}
