import Testing

@testable import CadastreDatasets

@Suite struct TopoJSONTests {
  private let files: FeatureImport
  /// Two squares that share an edge, in quantized coordinates; the right one takes it in reverse.
  private static let squares = """
    {"type":"Topology","transform":{"scale":[0.5,0.25],"translate":[10,20]},
    "arcs":[[[2,0],[0,4]],[[2,4],[-2,0],[0,-4],[2,0]],[[2,0],[2,0],[0,4],[-2,0]]],
    "objects":{"plots":{"type":"GeometryCollection","geometries":[
    {"type":"Polygon","id":"left","properties":{"area":2,"tags":{"a":[1,"é\\n"]}},"arcs":[[0,1]]},
    {"type":"MultiPolygon","id":"right","properties":{"area":3},"arcs":[[[-1,2]]]},
    {"type":null,"id":"none"}]},
    "marks":{"type":"GeometryCollection","geometries":[
    {"type":"Point","coordinates":[2,4]},{"type":"MultiPoint","coordinates":[[0,0],[2,4]]},
    {"type":"LineString","arcs":[0,~0]},{"type":"MultiLineString","arcs":[[1],[-1]]},
    {"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[0,0]},
    {"type":"LineString","arcs":[1]}]}]}}}
    """.replacing("~0", with: "1")

  init() throws { files = try FeatureImport() }

  @Test func `polygons share their arcs`() throws {
    let path = try files.file("a.topojson", Self.squares.utf8)
    #expect(
      try files.objects(path) { $0.layer = "plots" }.objects == [
        #"{"id":"left","area":2,"tags":{"a":[1,"é\n"]},"geometry":{"type":"Polygon","#
          + #""coordinates":[[[11.0,20.0],[11.0,21.0],[10.0,21.0],[10.0,20.0],[11.0,20.0]]]}}"#,
        #"{"id":"right","area":3,"tags":null,"geometry":{"type":"MultiPolygon","#
          + #""coordinates":[[[[11.0,21.0],[11.0,20.0],[12.0,20.0],[12.0,21.0],[11.0,21.0]]]]}}"#,
        #"{"id":"none","area":null,"tags":null,"geometry":null}"#,
      ])
  }

  @Test func `a file is detected by its content, and every type is read`() throws {
    let path = try files.file("a.json", Self.squares.utf8)
    let objects = try files.objects(path) { $0.layer = "marks" }.objects
    let coordinates = [
      #"{"type":"Point","coordinates":[11.0,21.0]}"#,
      #"{"type":"MultiPoint","coordinates":[[10.0,20.0],[11.0,21.0]]}"#,
      #"{"type":"LineString","coordinates":[[11.0,20.0],[11.0,21.0],[10.0,21.0],[10.0,20.0],"#
        + "[11.0,20.0]]}",
      #"{"type":"MultiLineString","coordinates":[[[11.0,21.0],[10.0,21.0],[10.0,20.0],"#
        + "[11.0,20.0]],[[11.0,21.0],[11.0,20.0]]]}",
      #"{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[10.0,20.0]},"#
        + #"{"type":"LineString","coordinates":[[11.0,21.0],[10.0,21.0],[10.0,20.0],[11.0,20.0]]}]}"#,
    ]
    #expect(objects == coordinates.map { "{\"geometry\":\($0)}" })
  }

  @Test func `coordinates without a transform are degrees`() throws {
    let path = try files.file(
      "a.topojson",
      (#"{"type":"Topology","arcs":[[[1.5,2],[3,4],[5,6]]],"objects":{"x":{"type":"LineString","#
        + #""arcs":[0],"properties":{"n":1}}}}"#).utf8)
    #expect(
      try files.objects(path).objects == [
        #"{"n":1,"geometry":{"type":"LineString","coordinates":[[1.5,2.0],[3.0,4.0],[5.0,6.0]]}}"#
      ])
  }

  @Test func `several objects need a layer`() throws {
    let message = try files.message("a.topojson", Self.squares.utf8)
    #expect(message.contains("marks") && message.contains("plots"))
    let missing = try files.message("a.topojson", Self.squares.utf8) { $0.layer = "lakes" }
    #expect(missing.contains("lakes") && missing.contains("plots"))
  }

  @Test(arguments: [
    (#""arcs":[[0,9]]"#, "the index of one of 3 arcs, found '9'"),
    (#""arcs":[[0,-4]]"#, "the index of one of 3 arcs, found '-4'"),
    (#""arcs":[[0,-9223372036854775808]]"#, "the index of one of 3 arcs"),
    (#""arcs":[[0,1.5]]"#, "the index of one of 3 arcs, found '1.5'"),
    (#""arcs":[[0,"x"]]"#, "the index of one of 3 arcs"), (#""arcs":[0]"#, "an array of indexes"),
    (#""arcs":3"#, "expected 'arcs' of a Polygon"), (#""coordinates":[]"#, "expected 'arcs'"),
    (#""arcs":[[0]]"#, "fewer than four positions"),
  ])
  func `a geometry with other arcs is rejected`(arcs: String, reason: String) throws {
    let text = Self.squares.replacing(#""arcs":[[0,1]]"#, with: arcs)
    let message = try files.message("a.topojson", text.utf8) { $0.layer = "plots" }
    #expect(message.hasPrefix("a.topojson, line 1") && message.contains(reason), "\(message)")
  }

  @Test(arguments: [
    ("[0,4]", "[0]"), ("[0,4]", "[0,\"x\"]"), ("[0,4]", "3"), ("[[2,0],[0,4]]", "null"),
    ("[0.5,0.25]", "[0.5]"), (#""scale":[0.5,0.25],"#, ""), (#""arcs":[[[2"#, #""arc":[[[2"#),
    ("[0,4]", "[0,1e999]"),
  ])
  func `invalid arcs and transforms are errors of the file`(part: String, other: String) throws {
    let text = Self.squares.replacing(part, with: other, maxReplacements: 1)
    let message = try files.message("a.topojson", text.utf8) { $0.layer = "plots" }
    #expect(message.contains("the arcs are invalid") || message.contains("number"), "\(message)")
  }

  @Test(arguments: ["MultiLineString", "GeometryCollection"])
  func `arcs that are named again and again exceed the size of a geometry`(type: String) throws {
    let arc = "[" + String(repeating: "[1.2345678,2.3456789],", count: 20_000) + "[0,0]]"
    let isCollection = type == "GeometryCollection"
    let part = isCollection ? #"{"type":"LineString","arcs":[0]}"# : "[0]"
    let parts = Array(repeating: part, count: 400).joined(separator: ",")
    let message = try files.message(
      "a.topojson",
      (#"{"type":"Topology","arcs":[\#(arc)],"objects":{"x":{"type":"GeometryCollection","#
        + #""geometries":[{"type":"Point","coordinates":[1,2]},{"type":"\#(type)","\#(isCollection ? "geometries" : "arcs")":[\#(parts)]}]}}}"#)
        .utf8)
    #expect(message.contains("67,108,864 bytes"), "\(message)")
  }

  @Test func `every prefix of a file is an error`() throws {
    let bytes = Array(Self.squares.utf8)
    for count in stride(from: 0, to: bytes.count - 1, by: 7) {
      #expect(try !files.message("a.topojson", bytes[..<count]) { $0.layer = "plots" }.isEmpty)
    }
    #expect(try !files.message("a.topojson", bytes + [0x7B]) { $0.layer = "plots" }.isEmpty)
    for text in ["[]", "{}", #"{"type":"Topology"}"#, #"{"type":"Topology","objects":[]}"#] {
      #expect(try files.message("a.topojson", text.utf8).contains("TopoJSON"), "\(text)")
    }
  }
}
