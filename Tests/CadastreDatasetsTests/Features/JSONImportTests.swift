import CadastreModel
import CadastrePredicate
import Foundation
import Testing

@testable import CadastreDatasets

@Suite struct JSONImportTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func settings(_ text: String, _ name: String = "x.ndjson") throws -> ImportSettings {
    ImportSettings(
      files: [try folder.file(name, text)], store: folder.url.appendingPathComponent("s").path,
      className: "T")
  }

  @discardableResult
  private func run(
    _ text: String, _ name: String = "x.ndjson", _ change: (inout ImportSettings) -> Void = { _ in }
  ) throws -> ImportReport {
    var settings = try settings(text, name)
    change(&settings)
    return try Importer(settings).run()
  }

  private func message(
    _ text: String, _ name: String = "x.ndjson", _ change: (inout ImportSettings) -> Void = { _ in }
  ) -> String {
    do {
      try run(text, name, change)
      return ""
    } catch {
      return "\(error)"
    }
  }

  /// Returns the properties of the class that an import creates, and those of its embedded classes.
  private func schema(_ text: String) throws -> [String] {
    let report = try run(text) { $0.isDryRun = true }
    return report.schemaText.split(separator: "\n").dropFirst().map {
      String($0.drop { $0 == " " })
    }
  }

  /// Returns the objects as JSON, sorted by internal key.
  private func objects() throws -> [String] {
    let query = try StoreQuery(
      store: folder.url.appendingPathComponent("s").path, className: "T", predicate: nil)
    return try query.keys().compactMap {
      try query.record($0).map { FieldText.json(.record($0)) }
    }
  }

  @Test(arguments: [
    ("ANY tags == 'x'", 1), ("ALL tags == 'y'", 2), ("tags.@count == 0", 1), ("tags[0] == 'y'", 1),
    ("inner.b == 3", 1), ("inner == null", 1), ("parts.@sum.c == 2", 1), ("ANY parts.c == 2", 2),
    ("SUBQUERY(parts, $p, $p.c > 1 AND ANY $p.d == 5).@count == 1", 1), ("marks['k'] == 1", 1),
    ("marks.@count == 0", 2), ("a > 1 AND NOT ANY tags == 'y'", 1),
  ])
  func `a condition selects records by their lists, maps and embedded objects`(
    condition: String, count: Int
  ) throws {
    let predicate = try QueryPredicate(parsing: condition)
    let text = """
      {"a":1,"tags":["x","y"],"inner":{"b":2},"parts":[{"c":1,"d":[]},{"c":2,"d":[4,5]}],"marks":{"k":1,"":2}}
      {"a":2,"tags":[],"inner":{"b":3},"parts":[]}
      {"a":3,"tags":["y"],"parts":[{"c":2,"d":[4]}]}
      """
    let report = try run(text) {
      $0.predicate = predicate
      $0.isDryRun = true
    }
    #expect(report.inserted == count)
    #expect(report.skipped == 3 - count)
  }

  @Test(arguments: [
    ("{\"a\":1}\n{\"a\":2}", ["a: int"]),
    ("{\"a\":1}\n{}", ["a: int, optional"]),
    ("{\"a\":1}\n{\"a\":null}", ["a: int, optional"]),
    ("{\"a\":1}\n{\"a\":2.5}", ["a: double"]),
    ("{\"a\":9007199254740993}\n{\"a\":2.5}", ["a: mixed"]),
    ("{\"a\":18446744073709551616}", ["a: decimal128"]),
    ("{\"a\":true}\n{\"a\":false}", ["a: bool"]),
    ("{\"a\":true}\n{\"a\":0}", ["a: mixed"]),
    ("{\"a\":\"1\"}", ["a: string"]),
    ("{\"a\":\"2026-11-22\"}", ["a: date"]),
    ("{\"a\":\"0190163d-8694-739b-aea5-966c26f8ad91\"}", ["a: uuid"]),
    ("{\"a\":{\"$oid\":\"507f1f77bcf86cd799439011\"}}", ["a: object id"]),
    ("{\"a\":null}", ["a: mixed"]),
    ("{\"a\":[1,2]}\n{\"a\":[2.5]}", ["a: list of double"]),
    ("{\"a\":[1,null]}", ["a: list of int, optional"]),
    ("{\"a\":[]}", ["a: list of mixed"]),
    ("{\"a\":[1,\"x\"]}", ["a: list of mixed"]),
    ("{\"a\":[[1],[2]]}", ["a: list of mixed"]),
    ("{\"a\":{}}", ["a: map of mixed"]),
    ("{\"a\":{\"b\":1}}", ["a: TA, optional", "TA (embedded)", "b: int"]),
    ("{\"a\":{\"b\":1}}\n{\"a\":3}", ["a: mixed"]),
    (
      "{\"a\":[{\"b\":1},{\"c\":{\"d\":[true]}}]}",
      [
        "a: list of TA", "TA (embedded)", "b: int, optional", "c: TAC, optional",
        "TAC (embedded)", "d: list of bool",
      ]
    ),
    ("{\"a\":{\"\":1}}", ["a: map of int"]),
    (
      "{\"a\":{\"type\":\"Point\",\"coordinates\":[1,2]}}", ["a: Location, optional"]
    ),
    ("{\"lat\":1,\"lon\":2,\"a\":3}", ["a: int", "location: Location, optional"]),
  ])
  func `the type of a member is the common type of its values`(
    text: String, properties: [String]
  ) throws {
    #expect(try schema(text) == properties)
  }

  @Test func `an object with more than 100 names becomes a map`() throws {
    let members = (0...100).map { "\"k\($0)\":\($0)" }
    #expect(try schema("{\"a\":{\(members.joined(separator: ","))}}") == ["a: map of int"])
    #expect(
      try schema("{\"a\":{\(members.joined(separator: ",")),\"x\":\"y\"}}") == ["a: map of mixed"])
    #expect(try schema("{\"a\":{\(members.dropLast().joined(separator: ","))}}").count == 102)
  }

  @Test func `many names neither fill the memory nor create properties`() throws {
    let members = (0..<100).map {
      "\"k\($0)\":{\((0..<100).map { "\"l\($0)\":[1]" }.joined(separator: ","))}"
    }
    let wide = (0..<4000).map { "{\"n\($0)\":1}" }.joined(separator: "\n")

    #expect(message(wide).contains("more than 2,000 different members"))
    // 10,100 names in all: most objects become maps.
    let properties = try schema("{\(members.joined(separator: ","))}")
    #expect(properties[0] == "k0: TK0, optional")
    #expect(properties[99] == "k99: map of mixed")
  }

  @Test func `exported objects equal the imported ones`() throws {
    let texts = [
      #"{"id":1,"a":{"b":[{"c":"x","d":{"e":[1,2]}}],"f":null},"g":{"x.y":1,"$z":2},"h":[1,"a",{"i":[]}]}"#,
      #"{"id":2,"a":null,"g":{},"h":null}"#,
      #"{"id":3,"a":{"b":[],"f":"t"},"g":{"k":3},"h":{"j":{"k":null}}}"#,
    ]
    // Names that keys of maps cannot have; `a` to `d` are embedded objects.
    let g = (0...100).map { "\"n\($0)\":0" }.joined(separator: ",")
    try run(texts.joined(separator: "\n") + "\n{\"id\":4,\"g\":{\(g)}}")

    let stored = try objects()
    #expect(
      stored[0]
        == #"{"id":1,"a":{"b":[{"c":"x","d":{"e":[1,2]}}],"f":null},"g":{"$z":2,"x.y":1},"#
        + #""h":[1,"a",{"i":[]}]}"#)
    #expect(stored[1] == #"{"id":2,"a":null,"g":{},"h":null}"#)
    #expect(stored[2] == #"{"id":3,"a":{"b":[],"f":"t"},"g":{"k":3},"h":{"j":{"k":null}}}"#)
    #expect(stored.count == 4)
  }

  @Test func `an upsert updates all members and is idempotent`() throws {
    let first = #"{"id":1,"tags":["a","b"],"parts":[{"n":1},{"n":2}],"m":{"x":1},"o":{"l":[1]}}"#
    let second = #"{"id":1,"tags":["c"],"parts":[],"m":null,"o":null}"#
    try run(first + "\n" + #"{"id":2}"#) { $0.primaryKey = "id" }
    for isUnchanged in [false, true] {
      let report = try run(second) {
        $0.primaryKey = "id"
        $0.keyPolicy = .update
      }
      #expect((report.updated, report.unchanged) == (isUnchanged ? (0, 1) : (1, 0)))
      #expect(try objects()[0] == #"{"id":1,"tags":["c"],"parts":[],"m":null,"o":null}"#)
    }
    for isUnchanged in [false, true] {
      let report = try run(first) {
        $0.primaryKey = "id"
        $0.keyPolicy = .update
      }
      #expect((report.updated, report.unchanged) == (isUnchanged ? (0, 1) : (1, 0)))
      #expect(try objects()[0] == first)
    }
    // Members that the file does not have keep their values.
    try run(#"{"id":1,"tags":["z"]}"#) {
      $0.primaryKey = "id"
      $0.keyPolicy = .update
    }
    #expect(try objects()[0] == first.replacing(#"["a","b"]"#, with: #"["z"]"#))
  }

  @Test func `features have a location, an id and foreign members`() throws {
    let report = try run(
      """
      {"type":"FeatureCollection","name":"n","features":[
      {"type":"Feature","id":7,"geometry":{"type":"Point","coordinates":[1,2,3]},
       "properties":{"a":"x"},"bbox":[1,2,1,2],"extra":true},
      {"type":"Feature","geometry":null,"properties":null},
      {"type":"Feature","id":8,"geometry":{"type":"Point","coordinates":[]},
       "properties":{"id":9,"a":"y"}}]}
      """, "x.geojson")

    #expect(report.inserted == 3)
    #expect(
      try objects() == [
        #"{"a":"x","id":7,"extra":true,"location":{"type":"Point","coordinates":[1,2,3]}}"#,
        #"{"a":null,"id":null,"extra":null,"location":null}"#,
        #"{"a":"y","id":9,"extra":null,"location":null}"#,
      ])
  }

  @Test(arguments: [
    (#"{"type":"Curve","coordinates":[]}"#, "'geometry': expected a Point, found a Curve"),
    (
      #"{"type":"Point","coordinates":[181,0]}"#,
      "'geometry': longitude 181.0 is not within -180…180 degrees (--wrap takes it)"
    ),
    (
      #"{"type":"Point","coordinates":[1]}"#, "'geometry': there is a longitude but no latitude"
    ),
    (
      #"{"type":"Point","coordinates":[1,"2"]}"#,
      "'geometry': expected longitude and latitude in degrees, found '2'"
    ),
    (
      #"{"type":"Point","coordinates":[1,1e999]}"#,
      "'geometry': expected longitude and latitude in degrees, found '1e999'"
    ),
    (#"{"type":"Point"}"#, "'geometry': expected coordinates, found none"),
  ])
  func `a geometry that is no point is rejected with the reason`(
    geometry: String, reason: String
  ) throws {
    let text = #"{"type":"Feature","properties":{},"geometry":"# + geometry + "}"
    #expect(message(text).hasSuffix("x.ndjson, line 1: " + reason))

    let report = try run(text + "\n" + #"{"type":"Feature","properties":{"a":1},"geometry":null}"#)
    {
      $0.maximumRejects = 1
    }
    #expect(report.rejects.map(\.reason) == [reason])
    #expect(report.rejects.first?.line == 1)
    #expect(report.rejects.first?.field == "geometry")
    #expect(report.inserted == 1)
  }

  @Test func `lines that are no JSON are rejected with line and column`() throws {
    let text = "{\"a\":1}\n{\"a\":2,}\n\n[1]\n{\"a\":3}"
    #expect(message(text).contains("x.ndjson, line 2, column 8: "))

    let report = try run(text) { $0.maximumRejects = 2 }
    #expect(report.read == 4)
    #expect(report.inserted == 2)
    #expect(report.rejects.map(\.line) == [2, 4])
    #expect(report.rejects.map(\.column) == [8, 1])
  }

  @Test func `an incompatible class is explained property by property`() throws {
    try run(#"{"a":1,"b":"x","c":[1],"d":{"e":1},"f":"g"}"#)

    let sentence = message(#"{"a":"many","b":2,"c":1,"d":{"e":1,"z":2},"n":true}"#)

    #expect(
      sentence == "class 'T' exists already and does not match the files: "
        + "'a': string in the files (1 text), int in the class; "
        + "'c': int in the files (the only value is an integer), list of int in the class; "
        + "'d': object of e, z in the files (objects with 2 names in all), TD, optional in the class; "
        + "'n': bool in the files, not in the class; "
        + "'f': string in the class, not in the files")
  }

  @Test func `values are converted to the types of the stored class`() throws {
    try run(#"{"a":1.5,"b":"x","s":"2020-01-01T00:00:00Z","d":18446744073709551616}"#)
    try run(#"{"a":2,"b":3.10,"s":"2021-01-01","d":1}"#)

    #expect(
      try objects()[1]
        == #"{"a":2.0,"b":"3.10","s":"2021-01-01T00:00:00Z","d":1}"#)
  }
}
