import CadastreGeometry
import CadastreModel
import Foundation
import Testing

@testable import CadastreDatasets

@Suite struct ShapefileTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// Copies the parts of a Shapefile to the folder and applies a change to each.
  private func copy(
    _ name: String, as other: String = "t", parts: [String] = ["shp", "dbf", "prj", "cpg"],
    _ change: (String, inout [UInt8]) -> Void = { _, _ in }
  ) throws -> String {
    for part in parts {
      guard var bytes = try? ShapeFixture.bytes("\(name).\(part)") else { continue }
      change(part, &bytes)
      _ = try folder.file("\(other).\(part)", bytes)
    }
    return folder.url.appendingPathComponent("\(other).shp").path
  }

  private func failure(_ path: String) -> DatasetError? {
    TypedReading.failure { () throws(DatasetError) in try ShapefileReader(path: path) }
  }

  private func problem(_ path: String) -> ShapefileProblem? {
    failure(path)?.problem.problem(of: ShapefileProblem.self)
  }

  private func expectFeatures(
    _ reading: TypedReading, withAltitude: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let features = try ShapeFixture.features()
    #expect(reading.rowErrors == [], sourceLocation: sourceLocation)
    #expect(reading.rows.map(\.number) == Array(1...6), sourceLocation: sourceLocation)
    for (row, feature) in zip(reading.rows, features) {
      let expected = reading.fields.map {
        ShapeFixture.value(feature.properties[$0.name], $0.type)
      }
      #expect(row.values == expected, sourceLocation: sourceLocation)
      let point = row.point.map { [$0.longitude, $0.latitude] }
      #expect(point == feature.point, sourceLocation: sourceLocation)
      let altitude = withAltitude && row.point != nil ? expected.last?.doubleValue : nil
      #expect(row.point?.altitude == altitude, sourceLocation: sourceLocation)
    }
  }

  // MARK: - Intact files

  @Test func `points, dates, numbers and nulls read as in GDAL`() throws {
    let reader = try ShapefileReader(path: ShapeFixture.path("points.shp"))
    let reading = try TypedReading(reader)

    #expect(
      reading.fields == [
        TypedField(name: "name", type: .string), TypedField(name: "people", type: .int),
        TypedField(name: "share", type: .double),
        TypedField(name: "founded", type: .date, isDay: true),
        TypedField(name: "note", type: .string), TypedField(name: "height", type: .double),
      ])
    try expectFeatures(reading)
    #expect(reader.progressBytes == reader.totalBytes)
    #expect(reader.totalBytes == 252 + 1636)
    var row = TypedRow()
    #expect(try !reader.nextRow(&row))
  }

  @Test func `altitudes, single multipoints and undeclared Windows-1252 are read`() throws {
    try expectFeatures(
      try TypedReading(ShapefileReader(path: ShapeFixture.path("latin.shp"))), withAltitude: true)
    try expectFeatures(try TypedReading(ShapefileReader(path: ShapeFixture.path("multi.shp"))))
    let unnamed = try copy("latin") { part, bytes in if part == "dbf" { bytes[29] = 0 } }
    try expectFeatures(try TypedReading(ShapefileReader(path: unnamed)), withAltitude: true)
  }

  @Test func `parts may have capital extensions, be gzipped, or be missing if optional`() throws {
    let path = try copy("points", parts: ["shp", "dbf"])
    try expectFeatures(try TypedReading(ShapefileReader(path: path)))
    for part in ["shp", "dbf", "cpg"] {
      let bytes = try ShapeFixture.bytes("points.\(part)")
      _ = try folder.file("C.\(part.uppercased())", bytes)
      _ = try folder.file("z.\(part).gz", StoredGzip.file(bytes))
    }
    for name in ["C.SHP", "z.shp.gz"] {
      let path = folder.url.appendingPathComponent(name).path
      try expectFeatures(try TypedReading(ShapefileReader(path: path)))
    }
  }

  @Test func `a missing file is reported by name`() throws {
    let path = try copy("points", parts: ["shp"])
    #expect(failure(path + "x")?.problem == .missing)
  }

  // MARK: - Rejected files

  @Test func `other shapes and other reference systems are rejected in one sentence`() throws {
    let lines = try TypedReading(ShapefileReader(path: ShapeFixture.path("lines.shp")))
    #expect(!lines.rows.isEmpty && lines.rows.allSatisfy { $0.geometry?.dimension == 1 })
    let utm = try copy("utm", as: "it's")
    let stem = utm.dropLast(4).replacing("'", with: "'\\''")
    #expect(
      problem(utm)
        == .referenceSystem(
          name: "WGS_1984_UTM_Zone_32N",
          command: "ogr2ogr -t_srs EPSG:4326 '\(stem)-wgs84.gpkg' '\(stem).shp'"))
    #expect(
      ReferenceSystem.conversion(of: "a b.shp.gz", with: ["a b.dbf.gz", "a b.prj"])
        == "gunzip --keep 'a b.shp.gz' 'a b.dbf.gz' && "
        + "ogr2ogr -t_srs EPSG:4326 'a b-wgs84.gpkg' 'a b.shp'")
  }

  @Test func `without a reference system, coordinates in metres reject each row`() throws {
    let reading = try TypedReading(
      ShapefileReader(path: copy("utm", parts: ["shp", "dbf"])))

    #expect(reading.rows == [])
    let error = try #require(reading.rowErrors.first)
    #expect(error.record == 1)
    #expect(error.description.contains("t.shp, record 1: the coordinates are 356504.06"))
  }

  @Test func `unsupported fields and encodings are reported by name`() throws {
    let other = try copy("points") { part, bytes in if part == "dbf" { bytes[32 + 11] = 0x5A } }
    #expect(problem(other) == .fieldType(field: "name", type: "Z"))
    let encoding = try copy("points") { part, bytes in
      if part == "cpg" { bytes = Array("EBCDIC-500\n".utf8) }
    }
    #expect(problem(encoding) == .encoding(name: "EBCDIC-500"))
    let driver = try copy("latin", as: "u") { part, bytes in
      if part == "dbf" { bytes[29] = 0xF0 }
    }
    #expect(problem(driver) == .encoding(name: "language driver 240"))
    let seven = try copy("points") { part, bytes in if part == "dbf" { bytes[0] = 4 } }
    #expect(problem(seven) == .tableHeader(detail: "is that of dBase 7, which is not supported"))
  }

  @Test func `wrong lengths and counts are detected`() throws {
    func changed(
      _ part: String, _ offset: Int, _ bytes: [UInt8]
    ) throws -> ShapefileProblem? {
      problem(
        try copy("points") { name, all in
          if name == part { all.replaceSubrange(offset..<offset + bytes.count, with: bytes) }
        })
    }
    #expect(try changed("shp", 24, [0x7F, 0, 0, 0]) == .truncated(byteOffset: 252))
    #expect(
      try changed("shp", 104, [0x7F, 0xFF, 0xFF, 0xFF])
        == .recordLength(bytes: 0xFFFF_FFFE, byteOffset: 100))
    #expect(
      try changed("shp", 104, [0xFF, 0xFF, 0xFF, 0xFF])
        == .recordLength(bytes: -2, byteOffset: 100))
    #expect(
      try changed("shp", 107, [12])
        == .recordNumber(expected: 2, found: 10, byteOffset: 132))
    #expect(try changed("dbf", 4, [7]) == .truncated(byteOffset: 1635))
    #expect(try changed("dbf", 4, [0xFF, 0xFF, 0xFF, 0xFF]) != nil)
    #expect(
      try changed("dbf", 32 + 16, [0xFF])
        == .tableHeader(detail: "declares 235 bytes for a row, but fields of 410 bytes"))
    #expect(try changed("dbf", 8, [0, 0]) != nil)
    #expect(try changed("dbf", 10, [0, 0]) != nil)
  }

  @Test func `columns without a name are named by their numbers`() throws {
    let unnamed = try copy("points") { part, bytes in if part == "dbf" { bytes[32] = 0 } }
    #expect(try TypedReading(ShapefileReader(path: unnamed)).fields[0].name == "column1")
    let repeated = try copy("points") { part, bytes in
      if part == "dbf" { bytes.replaceSubrange(64..<75, with: bytes[32..<43]) }
    }
    let reading = try TypedReading(ShapefileReader(path: repeated))
    #expect(reading.fields[0].name == "name" && reading.fields[1].name == "name")
    #expect(reading.rows.count == 6)
  }

  /// Reads a changed copy of the points; returns the rows and the notices.
  private func leniently(
    _ change: (_ part: String, _ bytes: inout [UInt8]) -> Void
  ) throws -> (rows: [TypedRow], errors: [DatasetError], notices: Set<String>) {
    let reader = try ShapefileReader(path: try copy("points", change))
    let reading = try TypedReading(reader)
    return (reading.rows, reading.rowErrors, reader.notices?.clauses ?? [])
  }

  @Test func `memo fields are left out with a notice`() throws {
    let whole = try leniently { _, _ in }
    let memo = try leniently { part, bytes in if part == "dbf" { bytes[32 + 11] = 0x4D } }
    #expect(memo.notices.contains { $0.contains("left out: name") })
    #expect(memo.rows.map(\.values) == whole.rows.map { Array($0.values.dropFirst()) })
  }

  @Test func `shapes are passed over where geometries are ignored`() throws {
    let reader = try ShapefileReader(
      path: copy("utm"),
      conversion: CoordinateConversion(system: nil, isEnabled: true, ignoresGeometries: true))
    let reading = try TypedReading(reader)
    #expect(!reading.rows.isEmpty && reading.rowErrors.isEmpty)
    #expect(reading.rows.allSatisfy { $0.point == nil && $0.geometry == nil })
  }

  @Test func `a header that declares some bytes too many is a notice`() throws {
    for surplus in 1...5 {
      let reading = try leniently { part, bytes in
        if part == "shp" { bytes[27] += UInt8(surplus) }
      }
      #expect(reading.rows.count == 6)
      #expect(reading.notices.contains { $0.contains("greater length") })
    }
  }

  @Test func `other numbers of rows than of shapes are a notice`() throws {
    let fewer = try leniently { part, bytes in if part == "dbf" { bytes[4] = 5 } }
    #expect(fewer.rows.count == 6 && fewer.rows[5].values.allSatisfy(\.isNull))
    #expect(fewer.rows[5].point != nil && !fewer.rows[4].values[0].isNull)
    #expect(fewer.notices.contains { $0.contains("fewer rows") })
    let more = try leniently { part, bytes in
      guard part == "dbf" else { return }
      bytes[4] = 7
      bytes += [UInt8](repeating: 0x20, count: 234)
    }
    #expect(more.rows.count == 6 && more.notices.contains { $0.contains("more rows") })
    let none = try leniently { part, bytes in if part == "dbf" { bytes[4] = 0 } }
    #expect(none.rows.count == 6 && !none.rows[0].values[0].isNull)
    #expect(none.notices.contains { $0.contains("counts no rows") })
  }

  @Test func `record numbers of 0 and an empty reference system are notices`() throws {
    let numbers = try leniently { part, bytes in
      guard part == "shp" else { return }
      for record in 1..<6 {
        bytes.replaceSubrange(100 + record * 28..<104 + record * 28, with: [0, 0, 0, 0])
      }
    }
    #expect(numbers.rows.count == 6 && numbers.notices.contains { $0.contains("numbers of 0") })
    let system = try leniently { part, bytes in if part == "prj" { bytes = [0x20, 0x0A] } }
    #expect(system.rows.count == 6)
  }

  @Test(arguments: [[0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0, 0], [0, 0, 0, 0x70], [0, 0, 0, 0x71]])
  func `a header that declares too few bytes is a notice`(length: [UInt8]) throws {
    let reading = try leniently { part, bytes in
      if part == "shp" { bytes.replaceSubrange(24..<28, with: length) }
    }
    #expect(reading.rows == (try leniently { _, _ in }.rows))
    #expect(reading.notices.contains { $0.contains("smaller length") })
  }

  @Test func `a wrong record number is an error also where the header is wrong`() throws {
    let path = try copy("points") { part, bytes in
      guard part == "shp" else { return }
      bytes.replaceSubrange(24..<28, with: [0, 0, 0, 0])
      bytes[100 + 28 + 3] = 99
    }
    #expect(problem(path) == .recordNumber(expected: 2, found: 99, byteOffset: 128))
  }

  @Test(arguments: [1, 7, 8, 100])
  func `bytes after the last record are a notice`(count: Int) throws {
    let reading = try leniently { part, bytes in
      if part == "shp" { bytes += [UInt8](repeating: 0, count: count) }
    }
    #expect(reading.rows.count == 6)
    #expect(reading.notices.contains { $0.contains("after the last record") })
  }

  @Test func `a point with more bytes than it needs is read, one with fewer is rejected`() throws {
    func reading(_ words: UInt8, _ change: (inout [UInt8]) -> Void) throws -> [Int] {
      let reading = try leniently { part, bytes in
        guard part == "shp" else { return }
        bytes[100 + 7] = words
        change(&bytes)
        bytes[27] = UInt8(bytes.count / 2)
      }
      return reading.rows.map(\.number)
    }
    #expect(
      try reading(14) { $0.insert(contentsOf: [UInt8](repeating: 0, count: 8), at: 128) }
        == [1, 2, 3, 4, 5, 6])
    #expect(try reading(8) { $0.removeSubrange(124..<128) } == [2, 3, 4, 5, 6])
  }

  @Test func `shapes without a table have no attributes`() throws {
    let path = try copy("points", parts: ["shp"])
    let reader = try ShapefileReader(path: path)
    let reading = try TypedReading(reader)
    #expect(reading.fields.isEmpty && reading.rows.count == 6)
    #expect(reader.notices?.clauses.first?.contains(".dbf") == true)
  }

  @Test(arguments: [
    ([0x61, 0xC3] as [UInt8], "a"), ([0x61, 0xE2, 0x82], "a"), ([0xF0, 0x9F, 0x98], nil),
    ([0x61, 0xFF], nil), ([0x61, 0xC3, 0xA9], nil),
  ])
  func `a character that is cut off is left out`(bytes: [UInt8], text: String?) {
    #expect(bytes.withUnsafeBytes { TextEncoding.utf8.textCutOff($0) } == text)
  }

  // MARK: - Rejected rows

  @Test func `an invalid value, text or shape rejects only its row`() throws {
    let path = try copy("points") { part, bytes in
      let header = 32 + 6 * 32 + 1
      let row = (bytes.count - header) / 6
      if part == "dbf" {
        bytes[header + 80 + 10] = 0x78  // in the first row's people
        bytes[header + row + 1] = 0xFF  // in the second row's name
        bytes[header + 2 * row] = 0x2A  // the third row is deleted
        bytes[header + 4 * row] = 0x41  // the fifth row is marked neither present nor deleted
      } else if part == "shp" {
        bytes[100 + 28 * 3 + 8] = 5  // the fourth shape is null; its type comes first
        bytes.replaceSubrange(bytes.count - 8..<bytes.count, with: [0, 0, 0, 0, 0, 0, 0xF8, 0x7F])
      }
    }
    let reading = try TypedReading(ShapefileReader(path: path))

    #expect(reading.rows.map(\.number) == [])
    #expect(reading.rowErrors.map(\.record) == [1, 2, 4, 5, 6])
    let problems = reading.rowErrors.map(\.problem.sentence)
    #expect(problems[0].contains("in field 'people' is not an integer"))
    #expect(problems[1].contains("the text in field 'name' is not UTF-8"))
    #expect(problems[2] == "the shape has type Polygon; expected Point")
    #expect(problems[3].contains("begins with the byte 65"))
    #expect(problems[4] == "the coordinates are not numbers")
  }

  @Test func `a multipoint with a wrong number of points rejects only its row`() throws {
    let path = try copy("multi") { part, bytes in
      if part == "shp" { bytes[100 + 8 + 36] = 2 }
    }
    let reading = try TypedReading(ShapefileReader(path: path))

    #expect(reading.rows.count == 5)
    #expect(
      reading.rowErrors.map(\.problem) == [.shapefile(.shapeLength(name: "MultiPoint", bytes: 56))])
  }

  // MARK: - Corrupt files

  @Test func `a truncated file throws an error`() throws {
    for part in ["shp", "dbf"] {
      let intact = try ShapeFixture.bytes("points.\(part)")
      let path = try copy("points")
      for length in 0..<intact.count {
        _ = try folder.file("t.\(part)", intact[..<length])
        // The last byte of the table is an end mark that not every program writes.
        let isComplete = part == "dbf" && length == intact.count - 1
        #expect((failure(path) == nil) == isComplete, "\(part), \(length) bytes")
      }
    }
  }

  @Test func `a changed byte never crashes the reader`() throws {
    for part in ["shp", "dbf"] {
      let intact = try ShapeFixture.bytes("points.\(part)")
      let path = try copy("points")
      // Every offset, with one mask each.
      for offset in intact.indices {
        for mask: UInt8 in [[0xFF], [0x01], [0x80]][offset % 3] {
          var bytes = intact
          bytes[offset] ^= mask
          _ = try folder.file("t.\(part)", bytes)
          let reading = try? TypedReading(ShapefileReader(path: path))
          let actual = (reading?.rows.count ?? 0) + (reading?.rowErrors.count ?? 0)
          #expect(actual <= 6)
        }
      }
    }
  }
}
