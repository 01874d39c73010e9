import Foundation
import Testing

/// CSV for spreadsheets, which run some texts as formulas.
@Suite struct FormulaTests {
  private let scratch: Scratch
  private let store: String

  /// Texts, and how they are guarded.
  private static let texts = [
    ("=1+1", "'=1+1"), ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"), ("-x", "'-x"),
    ("@SUM(A1)", "'@SUM(A1)"), ("\t=1", "'\t=1"), ("\r=1", "\"'\r=1\""),
    ("=\"a\",1", "\"'=\"\"a\"\",1\""), ("-", "'-"), ("+49 30 1", "'+49 30 1"),
    ("-1-1", "'-1-1"), ("-inf", "'-inf"), ("-5", "-5"), ("+1.5e3", "+1.5e3"), ("1=1", "1=1"),
    ("a", "a"), ("'=1", "'=1"), ("", ""),
  ]

  init() throws {
    scratch = try Scratch()
    store = scratch.path("s")
    let rows = Self.texts.enumerated().map { id, text -> [String: Any] in
      ["id": id, "text": text.0, "=name": "b", "number": -0.5 - Double(id), "list": ["=x"]]
    }
    let json = try JSONSerialization.data(withJSONObject: rows, options: .sortedKeys)
    let file = try scratch.file("in.json", json)
    try succeed("import", file.path, "--store", store, "--into", "T", "--pk", "id")
  }

  @Test func `texts that a spreadsheet would run as formulas get an apostrophe`() throws {
    let file = scratch.path("out.csv")
    try succeed(
      "export", store, "T", "--select", "id,text", "--sort", "id", "--to", file, "--guard-formulas")

    let text = String(decoding: try scratch.bytes("out.csv"), as: UTF8.self)
    let lines = Self.texts.enumerated().map { id, text in "\(id),\(text.1)\n" }
    #expect(text == "id,text\n" + lines.joined())
  }

  @Test func `names of columns are guarded, numbers and nested values are not`() throws {
    let outcome = try succeed(
      "query", store, "T", "id == 0", "--select", "=name,number,list", "--format", "csv",
      "--guard-formulas")

    #expect(outcome.stdout == "'=name,number,list\nb,-0.5,\"[\"\"=x\"\"]\"\n")
  }

  @Test func `without the flag texts are written as they are stored`() throws {
    try succeed("export", store, "T", "--to", scratch.path("out.csv"))
    let copy = scratch.path("copy")
    try succeed(
      "import", scratch.path("out.csv"), "--store", copy, "--into", "T", "--columns", "id,text")

    // The last text is empty, which is null in CSV.
    let arguments = ["T", "id < 16", "--select", "text", "--sort", "id", "--format", "ndjson"]
    let original = try Program.run(["query", store] + arguments)
    #expect(original.lines.count == Self.texts.count - 1)
    #expect(try Program.run(["query", copy] + arguments).stdout == original.stdout)
  }

  @Test(arguments: ["head", "sample", "stats", "query"])
  func `the commands that print CSV have the flag`(command: String) throws {
    let arguments = [command, store, "T", "id == 0", "--guard-formulas", "--format"]
    let guarded = try Program.run(arguments + ["csv"])
    #expect(guarded.status == 0 && guarded.stdout.contains("'=name"), "\(guarded.stderr)")

    let table = try Program.run(arguments + ["table"])
    expectSentence(table, ["--guard-formulas needs the format csv"], status: 64)
  }

  @Test func `aggregates and pairs are guarded`() throws {
    let aggregate = try succeed(
      "aggregate", store, "T", "id < 2", "--compute", "count", "--by", "text", "--format", "csv",
      "--guard-formulas")
    #expect(aggregate.stdout == "text,count\n'+cmd|' /C calc'!A0,1\n'=1+1,1\n")

    let places = scratch.path("places")
    let csv = try scratch.csv("name,lon,lat\n=1,2.5,48.5\n", "places.csv")
    try succeed("import", csv, "--store", places, "--into", "P")
    let pairs = try succeed(
      "join", places, "P", "P", "--nearest", "1", "--select", "name,other.name", "--format",
      "csv", "--guard-formulas", "--outer")
    #expect(pairs.stdout.contains("\n'=1,"))
  }

  @Test func `another format is a usage error`() throws {
    try fail(
      "export", store, "T", "--to", scratch.path("a.geojson"), "--guard-formulas",
      saying: "--guard-formulas needs the format csv", status: 64)
  }
}
