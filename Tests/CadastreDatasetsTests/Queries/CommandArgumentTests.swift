import CadastreDatasets
import CadastreModel
import CadastrePredicate
import Testing

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
}
