import CSQLite
import CadastreTestSupport
import Foundation
import Testing

/// Exported files, read back by the program, by Foundation and by Python.
@Suite struct ExportTests {
  /// Returns all objects in a sort order, as parsed by `JSONSerialization`.
  private func objects(_ store: String, _ order: String) throws -> NSArray {
    let outcome = try succeed("query", store, "A", "--sort", order, "--format", "json")
    return try #require(outcome.json as? NSArray)
  }

  /// Returns GeoJSON of random features: numbers, strings, dates, nested objects, points and nulls.
  private func randomFeatures(_ seed: UInt64, nested: Bool) throws -> Data {
    var numbers = SeededGenerator(seed: seed)
    let letters = ["a", "Ä", "\"", ",", "\n", "\\", "漢", " ", "'", "👩‍👩‍👧", "\t", "x"]
    func text() -> String {
      "t"
        + (0..<Int.random(in: 0...6, using: &numbers))
        .map { _ in letters.randomElement(using: &numbers) ?? "" }.joined() + "t"
    }
    var features: [[String: Any]] = []
    for id in 0..<60 {
      // Random bit patterns, without infinities and NaN.
      let bits = Double(bitPattern: numbers.next())
      var properties: [String: Any] = [
        "id": id, "integer": Int64.random(in: .min ... .max, using: &numbers),
        "fraction": bits.isFinite ? bits : 0.1, "flag": Bool.random(using: &numbers),
        "text": text(),
        "maybe": Bool.random(using: &numbers) ? text() : NSNull(),
        "date": "2024-02-\(10 + id % 19)T01:02:\(10 + id % 49)Z",
      ]
      if nested {
        properties["inner"] = ["a": Int.random(in: 0...9, using: &numbers), "b": ["c": text()]]
        properties["list"] = (0..<Int.random(in: 1...3, using: &numbers)).map { _ in text() }
      }
      let geometry: Any =
        id % 7 == 3
        ? NSNull()
        : [
          "type": "Point",
          "coordinates": [
            Double.random(in: -180...180, using: &numbers),
            Double.random(in: -90...90, using: &numbers),
          ],
        ]
      features.append(["type": "Feature", "geometry": geometry, "properties": properties])
    }
    return try JSONSerialization.data(
      withJSONObject: ["type": "FeatureCollection", "features": features])
  }

  @Test(arguments: ["csv", "geojson", "geojsonl", "geojson.gz", "csv.gz"])
  func `exported objects import again unchanged`(ending: String) throws {
    for seed in Seeds.usual(17...17) {
      let scratch = try Scratch()
      let isNested = ending.hasPrefix("geojson")
      try scratch.file("in.geojson", try randomFeatures(seed, nested: isNested))
      try succeed(
        "import", scratch.path("in.geojson"), "--store", scratch.path("a"), "--into", "A", "--pk",
        "id")
      try succeed("export", scratch.path("a"), "A", "--to", scratch.path("out.\(ending)"))
      try succeed(
        "import", scratch.path("out.\(ending)"), "--store", scratch.path("b"), "--into", "A",
        "--pk",
        "id")

      #expect(
        try objects(scratch.path("b"), "id") == objects(scratch.path("a"), "id"),
        "seed \(seed), \(ending)")
      #expect(
        try succeed("schema", scratch.path("b")).stdout
          == succeed("schema", scratch.path("a")).stdout, "seed \(seed), \(ending)")
    }
  }

  @Test func `KML keeps points, shapes and the types of fields`() throws {
    let scratch = try Scratch()
    try scratch.file(
      "in.geojson",
      #"""
      {"type":"FeatureCollection","features":[
      {"type":"Feature","geometry":{"type":"Point","coordinates":[2.5,48.25,-3.5]},
      "properties":{"name":"A & <b> \"c\" ]]> é","n":9007199254740993,"x":0.1,"ok":true,"list":[1,"y"]}},
      {"type":"Feature","geometry":{"type":"LineString","coordinates":[[0,0],[1,1.5]]},
      "properties":{"name":null,"n":null,"x":1e300,"ok":false,"list":[]}},
      {"type":"Feature","geometry":{"type":"Polygon","coordinates":[[[0,0],[4,0],[4,4],[0,0]],
      [[1,0.5],[3,0.5],[3,2],[1,0.5]]]},"properties":{"name":"x","n":1,"x":2,"ok":null,"list":null}},
      {"type":"Feature","geometry":{"type":"MultiPolygon","coordinates":[[[[0,0],[1,0],[1,1],[0,0]]],
      [[[5,5],[6,5],[6,6],[5,5]]]]},"properties":{"name":"a\r\nb","n":2,"x":3}},
      {"type":"Feature","geometry":null,"properties":{"name":"none","n":3,"x":4}}]}
      """#)
    let (store, copy) = (scratch.path("a"), scratch.path("b"))
    try succeed("import", scratch.path("in.geojson"), "--store", store, "--into", "A")
    try succeed("export", store, "A", "--to", scratch.path("o.kml"))
    try succeed("import", scratch.path("o.kml"), "--store", copy, "--into", "A")
    let fields = ["query", "A", "--select", "name,n,x,ok,geometry", "--format", "ndjson"]
    let expected = try Program.run([fields[0], store] + fields.dropFirst())
    let found = try Program.run([fields[0], copy] + fields.dropFirst())
    #expect(expected.lines.count == 5 && found.stdout == expected.stdout)
    let program =
      "import sys, xml.etree.ElementTree as e; r = e.parse(sys.argv[2]).getroot(); "
      + "print(len(r.findall('.//{http://www.opengis.net/kml/2.2}Placemark')))"
    let parsed = try Program.run(
      [scratch.path("o.kml")], through: ["/usr/bin/env", "python3", "-c", program])
    #expect(parsed.stdout == "5\n")
    // Of classes with points too.
    try succeed(
      "export", try Airports.store(), "Airport", "--limit", "20", "--to", scratch.path("p.kml.gz"))
    try succeed("import", scratch.path("p.kml.gz"), "--store", scratch.path("c"), "--into", "A")
    let points = ["query", "--select", "icao,name,elevation,location", "--limit", "20", "--format"]
    #expect(
      try succeed(points[0], scratch.path("c"), "A", points[1], points[2], points[5], "json").stdout
        == succeed(
          points[0], try Airports.store(), "Airport", points[1], points[2], points[3], points[4],
          points[5], "json"
        ).stdout)
  }

  @Test func `a KMZ file is a zip archive with the same content`() throws {
    let scratch = try Scratch()
    let export = ["export", try Airports.store(), "Airport", "country == 'FR'", "--to"]
    for name in ["p.kml", "p.kmz"] {
      #expect(try Program.run(export + [scratch.path(name)]).status == 0)
    }
    // Python also writes an archive with another file first, stored and without compression.
    let program = """
      import sys, zipfile
      z = zipfile.ZipFile(sys.argv[2] + '/p.kmz')
      text = open(sys.argv[2] + '/p.kml', 'rb').read()
      assert z.testzip() is None and z.namelist() == ['doc.kml'] and z.read('doc.kml') == text
      with zipfile.ZipFile(sys.argv[2] + '/q.kmz', 'w') as q:
          q.writestr('files/a.png', b'x' * 300000)
          q.writestr('main.KML', text)
      with zipfile.ZipFile(sys.argv[2] + '/r.kmz', 'w') as r: r.writestr('a.txt', b'x')
      """
    let python = try Program.run(
      [scratch.path("")], through: ["/usr/bin/env", "python3", "-c", program])
    #expect(python.status == 0, "\(python.stderr)")
    for (index, name) in ["p.kml", "p.kmz", "q.kmz"].enumerated() {
      try succeed(
        "import", scratch.path(name), "--store", scratch.path("s"), "--into", "T\(index)")
    }
    let objects = try (0..<3).map {
      try succeed("query", scratch.path("s"), "T\($0)", "--format", "ndjson").stdout
    }
    #expect(objects[0].count > 1000 && objects[1] == objects[0] && objects[2] == objects[0])
    func run(_ name: String) throws -> Outcome {
      try Program.run(
        ["import", scratch.path(name), "--store", scratch.path("s"), "--into", "X"])
    }
    expectSentence(try run("r.kmz"), ["a zip archive", "unzip"])
    // Damage at every position gives an error or the same objects.
    let bytes = try scratch.bytes("p.kmz")
    for position in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 15)) {
      var damaged = bytes
      damaged[position] ^= 0x24
      try scratch.file("d.kmz", damaged)
      let outcome = try run("d.kmz")
      #expect(outcome.status == 0 || outcome.stderr.hasPrefix("Error: "), "\(position)")
      if outcome.status == 0 { try succeed("drop", scratch.path("s"), "X") }
      try scratch.file("d.kmz", bytes.prefix(position))
      let cut = try run("d.kmz")
      // The directory at the end is not needed: the content has a checksum of its own.
      if position > bytes.count - 120, cut.status == 0 {
        try succeed("drop", scratch.path("s"), "X")
      } else {
        expectSentence(cut, position < bytes.count / 2 ? [] : ["zip archive"])
      }
    }
  }

  @Test func `GPX has waypoints, then tracks, and fields`() throws {
    let scratch = try Scratch()
    try scratch.file(
      "in.geojson",
      #"""
      {"type":"FeatureCollection","features":[
      {"type":"Feature","geometry":{"type":"LineString","coordinates":[[0,0,5],[1,1.5,6]]},
      "properties":{"name":"way","n":null,"time":"2024-02-01T10:00:00Z","a b":1}},
      {"type":"Feature","geometry":{"type":"Point","coordinates":[2.5,48.25,33]},
      "properties":{"name":"A & <b>","n":9007199254740993,"time":"2024-02-03T10:00:00Z","a b":2}},
      {"type":"Feature","geometry":{"type":"Polygon","coordinates":[[[0,0],[4,0],[4,4],[0,0]],
      [[1,0.5],[3,0.5],[3,2],[1,0.5]]]},"properties":{"name":"area","n":1,"a b":3}},
      {"type":"Feature","geometry":null,"properties":{"name":"none","n":3}}]}
      """#)
    try succeed("import", scratch.path("in.geojson"), "--store", scratch.path("a"), "--into", "A")
    try succeed("export", scratch.path("a"), "A", "--to", scratch.path("o.gpx"))
    let program = """
      import sys, xml.etree.ElementTree as e
      n = '{http://www.topografix.com/GPX/1/1}'
      r = e.parse(sys.argv[2]).getroot()
      print([c.tag.replace(n, '') for c in r], r.get('version'))
      print([(c.get('lon'), c.get('lat')) for c in r.iter(n + 'trkpt')][:2])
      print([c.text for c in r.find(n + 'wpt')][:4], len(r.findall('.//' + n + 'trkseg')))
      """
    let parsed = try Program.run(
      [scratch.path("o.gpx")], through: ["/usr/bin/env", "python3", "-c", program])
    #expect(
      parsed.stdout == """
        ['wpt', 'trk', 'trk'] 1.1
        [('0', '0'), ('1', '1.5')]
        ['33', '2024-02-03T10:00:00Z', 'A & <b>', None] 3

        """)
    try succeed("import", scratch.path("o.gpx"), "--store", scratch.path("b"), "--into", "B")
    #expect(
      try succeed(
        "query", scratch.path("b"), "B", "--select", "kind,name,n,a_b", "--format", "csv"
      ).stdout
        == "kind,name,n,a_b\nwaypoint,A & <b>,9007199254740993,2\ntrack,way,,1\ntrack,area,1,3\n")
  }

  @Test func `several classes are layers of a GeoPackage`() throws {
    let scratch = try Scratch()
    let store = try scratch.airportsStore()
    let countries = repository.appendingPathComponent("Datasets/naturalearth/countries.geojson")
    try succeed("import", countries.path, "--store", store, "--into", "Country")
    let file = scratch.path("all.gpkg")
    let outcome = try succeed("export", store, "Airport, Country", "--to", file)
    #expect(outcome.stderr.contains("28,475 objects"))
    for name in ["Airport", "Country"] {
      try succeed("import", file, "--layer", name, "--store", scratch.path("b"), "--into", name)
      let fields = name == "Airport" ? "icao,name,elevation,location" : "name,geometry"
      func objects(_ store: String) throws -> String {
        try succeed(
          "query", store, name, "--select", fields, "--sort", name == "Airport" ? "icao" : "name",
          "--format", "ndjson"
        ).stdout
      }
      #expect(try objects(scratch.path("b")) == objects(store))
    }
    try fail("import", file, "--store", scratch.path("b"), "--into", "X", saying: "Airport (POINT)")
    func fails(_ arguments: String..., saying words: String...) throws {
      expectSentence(try Program.run(["export", store] + arguments), words, status: 64)
    }
    try fails("Airport,Country", "--to", scratch.path("x.csv"), saying: "GeoPackage")
    try fails("Airport,airport", "--to", scratch.path("x.gpkg"), saying: "twice")
    try fails("Airport,Country", "TRUEPREDICATE", "--to", scratch.path("x.gpkg"), saying: "all of")
    try fail(
      "export", store, "Airport,Contry", "--to", scratch.path("x.gpkg"),
      saying: "did you mean 'Country'?")
    #expect(!FileManager.default.fileExists(atPath: scratch.path("x.gpkg")))
  }

  @Test func `Python reads the same rows`() throws {
    let scratch = try Scratch()
    try scratch.file("in.geojson", try randomFeatures(5, nested: true))
    let store = scratch.path("a")
    try succeed("import", scratch.path("in.geojson"), "--store", store, "--into", "A", "--pk", "id")
    try succeed("export", store, "A", "--to", scratch.path("o.csv"))
    try succeed("export", store, "A", "--to", scratch.path("o.geojson"))
    let program = """
      import csv, json, sys
      rows = list(csv.DictReader(open(sys.argv[1], newline='', encoding='utf-8')))
      for row, feature in zip(rows, json.load(open(sys.argv[2], encoding='utf-8'))['features']):
          p, g = feature['properties'], feature['geometry']
          point = [row['longitude'], row['latitude']]
          assert feature['id'] == p['id'] == int(row['id'])
          assert [float(x) for x in point if x] == (g['coordinates'] if g else [])
          assert int(row['integer']) == p['integer'] and float(row['fraction']) == p['fraction']
          assert row['text'] == p['text'] and row['maybe'] == (p['maybe'] or '')
          assert json.loads(row['list']) == p['list'] and row['date'] == p['date']
          assert int(row['inner.a']) == p['inner']['a'] and row['inner.b.c'] == p['inner']['b']['c']
      print(len(rows))
      """
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "python3", "-c", program, scratch.path("o.csv"), scratch.path("o.geojson"),
    ]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()

    #expect(String(decoding: output, as: UTF8.self) == "60\n")
  }

  @Test func `a feature collection follows RFC 7946`() throws {
    let scratch = try Scratch()
    try succeed(
      "export", try Airports.store(), "Airport", "country == 'FJ'", "--to",
      scratch.path("f.geojson"),
      "--sort", "icao", "--near", "178,-18", "--limit", "5")
    let collection = try #require(
      try JSONSerialization.jsonObject(with: try scratch.bytes("f.geojson")) as? [String: Any])
    let features = try #require(collection["features"] as? [[String: Any]])
    let box = try #require(collection["bbox"] as? [Double])
    let properties = try #require(features.first?["properties"] as? [String: Any])
    let distances = features.compactMap {
      ($0["properties"] as? [String: Any])?["distance"] as? Double
    }

    #expect(features.count == 5 && features[0]["id"] as? String == properties["icao"] as? String)
    #expect(properties["location"] == nil)
    #expect(distances == distances.sorted() && distances.count == 5)
    #expect(box.count == 4 && box[0] > 170 && box[1] < box[3])
    // Fiji lies on both sides of the antimeridian.
    let all = try succeed(
      "query", try Airports.store(), "Airport", "country == 'FJ'", "--format", "geojson")
    let wide = try #require((all.json as? [String: Any])?["bbox"] as? [Double])
    #expect(wide[0] > 170 && wide[2] < -170)
  }

  @Test func `sequences have one feature per line, and record separators with --rs`() throws {
    let store = try Airports.store()
    let plain = try succeed(
      "export", store, "Airport", "country == 'LU'", "--to", "-", "--format", "geojsonseq")
    let separated = try succeed(
      "export", store, "Airport", "country == 'LU'", "--to", "-", "--format", "geojsonseq", "--rs")

    let count = Airports.all.count { $0.country == "LU" }
    #expect(plain.lines.count == count && plain.stderr == "\(count) objects to standard output\n")
    #expect(separated.stdout == plain.lines.map { "\u{1E}\($0)\n" }.joined())
  }

  @Test func `a GeoPackage has the same rows and points, and an index`() throws {
    let scratch = try Scratch()
    try succeed(
      "export", try Airports.store(), "Airport", "country == 'FR'", "--to", scratch.path("f.gpkg"))
    var database: OpaquePointer?
    #expect(
      sqlite3_open_v2(scratch.path("f.gpkg"), &database, SQLITE_OPEN_READONLY, nil) == SQLITE_OK)
    defer { sqlite3_close(database) }
    func number(_ sql: String) -> Double {
      var statement: OpaquePointer?
      sqlite3_prepare_v2(database, sql, -1, &statement, nil)
      defer { sqlite3_finalize(statement) }
      return sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_double(statement, 0) : .nan
    }
    let french = Airports.all.filter { $0.country == "FR" }

    #expect(number("SELECT count(*) FROM Airport") == Double(french.count))
    #expect(number("SELECT count(*) FROM rtree_Airport_geom") == Double(french.count))
    #expect(number("SELECT min_x FROM gpkg_contents") == french.map(\.longitude).min())
    let elevation = french.map(\.elevation).max()
    #expect(number("SELECT max(elevation) FROM Airport") == elevation)
  }

  @Test func `files are replaced only with --overwrite`() throws {
    let scratch = try Scratch()
    let file = try scratch.csv("mine", "o.csv")
    let store = try Airports.store()

    try fail("export", store, "Airport", "--to", file, saying: "exists already", "--overwrite")
    #expect(try scratch.bytes("o.csv") == Data("mine".utf8))
    try succeed("export", store, "Airport", "--to", file, "--overwrite", "--limit", "1")
    #expect(try scratch.bytes("o.csv").count > 100 && scratch.names == ["o.csv"])
    try fail("export", store, "Airport", "--to", scratch.path("no/o.csv"), saying: "no/o.csv")
    try fail(
      "export", store, "Airport", "--to", scratch.url.path + "/o", saying: "--format", status: 64)
    try fail(
      "export", store, "Airport", "--to", "-", "--format", "gpkg", saying: "GeoPackage", status: 64)
    try fail("export", store, "Airport", "x == 1", "--to", scratch.path("p.csv"), saying: "'x'")
    #expect(scratch.names == ["o.csv"])
  }

  @Test func `values without a JSON form are strings`() throws {
    let scratch = try Scratch()
    let csv = try scratch.csv("id,n\n1,nan\n2,-inf\n3,-0.0\n4,1e300\n5,0.1\n")
    let store = scratch.path("s")
    try succeed("import", csv, "--store", store, "--into", "A", "--types", "n=double")

    #expect(
      try succeed("query", store, "A", "--select", "n", "--format", "ndjson").stdout
        == """
        {"n":"nan"}
        {"n":"-inf"}
        {"n":-0.0}
        {"n":1e+300}
        {"n":0.1}

        """)
    #expect(
      try succeed("query", store, "A", "--select", "n", "--format", "csv").stdout
        == "n\nnan\n-inf\n-0.0\n1e+300\n0.1\n")
  }
}
