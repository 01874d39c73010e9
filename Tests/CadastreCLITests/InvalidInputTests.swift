import Foundation
import Testing

/// Files and options that are refused: a sentence, and nothing is left behind.
@Suite struct BadInputTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Imports a file into a store that is not there, then into one that is; both must stay as they
  /// are.
  private func refuse(
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

  @Test func `files that are none`() throws {
    try refuse(scratch.path("none.csv"), saying: "none.csv", "no such file")
    try refuse(scratch.url.path, saying: "is a directory", "expected a file")
    try refuse(try scratch.csv(""), saying: "table.csv", "empty", "header")
    try refuse("/dev/null", saying: "/dev/null")
    try refuse(
      try scratch.file("png", Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A])).path, saying: "png")
  }

  @Test func `rows and headers that are broken`() throws {
    try refuse(try scratch.csv("a,b\n1,2\n3\n"), saying: "line 3", "found 1 field; expected 2")
    try refuse(try scratch.csv("a,b\n1,2,3\n"), saying: "line 2", "found 3 fields; expected 2")
    try refuse(try scratch.csv("a\n\"x\n"), saying: "line 2", "never closed")
    try refuse(try scratch.csv("a,b,a\n"), saying: "'a'", "columns 1 and 3")
    try refuse(try scratch.csv("a,,b\n"), saying: "column 2", "no name")
    try refuse(
      try scratch.file("latin1.csv", Data("a\nok\n".utf8 + [0xE9, 0x0A])).path,
      saying: "line 3", "UTF-8")
  }

  @Test func `places that are nowhere`() throws {
    try refuse(try scratch.csv("a,lat,lon\n1,95,2\n"), saying: "line 2", "latitude 95", "-90…90")
    try refuse(try scratch.csv("a,lat,lon\n1,5,-181\n"), saying: "longitude -181", "-180…180")
    try refuse(
      try scratch.csv("a,lat,lon\n1,5,west\n"), saying: "line 2", "'lon'", "longitude", "'west'")
    try refuse(try scratch.csv("a,lat,lon\n1,5,\n"), saying: "line 2", "no longitude")
    try refuse(try scratch.csv("a,lat,lon\n1,nan,1\n"), saying: "line 2", "nan")
    try refuse(try scratch.csv("a,wkt\n1,POINT (1)\n"), saying: "line 2", "expected a number")
    try refuse(
      try scratch.csv("a,wkt\n1,\"\u{1B}[31m\nPOINT\"\n"), saying: "line 2", "POINT")
    try refuse(try scratch.csv("a,lat\n1,2\n"), saying: "latitude", "no longitude")
    try refuse(try scratch.csv("a,lat,lon,lng\n1,2,3,4\n"), saying: "lon, lng", "expected one")
    try refuse(
      try scratch.csv("a,b\n1,2\n"), "--location", "x,y", saying: "no column 'x'", "a, b")
    try refuse(try scratch.csv("a,b\n1,2\n"), "--wkt", "x", saying: "no column 'x'")
    try refuse(try scratch.csv("a,b\n1,2\n"), "--bbox", "1,2,3,4", saying: "--bbox", "--location")
    try refuse(
      try scratch.csv("location,lat,lon\n1,2,3\n"), saying: "column 'location'", "rename")
  }

  @Test func `keys, types and columns that do not fit`() throws {
    try refuse(try scratch.csv("a\n1\n2\n1\n"), "--pk", "a", saying: "line 4", "'a'", "--upsert")
    try refuse(try scratch.csv("a\n1\n"), "--pk", "b", saying: "--pk", "'b'", "expected one of a")
    try refuse(try scratch.csv("a\n1\n"), "--index", "b", saying: "--index", "'b'")
    try refuse(try scratch.csv("a\n1.5\n"), "--pk", "a", saying: "'T.a'", "primary key")
    try refuse(
      try scratch.csv("a,b\n,1\n"), "--pk", "a", "--types", "a=int", saying: "line 2", "'a'")
    try refuse(try scratch.csv("a\n1\n"), "--types", "a", saying: "'a'", "column=type")
    try refuse(try scratch.csv("a\n1\n"), "--types", "a=thing", saying: "'thing'", "int, double")
    try refuse(try scratch.csv("a\n1\n"), "--types", "b=int", saying: "no column 'b'")
    try refuse(
      try scratch.csv("a\n1\nx\n"), "--types", "a=int", saying: "line 3", "expected a int", "'x'")
    try refuse(try scratch.csv("a\n1\n"), "--upsert", saying: "no primary key", "--pk")
    try refuse(try scratch.csv("a.b,a_b\n1,2\n"), saying: "'a.b' and 'a_b'", "rename")
    try refuse(try scratch.csv("a\n1\n"), "--where", "b = 1", saying: "'b'", "^")
    try refuse(try scratch.csv("a\n1\n"), "--where", "a = '", saying: "closing '", "^")
    try refuse(
      try scratch.csv("a\n1\n"), "--rejects", scratch.path("no/file"), saying: "no/file",
      "No such file")
  }

  @Test func `class names that are none, or taken by places`() throws {
    let csv = try scratch.csv("a,lat,lon\n1,2,3\n")
    for (name, word) in [("", "Class name ''"), ("Location", "class 'Location'")] {
      try fail("import", csv, "--store", scratch.path("s"), "--into", name, saying: word)
    }
    #expect(scratch.names == ["table.csv"])
  }

  // MARK: Queries

  private func refuse(
    question: String..., saying words: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for verb in ["query", "explain"] {
      let outcome = try Program.run([verb, try Airports.store()] + question)
      expectSentence(outcome, words, sourceLocation: sourceLocation)
    }
  }

  @Test func `names that do not exist`() throws {
    try refuse(
      question: "Airport", "elevatoin > 3", saying: "'elevatoin'", "did you mean 'elevation'?",
      "\n  ^^^^^^^^^\n")
    try refuse(question: "Airpot", saying: "'Airpot'", "did you mean 'Airport'?")
    try refuse(
      question: "Airport", "--sort", "elevatoin", saying: "'elevatoin'", "did you mean 'elevation'?"
    )
    try refuse(question: "Airport", "--sort", "icao up", saying: "'icao up'", "FIELD desc")
    try refuse(question: "Airport", "--sort", "", saying: "expected 'FIELD'")
    try refuse(question: "Airport", "--sort", "location", saying: "'location'", "no order")
    let select = try Program.run(["query", try Airports.store(), "Airport", "--select", "nme"])
    expectSentence(select, ["'nme'", "did you mean 'name'?"])
  }

  @Test func `predicates that cannot be read`() throws {
    try refuse(question: "Airport", "name == 'x", saying: "closing '", "^")
    try refuse(question: "Airport", "name ==", saying: "end of the text", "^")
    try refuse(question: "Airport", "", saying: "expected")
    try refuse(
      question: "Airport", "location GEOWITHIN geoPolygon({[5, 47], [16, 46], [19, 50], [14, 55]})",
      saying: "ring 0 is not closed", "^")
    try refuse(question: "Airport", "name > 3", saying: "'name'", "^")
  }

  @Test func `arguments that are missing or make no sense`() throws {
    let scratch = try Scratch()
    let text = try scratch.csv("a,\u{1B}[1m\n1\n")
    try refuse(question: "Airport", "elevation > $0", saying: "argument 0", "^")
    try refuse(
      question: "Airport", "elevation > $1", "--arg", "1", saying: "argument 1", "^")
    try refuse(
      question: "Airport", "elevation > $0", "--arg", "\"x\"", saying: "'elevation'", "double")
    try refuse(
      question: "Airport", "location GEOWITHIN $0", "--arg", "@/none", saying: "'/none'")
    try refuse(
      question: "Airport", "location GEOWITHIN $0", "--arg", "@\(text)", saying: "POLYGON", "a,␛[1m"
    )
  }

  @Test func `answers that cannot be written`() throws {
    let store = try Airports.store()
    try fail("query", store, "Airport", "--map", scratch.path("no/map.svg"), saying: "no/map.svg")
    try fail("query", store, "Airport", "--map", scratch.url.path, saying: "is a directory")
    guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
    // A query into a file on a full disk ended with a trace of the stack.
    let full = URL(fileURLWithPath: "/dev/full")
    let outcome = try Program.run(["query", store, "Airport", "--limit", "9"], output: full)
    expectSentence(outcome, ["cannot write the results"])
  }
}
