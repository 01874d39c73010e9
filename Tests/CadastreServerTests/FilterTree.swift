import CadastreModel
import CadastrePredicate
import Testing

@testable import CadastreServer

/// The tree of a filter in CQL2.
struct FilterTree {
  let predicate: QueryPredicate

  /// Parses a filter on a class.
  init(_ filter: String, _ className: String, in schema: Schema = PlaceSchema.schema) throws {
    let root = try #require(schema[className])
    var parser = FilterParser(filter, root, schema)
    predicate = try parser.predicate()
  }

  /// Expects the printed form to parse to the same tree.
  func expectReadable(
    _ context: String = "", sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(
      try QueryPredicate(parsing: "\(predicate)") == predicate, "\(context) \(predicate)",
      sourceLocation: sourceLocation)
  }
}
