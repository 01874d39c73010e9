import DatasetTestSupport
import Foundation
import Testing

@testable import CadastreDatasets

/// Records inside the members of a document.
@Suite struct JSONInnerRecordsTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// Reads a text with windows of several sizes, which must agree.
  private func reading(_ text: String, _ path: [String]? = nil) throws -> JSONReading {
    let file = try folder.file("file.json", text)
    var options = JSONOptions()
    options.recordsPath = path
    let reading = JSONReading(file, options: options)
    for chunkBytes in [1, 7, 64] {
      options.chunkBytes = chunkBytes
      #expect(JSONReading(file, options: options) == reading, "\(chunkBytes): \(text)")
    }
    return reading
  }

  private func trees(_ text: String) throws -> [JSONTree] {
    let values = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [Any]
    return try #require(values).map(JSONTree.init)
  }

  private func expect(
    _ text: String, _ path: [String]? = nil, holds expected: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let actual = try reading(text, path)
    #expect(actual.records == (try trees(expected)), "\(text)", sourceLocation: sourceLocation)
    #expect(actual.isClean, "\(text)", sourceLocation: sourceLocation)
  }

  private func notice(_ text: String) throws -> String? {
    let reader = try JSONReader(path: try folder.file("notice.json", text))
    var record = JSONRecord()
    while try reader.nextRecord(&record) {}
    return reader.notices.clauses.first
  }

  // MARK: Detection

  @Test func `the elements of the only array of objects are the records`() throws {
    let elements = #"[{"a":1,"tags":["x"]},{"b":{"c":[{}]}}]"#
    for text in [
      #"{"elements":\#(elements)}"#, #"{"version":0.6,"meta":{"n":[1]},"elements":\#(elements)}"#,
      #" { "results" : \#(elements) , "next": null, "none": [], "mixed": [{}, 1] } "#,
    ] {
      try expect(text, holds: elements)
    }
    #expect(try notice(#"{"e":[{}]}"#) == "the records are the elements of 'e'")
    #expect(
      try notice(#"{"v":1,"e":[{}],"w":{}}"#)
        == "the records are the elements of 'e'; not imported: v, w. With --records . the file is "
        + "one object")
  }

  @Test func `objects by keys are the records, and keep their keys`() throws {
    try expect(
      #"{"AD":{"n":"Andorra","p":1}, "\u00e9\n\"":{"p":[{"q":"\t"}]} ,"":{"n":null}}"#,
      holds:
        #"[{"n":"Andorra","p":1,"key":"AD"},{"p":[{"q":"\t"}],"key":"é\n\""},{"n":null,"key":""}]"#)
    #expect(
      try notice(#"{"a":{"n":1},"b":{"n":2}}"#)
        == "the records are the members of the file; their names are the property 'key'")
  }

  @Test func `other documents are one record`() throws {
    for text in [
      // Two tables, one member, objects of different kinds, a property 'key', other values.
      #"{"a":[{}],"b":[{}]}"#, #"{"a":{"n":1}}"#, #"{"a":{"n":1},"b":{"m":1}}"#,
      #"{"a":{"n":1,"key":2},"b":{"n":1}}"#, #"{"a":{"n":1},"b":{"n":1},"c":2}"#,
      #"{"a":[],"b":[1,{}]}"#, "{}",
      // Geography.
      #"{"type":"Feature","properties":{},"list":[{}]}"#,
      #"{"list":[{}],"type":"Point","coordinates":[1,2]}"#,
    ] {
      try expect(text, holds: "[\(text)]")
      #expect(try notice(text) == nil, "\(text)")
    }
    let wrapped = #"{"a":1,"e":[{}]}"#
    try expect(wrapped, [], holds: "[\(wrapped)]")
  }

  // MARK: Paths

  @Test func `a path leads to an array or to objects by keys`() throws {
    try expect(
      #"{"x":[{}],"result":{"fields":[{}],"records":[{"a":1},{"a":2}],"n":2},"records":[{}]}"#,
      ["result", "records"], holds: #"[{"a":1},{"a":2}]"#)
    try expect(
      #"{"r":{"s":{"k1":{"a":1},"k2":{"b":{"c":2}}},"t":[[[]]]}, "u": 1}"#, ["r", "s"],
      holds: #"[{"a":1,"key":"k1"},{"b":{"c":2},"key":"k2"}]"#)
    try expect(#"{"r":[]}"#, ["r"], holds: "[]")
    try expect(#"{"r":{}}"#, ["r"], holds: "[]")
    // The elements of an array are its records for any path.
    try expect(#"[{"a":1}]"#, ["r"], holds: #"[{"a":1}]"#)
  }

  @Test func `a path that leads nowhere is an error`() throws {
    for (text, path, problem) in [
      (#"{"a":1}"#, ["r"], JSONProblem.noRecords(path: ["r"])),
      (#"{"r":{"b":[{}]}}"#, ["r", "s"], .noRecords(path: ["r", "s"])),
      (#"{"r":5}"#, ["r"], .notRecords(path: ["r"])),
      (#"{"r":[{}]}"#, ["r", "s"], .notRecords(path: ["r"])),
      (#"{"r":{"s":"x"}}"#, ["r", "s"], .notRecords(path: ["r", "s"])),
    ] {
      let actual = try reading(text, path)
      #expect(actual.fileError?.problem == .json(problem), "\(text)")
      #expect(actual.records.isEmpty)
    }
  }

  @Test func `invalid elements and members are rejected alone`() throws {
    let elements = try reading(#"{"r":[{"a":1},2,{"a":1,"a":2},{"a":3}]}"#, ["r"])
    #expect(elements.records == (try trees(#"[{"a":1},{"a":3}]"#)))
    #expect(
      elements.rowErrors.map(\.problem) == [
        .json(.notAnObject(found: .integer)), .json(.repeatedName("a")),
      ])
    let members = try reading(#"{"r":{"x":{"key":1},"y":"z","v":{"a":1}}}"#, ["r"])
    #expect(members.records == (try trees(#"[{"a":1,"key":"v"}]"#)))
    #expect(
      members.rowErrors.map(\.problem) == [
        .json(.repeatedName("key")), .json(.notAnObject(found: .string)),
      ])
  }

  @Test func `every cut of a document is an error`() throws {
    for (text, path) in [
      (#"{"v":1,"e":[{"a":1},{"a":[2]}],"w":2}"#, nil),
      (#"{"k":{"a":1},"l":{"a":"x"}}"#, nil),
      (#"{"r":{"s":{"k":{"a":1}}},"t":1}"#, ["r", "s"]),
    ] {
      #expect(try reading(text, path).isClean)
      for count in 0..<text.utf8.count {
        #expect(try reading(String(text.prefix(count)), path).fileError != nil, "\(count): \(text)")
      }
      for tail in ["}", "]", ",", "{}", "x"] {
        #expect(try reading(text + tail, path).fileError != nil, "\(tail): \(text)")
      }
    }
  }

  @Test func `records at a path may be longer together than a record`() throws {
    let row = #"{"a":"\#(String(repeating: "x", count: 400))"}"#
    let text = #"{"v":1,"e":["# + repeatElement(row, count: 10).joined(separator: ",") + "]}"
    let file = try folder.file("long.json", text)
    var options = JSONOptions()
    options.recordLimitBytes = 1000
    let undetected = JSONReading(file, options: options)
    #expect(undetected.fileError?.description.contains("--records") == true)
    options.recordsPath = ["e"]
    let reading = JSONReading(file, options: options)
    #expect(reading.isClean && reading.records.count == 10)
  }
}
