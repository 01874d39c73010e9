import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreTestSupport
import Testing

@testable import CadastreDatasets

/// Arguments of the command line.
@Suite struct CommandArgumentTests {
  @Test func `JSON becomes values, lists, members, and lists of them`() throws {
    let red = EmbeddedMember("colour", .value(.string("red")))
    for (text, argument) in [
      ("3", .value(.int(3))), ("red", .value(.string("red"))), ("null", .value(.null)),
      ("[1, 2.5]", .list([.int(1), .double(2.5)])), ("[]", .list([])),
      ("{\"colour\": \"red\"}", .members([red])),
      ("[{\"colour\": \"red\"}, null]", .elements([.members([red]), .value(.null)])),
      ("{\"tags\": [\"a\"]}", .members([EmbeddedMember("tags", .list([.string("a")]))])),
    ] as [(String, PredicateArgument)] {
      #expect(try PredicateArgument(commandLine: text) == argument, "\(text)")
    }
  }

  @Test func `every geometry is an argument, as WKT, GeoJSON and in a file`() throws {
    let line = try Geometry(wkt: "LINESTRING(0 0,2 2)")
    let folder = try ScratchFolder()
    // WKT of lines and points is a text, which a relation takes as a geometry.
    for text in ["LINESTRING(0 0,2 2)", "Point (of view)"] {
      #expect(try PredicateArgument(commandLine: text) == .value(.string(text)))
    }
    let json = #"{"type":"LineString","coordinates":[[0,0],[2,2]]}"#
    #expect(try PredicateArgument(commandLine: json) == .value(.geometry(line)))
    for text in ["LINESTRING(0 0,2 2)", "linestring (0 0,2 2)", json] {
      let file = try folder.file("g", text)
      #expect(try PredicateArgument(commandLine: "@\(file)") == .value(.geometry(line)), "\(text)")
    }
    let binary = try folder.file("b", line.wkb())
    #expect(try PredicateArgument(commandLine: "@\(binary)") == .value(.geometry(line)))
    let region = try PredicateArgument(commandLine: "POLYGON((0 0,1 0,1 1,0 0))")
    guard case .shape = region else {
      Issue.record("found \(region)")
      return
    }
    #expect(throws: QueryPredicateError.self) {
      try PredicateArgument(commandLine: #"{"type":"LineString","coordinates":[[0,0]]}"#)
    }
    // A point in GeoJSON is also the members of an embedded object.
    let point = try PredicateArgument(commandLine: #"{"type":"Point","coordinates":[1,2]}"#)
    let predicate = try QueryPredicate(parsing: "g GEOINTERSECTS $0", arguments: [point])
    #expect(predicate.description.contains("POINT (1"))
  }
}
