import CadastreGeometry
import CadastreModel
import Foundation
import Testing

@testable import CadastreDatasets

/// Imports of every format, detected by name and by content.
@Suite struct FormatTests {
  private let folder: ScratchFolder
  private static let dump =
    "2988507\tParis\tParis\t\t48.85341\t2.3488\tP\tPPLC\tFR\t\t11\t75\t751\t75056\t2138551\t\t42\t"
    + "Europe/Paris\t2024-01-01\n"

  init() throws { folder = try ScratchFolder() }

  private func settings(_ path: String) -> ImportSettings {
    ImportSettings(
      files: [path], store: folder.url.appendingPathComponent(UUID().uuidString).path,
      className: "T")
  }

  private func objects(_ settings: ImportSettings) throws -> [String] {
    let report = try Importer(settings).run()
    #expect(report.rejects.isEmpty)
    let query = try StoreQuery(
      store: settings.store, className: "T", predicate: nil)
    return try query.keys().compactMap {
      try query.record($0).map { FieldText.json(.record($0)) }
    }
  }

  @Test(arguments: [
    ("a.csv", FormatDescriptor.csv), ("a.TSV", .tsv), ("a.csv.gz", .csv), ("a.geojson", .geojson),
    ("a.json.gz", .geojson), ("a.ndjson", .geojsonseq), ("a.geojsonl.gz", .geojsonseq),
    ("a.gpkg", .gpkg), ("a.SHP", .shp), ("a.parquet", .parquet), ("a.fgb", .fgb), ("a.KML", .kml),
    ("a.gpx.gz", .gpx), ("a.topojson", .topojson), ("a.txt", nil),
    ("a", nil), ("a.gz", nil),
  ])
  func `the format is detected from the file name`(name: String, format: FormatDescriptor?) {
    #expect(FormatDescriptor.named(byFile: name) == format)
  }

  @Test(arguments: [
    ("a,b\n1,2\n", FormatDescriptor.csv), (" {\"a\":1}", .geojson), ("[{}]", .geojson),
    ("\u{1E}{}\n", .geojsonseq), (dump, .geonames), ("", .csv),
    ("SQLite format 3\0", .gpkg), ("PAR1", .parquet), ("\u{FEFF}{}", .geojson),
    ("<?xml?> <kml>", .kml), ("<gpx>", .gpx), ("<a>,b\n1,2\n", .csv), ("a<b\n1\n", .csv),
    ("<a\n1\n", .csv),
  ])
  func `the format is detected from the first bytes`(text: String, format: FormatDescriptor) throws
  {
    #expect(FormatDescriptor.recognized(Array(text.utf8)) == format)
    #expect(try FormatDescriptor.common(of: [InputFile(try folder.file("x", text))]) == format)
  }

  @Test func `each format has a name, an extension or signature, and the text of its name`() {
    #expect(Set(FormatDescriptor.all.map(\.name)).count == FormatDescriptor.all.count)
    for format in FormatDescriptor.all {
      #expect(!format.extensions.isEmpty || format.signature != nil)
      #expect(FormatDescriptor.named(format.name) == format)
      if let text = format.text { #expect(text.name == format.name) }
    }
  }

  @Test(arguments: [("x.json", "{\"type\": \"Topology\"}"), ("x", "{\"type\":\"Topology\"")])
  func `a topology is recognized among JSON files`(name: String, text: String) throws {
    #expect(try FormatDescriptor.common(of: [InputFile(try folder.file(name, text))]) == .topojson)
  }

  @Test(arguments: [
    ("x.xml", "<?xml version=\"1.0\"?>\n<osm><node id=\"1\"/></osm>", "osm"),
    ("x.csv", "<!DOCTYPE html>\n<html lang=\"en\">\n<body></body></html>", "html"),
    ("x", "\u{FEFF} <!-- a --> <!-- <b> --><rss version=\"2\">", "rss"),
    ("x", "<html><body>", "html"),
    ("x.tsv", "<svg:svg width=\"1\">\n<g/>", "svg:svg"), ("x", "<a/>", "a"),
    ("x", "<?xml", "unknown"),
  ])
  func `other XML and HTML are refused by name`(name: String, text: String, root: String) throws {
    let settings = settings(try folder.file(name, text))
    #expect {
      try Importer(settings).run()
    } throws: {
      ($0 as? DatasetError)?.problem == .markup(root: root)
    }
    #expect(!FileManager.default.fileExists(atPath: settings.store))
  }

  @Test(arguments: [
    "CREATE TABLE a (b int);\n",
    "--\n-- PostgreSQL database dump\n--\n\nSET statement_timeout = 0;\n",
    "PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n", "/* a,b */\ninsert into a values (1);",
    "\u{FEFF}-- a\r\n-- b\r\nCREATE VIEW a AS SELECT 1;\r\n", "CREATE UNIQUE INDEX a ON b (c);\n",
    "CREATE TEMPORARY TABLE IF NOT EXISTS \"a b\" (c int);", "DROP TABLE IF EXISTS a;\n",
    "USE a;\n",
  ])
  func `statements of SQL are refused`(text: String) throws {
    for name in ["x.sql", "x.csv"] {
      let settings = settings(try folder.file(name, text))
      #expect {
        try Importer(settings).run()
      } throws: {
        ($0 as? DatasetError)?.problem == .statements
      }
      #expect(!FileManager.default.fileExists(atPath: settings.store))
    }
  }

  @Test(arguments: [
    "begin,end\n1,2\n", "Create Table Name,n\n1,2\n", "create table\tb\n1\t2\n",
    "create table,b\n1,2\n", "-- a,b\n1,2\n", "set a = 1,b\n1,2\n",
  ])
  func `a header of words of SQL is one`(text: String) throws {
    #expect(try Importer(settings(try folder.file("x.csv", text))).run().read == 1)
  }

  @Test(arguments: [
    ("x.json", "[]"), ("x.geojson", #"{"type":"FeatureCollection","features":[]}"#),
    ("x.ndjson", "\n"), ("x.gpx", #"<gpx version="1.1"></gpx>"#),
    ("x.kml", #"<kml xmlns="http://www.opengis.net/kml/2.2"><Document/></kml>"#),
  ])
  func `a file without records changes nothing`(name: String, text: String) throws {
    let settings = settings(try folder.file(name, text))
    let report = try Importer(settings).run()
    #expect(report.read == 0)
    #expect(report.notices == ["the files have no records; the store is not changed"])
    #expect(!FileManager.default.fileExists(atPath: settings.store))
  }

  @Test(arguments: [
    ("[1,2]", "expected an object"), ("[[1],[2]]", "expected an object"),
    (#"[{"a":1,"a":2}]"#, "found 'a' twice in one object"),
  ])
  func `where no record is valid, the first one's reason is the error`(
    text: String, reason: String
  ) throws {
    let settings = settings(try folder.file("x.json", text))
    #expect {
      try Importer(settings).run()
    } throws: {
      "\($0)".contains(reason) && "\($0)".contains("line 1")
    }
  }

  @Test(arguments: ["[{}]", "{}"])
  func `a new class needs a field`(text: String) throws {
    let settings = settings(try folder.file("x.json", text))
    #expect {
      try Importer(settings).run()
    } throws: {
      ($0 as? ImportError)?.description.hasPrefix("there is no field to import") == true
    }
    #expect(!FileManager.default.fileExists(atPath: settings.store))
  }

  @Test func `GeoNames dumps have columns, codes and points`() throws {
    let actual = try objects(settings(try folder.file("x.txt", Self.dump)))
    #expect(actual.count == 1)
    #expect(actual[0].hasPrefix(#"{"geonameid":2988507,"name":"Paris","asciiname":"Paris","#))
    #expect(actual[0].contains(#""admin1_code":"11","admin2_code":"75""#))
    #expect(actual[0].contains(#""modification_date":"2024-01-01T00:00:00Z""#))
    #expect(actual[0].hasSuffix(#""location":{"type":"Point","coordinates":[2.3488,48.85341]}}"#))
  }

  @Test(arguments: [
    ("1,Paris\n2,Rome\n", ["column1", "column2"]), ("id,name\n1,Paris\n", ["id", "name"]),
    ("country,2019,2020\nFR,1,2\nIT,3,4\n", ["country", "2019", "2020"]),
    ("a,b\nc,d\n", ["a", "b"]), ("7,x\n8,y\nz,w\n", ["7", "x"]), ("1.5\n2.5\n", ["column1"]),
  ])
  func `a first line of the same types as the others is no header`(
    text: String, header: [String]
  ) throws {
    #expect(try CSVReader(path: try folder.file("x.csv", text)).header == header)
    var options = CSVOptions()
    options.hasHeader = true
    let first = text.prefix { $0 != "\n" }.split(separator: ",").map(String.init)
    #expect(try CSVReader(path: try folder.file("x.csv", text), options: options).header == first)
  }

  /// Regression found by fuzzing: the header detection reached an unterminated quote.
  @Test(arguments: [1, 3, 7, 64, 1 << 19])
  func `header detection does not change the rows`(chunkBytes: Int) throws {
    let text =
      "id,brich, \"\"CH\"\"\",8.54,47.37\r\n2,\"\"\",8.54,47.37\r\n2,x,,\n"
    var options = CSVOptions()
    options.chunkBytes = chunkBytes
    options.fieldLimitBytes = 64
    let reader = try CSVReader(path: try folder.file("x.csv", text), options: options)
    #expect(reader.header == ["id", "brich", "\"\"CH\"\"\"", "8.54", "47.37"])
    var record = CSVRecord()
    do {
      _ = try reader.nextRecord(&record)
      Issue.record("expected an error")
    } catch {
      #expect(error.problem == .unterminatedQuote)
      #expect(error.line == 2)
    }
  }

  @Test func `numbers may have a decimal comma`() throws {
    let path = try folder.file("x.csv", "n;lon;lat;s\n1,5;2,35;48,85;a,b\n2;-0,5;1e1;c\n")
    var settings = settings(path)
    settings.table.hasDecimalComma = true
    #expect(
      try objects(settings) == [
        #"{"n":1.5,"s":"a,b","location":{"type":"Point","coordinates":[2.35,48.85]}}"#,
        #"{"n":2.0,"s":"c","location":{"type":"Point","coordinates":[-0.5,10]}}"#,
      ])
    do {
      _ = try Importer(self.settings(path)).run()
      Issue.record("expected an error")
    } catch {
      #expect("\(error)".contains("for decimal commas use --decimal-comma"))
    }
  }

  @Test func `an upsert keeps the fields that the file does not have`() throws {
    var settings = settings(try folder.file("x.csv", "id,a,b\n1,x,y\n2,z,w\n"))
    settings.primaryKey = "id"
    _ = try Importer(settings).run()
    settings.files = [try folder.file("y.csv", "id,b\n2,v\n")]
    settings.keyPolicy = .update
    #expect(try objects(settings) == [#"{"id":1,"a":"x","b":"y"}"#, #"{"id":2,"a":"z","b":"v"}"#])
  }

  @Test func `files of one import have the same format and columns`() throws {
    let table = try folder.file("x.csv", "a\n1\n")
    let others = [
      (try folder.file("y.ndjson", "{}\n"), "expected files of one format, or --format"),
      (try folder.file("y.csv", "b\n1\n"), "expected those of the first file: a"),
    ]
    for (other, sentence) in others {
      var settings = settings(table)
      settings.files.append(other)
      do {
        _ = try Importer(settings).run()
        Issue.record("expected an error")
      } catch {
        #expect("\(error)".contains(sentence))
      }
    }
  }

  /// GDAL wrote the same table in each format.
  @Test(arguments: ["points.shp", "points.geojsonl", "places.gpkg"])
  func `every format yields the same objects`(name: String) throws {
    let shapes = fixtures.appendingPathComponent("shapes")
    func objects(_ name: String) throws -> [String] {
      let settings = settings(shapes.appendingPathComponent(name).path)
      _ = try Importer(settings).run()
      let query = try StoreQuery(store: settings.store, className: "T", predicate: nil)
      return try query.keys().compactMap { key in
        try query.record(key).map { record in
          let values = ["name", "people", "share", "note"].map {
            FieldText.plain(record.content(PropertyPath($0)))
          }
          let location = record.location.map { "\($0.longitude) \($0.latitude)" } ?? "null"
          return (values + [location]).joined(separator: "|")
        }
      }
    }

    let expected = try objects("places.csv")
    #expect(expected.count >= 3)
    #expect(try objects(name) == expected)
  }

  @Test func `an exported GeoPackage imports again, compressed and not`() throws {
    let path = folder.url.appendingPathComponent("x.gpkg").path
    let file = try OutputFile(path: path, OutputRules(replacing: .none))
    let writer = try GeoPackageWriter(file)
    try writer.begin(layer: "l", columns: [("n", .int), ("t", .string), ("d", .double)])
    try writer.write(
      [.int(1), .string("a"), .double(0.5)],
      geometry: GeoPoint(latitude: 2, longitude: 1).map(Geometry.init))
    try writer.write([.null, .string(""), .null], geometry: nil)
    try writer.finish()
    let gzip = Process()
    gzip.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    gzip.arguments = ["gzip", "--keep", path]
    try gzip.run()
    gzip.waitUntilExit()

    for file in [path, path + ".gz"] {
      #expect(
        try objects(settings(file)) == [
          #"{"fid":1,"n":1,"t":"a","d":0.5,"location":{"type":"Point","coordinates":[1,2]}}"#,
          #"{"fid":2,"n":null,"t":"","d":null,"location":null}"#,
        ])
    }
  }
}
