import CadastreModel
import CadastreTestSupport
import Testing

@testable import CadastrePredicate

/// Reads and binds a predicate about the examples.
func bound(
  _ text: String, _ arguments: [PredicateArgument] = [], _ className: String = "Boat"
) throws -> BoundPredicate {
  let root = try #require(Boats.schema[className])
  let predicate = try QueryPredicate(parsing: text, arguments: arguments)
  do throws(QueryPredicateError) {
    return try predicate.bound(to: Boats.schema, root: root)
  } catch {
    throw error.found(in: text)
  }
}

/// The keys of the examples that match, which are their ids too.
func matching(
  _ text: String, _ arguments: [PredicateArgument] = [], _ className: String = "Boat"
) throws -> [Int64] {
  try ScanOracle(Boats.examples).matching(className, bound(text, arguments, className))
}

extension PredicateArgument {
  static func int(_ value: Int64) -> PredicateArgument { .value(.int(value)) }
  static func string(_ value: String) -> PredicateArgument { .value(.string(value)) }
}

extension QueryPredicate {
  /// The objects that links are compared with.
  var objectReferences: [ObjectReference] {
    var references: [ObjectReference] = []
    forEachObjectReference { references.append($0) }
    return references
  }
}
