import Foundation
import Testing

/// Invalid files and options: the program prints one sentence and changes nothing.
@Suite struct InvalidInputTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Imports a file into a new store and into an existing one; both imports must fail and change
  /// nothing.
  private func expectError(
    _ file: String, _ options: String..., saying words: String...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let fresh = try Program.run(
      ["import", file, "--store", scratch.path("fresh"), "--into", "T"] + options)
    expectSentence(fresh, words, sourceLocation: sourceLocation)
    #expect(!scratch.names.contains { $0.hasPrefix("fresh") }, sourceLocation: sourceLocation)

    let good = try scratch.csv("z\n1\n", "good.csv")
    if !scratch.names.contains("old") {
      try succeed("import", good, "--store", scratch.path("old"), "--into", "Old")
    }
    let before = try scratch.bytes("old")
    let old = try Program.run(
      ["import", file, "--store", scratch.path("old"), "--into", "T"] + options)
    expectSentence(old, words, sourceLocation: sourceLocation)
    #expect(try scratch.bytes("old") == before, sourceLocation: sourceLocation)
    #expect(!scratch.names.contains("old-wal"), sourceLocation: sourceLocation)
  }

  @Test func `missing, empty and binary files`() throws {
    try expectError(scratch.path("none.csv"), saying: "none.csv", "does not exist")
    let folder = scratch.path("folder")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try expectError(folder, saying: "is a directory", "expected a file")
    try expectError(try scratch.csv(""), saying: "table.csv", "empty", "header")
    try expectError("/dev/null", saying: "/dev/null")
    try expectError(
      try scratch.file("png", Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A])).path, saying: "png")
  }

  @Test func `malformed rows and headers`() throws {
    try expectError(try scratch.csv("a,b\n1,2\n3\n"), saying: "line 3", "found 1 field; expected 2")
    try expectError(try scratch.csv("a,b\n1,2,3\n"), saying: "line 2", "found 3 fields; expected 2")
    try expectError(try scratch.csv("a\n\"x\n"), saying: "line 2", "never closed")
    try expectError(
      try scratch.file("latin1.csv", Data("a\nok\n".utf8 + [0xE9, 0x0A])).path,
      saying: "line 3", "UTF-8")
  }

  @Test func `invalid coordinates`() throws {
    try expectError(
      try scratch.csv("a,lat,lon\n1,95,2\n"), saying: "line 2", "latitude 95", "-90…90")
    try expectError(try scratch.csv("a,lat,lon\n1,5,-181\n"), saying: "longitude -181", "-180…180")
    try expectError(
      try scratch.csv("a,lat,lon\n1,5,west\n"), saying: "line 2", "'lon'", "longitude", "'west'")
    try expectError(try scratch.csv("a,lat,lon\n1,5,\n"), saying: "line 2", "no longitude")
    try expectError(try scratch.csv("a,lat,lon\n1,nan,1\n"), saying: "line 2", "nan")
    try expectError(try scratch.csv("a,wkt\n1,POINT (1)\n"), saying: "line 2", "expected a number")
    try expectError(
      try scratch.csv("a,wkt\n1,\"\u{1B}[31m\nPOINT\"\n"), saying: "line 2", "POINT")
    try expectError(try scratch.csv("a,lat\n1,2\n"), saying: "latitude", "no longitude")
    try expectError(try scratch.csv("a,lat,lon,lng\n1,2,3,4\n"), saying: "lon, lng", "expected one")
    try expectError(
      try scratch.csv("a,b\n1,2\n"), "--location", "x,y", saying: "no column 'x'", "a, b")
    try expectError(try scratch.csv("a,b\n1,2\n"), "--wkt", "x", saying: "no column 'x'")
    try expectError(
      try scratch.csv("a,b\n1,2\n"), "--bbox", "1,2,3,4", saying: "--bbox", "--location")
  }

  @Test func `invalid keys, types and columns`() throws {
    try expectError(
      try scratch.csv("a\n1\n2\n1\n"), "--pk", "a", saying: "line 4", "'a'", "--upsert")
    try expectError(
      try scratch.csv("a\n1\n"), "--pk", "b", saying: "--pk", "'b'", "expected one of a")
    try expectError(try scratch.csv("a\n1\n"), "--index", "b", saying: "--index", "'b'")
    try expectError(try scratch.csv("a\n1.5\n"), "--pk", "a", saying: "'T.a'", "primary key")
    try expectError(
      try scratch.csv("a,b\n,1\n"), "--pk", "a", "--types", "a=int", saying: "line 2", "'a'")
    try expectError(try scratch.csv("a\n1\n"), "--types", "a", saying: "'a'", "column=type")
    try expectError(
      try scratch.csv("a\n1\n"), "--types", "a=thing", saying: "'thing'", "int, double")
    try expectError(try scratch.csv("a\n1\n"), "--types", "b=int", saying: "no column 'b'")
    try expectError(
      try scratch.csv("a\n1\nx\n"), "--types", "a=int", saying: "line 3", "expected an int", "'x'")
    try expectError(try scratch.csv("a\n1\n"), "--upsert", saying: "no primary key", "--pk")
    try expectError(try scratch.csv("a\n1\n"), "--where", "b = 1", saying: "'b'", "^")
    try expectError(try scratch.csv("a\n1\n"), "--where", "a = '", saying: "closing '", "^")
    try expectError(
      try scratch.csv("a\n1\n"), "--rejects", scratch.path("no/file"), saying: "no/file",
      "No such file")
  }

  @Test func `invalid and reserved class names`() throws {
    let csv = try scratch.csv("a,lat,lon\n1,2,3\n")
    for (name, word) in [("", "Class name ''"), ("Location", "class 'Location'")] {
      try fail("import", csv, "--store", scratch.path("s"), "--into", name, saying: word)
    }
    #expect(scratch.names == ["table.csv"])
  }

  // MARK: Queries

  private func expectError(
    query: String..., saying words: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for command in ["query", "explain"] {
      let outcome = try Program.run([command, try Airports.store()] + query)
      expectSentence(outcome, words, sourceLocation: sourceLocation)
    }
  }

  @Test func `unknown names`() throws {
    try expectError(
      query: "Airport", "elevatoin > 3", saying: "'elevatoin'", "did you mean 'elevation'?",
      "\n  ^^^^^^^^^\n")
    try expectError(query: "Airpot", saying: "'Airpot'", "did you mean 'Airport'?")
    try expectError(
      query: "Airport", "--sort", "elevatoin", saying: "'elevatoin'", "did you mean 'elevation'?"
    )
    try expectError(query: "Airport", "--sort", "icao up", saying: "'icao up'", "FIELD desc")
    try expectError(query: "Airport", "--sort", "", saying: "expected 'FIELD'")
    try expectError(query: "Airport", "--sort", "location", saying: "'location'", "no order")
    let select = try Program.run(["query", try Airports.store(), "Airport", "--select", "nme"])
    expectSentence(select, ["'nme'", "did you mean 'name'?"])
  }

  @Test func `malformed predicates`() throws {
    try expectError(query: "Airport", "name == 'x", saying: "closing '", "^")
    try expectError(query: "Airport", "name ==", saying: "end of the text", "^")
    try expectError(query: "Airport", "", saying: "expected")
    try expectError(
      query: "Airport", "location GEOWITHIN geoPolygon({[5, 47], [16, 46], [19, 50], [14, 55]})",
      saying: "ring 0 is not closed", "^")
    try expectError(query: "Airport", "name > 3", saying: "'name'", "^")
  }

  @Test func `missing and invalid arguments`() throws {
    let scratch = try Scratch()
    let text = try scratch.csv("a,\u{1B}[1m\n1\n")
    try expectError(query: "Airport", "elevation > $0", saying: "argument 0", "^")
    try expectError(
      query: "Airport", "elevation > $1", "--arg", "1", saying: "argument 1", "^")
    try expectError(
      query: "Airport", "elevation > $0", "--arg", "\"x\"", saying: "'elevation'", "double")
    try expectError(
      query: "Airport", "location GEOWITHIN $0", "--arg", "@/none", saying: "'/none'")
    try expectError(
      query: "Airport", "location GEOWITHIN $0", "--arg", "@\(text)", saying: "POLYGON", "a,␛[1m"
    )
  }

  @Test func `results that cannot be written`() throws {
    let store = try Airports.store()
    try fail("query", store, "Airport", "--map", scratch.path("no/map.svg"), saying: "no/map.svg")
    try fail("query", store, "Airport", "--map", scratch.url.path, saying: "is a directory")
    guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
    // Regression: a query whose output went to a full disk ended with a stack trace.
    let full = URL(fileURLWithPath: "/dev/full")
    let outcome = try Program.run(["query", store, "Airport", "--limit", "9"], output: full)
    expectSentence(outcome, ["cannot write the results"])
  }

  @Test func `a region file without end is an error`() throws {
    let store = try scratch.airportsStore()
    try fail(
      "query", store, "Airport", "location GEOWITHIN $0", "--arg", "@/dev/zero",
      saying: "/dev/zero", "more than 67,108,864 bytes")
  }
}
