import CadastreFormatting
import CadastreModel
import CadastrePredicate

/// A predicate on the columns of an aggregate query: `count > 10 AND avg(elevation) > 300`.
struct GroupCondition {
  private let predicate: QueryPredicate
  private let evaluator: ReferenceEvaluator
  private let schema: ObjectSchema

  /// Parses a condition.
  ///
  /// - Parameters:
  ///   - text: The condition.
  ///   - columns: The columns of the result.
  /// - Throws: ``QueryPredicateError`` for invalid syntax or a column that is not computed.
  init(_ text: String, _ columns: [OutputColumn]) throws(QueryPredicateError) {
    let names = columns.map { $0.path.names[0] }
    schema = ObjectSchema(
      className: "Group",
      properties: columns.indices.map {
        let type = columns[$0].type ?? .any
        return Property(name: Self.property($0), type: type, isOptional: type != .any)
      })
    let schemas = Schema([schema])
    evaluator = ReferenceEvaluator(schema: schemas, root: schema)
    do throws(QueryPredicateError) {
      let renamed = try Self.renamed(text, names)
      predicate = try QueryPredicate(parsing: renamed).bound(to: schemas, root: schema).named
    } catch {
      // The offsets are those of the text with other names.
      var message = error.message
      for (index, name) in names.enumerated().reversed() {
        message = message.replacing(Self.property(index), with: name)
      }
      throw QueryPredicateError(error.kind, "--having: \(printable(message))")
    }
  }

  /// Returns whether a group matches.
  func matches(_ row: [Value]) throws(QueryPredicateError) -> Bool {
    try evaluator.matches(Subject(row: row, schema: schema), predicate)
  }

  private static func property(_ column: Int) -> String { "column_\(column + 1)" }

  /// Replaces the names of columns outside of quotes by names of properties.
  private static func renamed(
    _ text: String, _ names: [String]
  ) throws(QueryPredicateError) -> String {
    let word =
      /'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[\p{L}_][\p{L}\p{N}_.]*(?:\s*\([^()'"]*\))?/
    var result = ""
    var rest = text[...]
    while let match = rest.firstMatch(of: word) {
      result += rest[..<match.range.lowerBound]
      let found = String(match.output)
      rest = rest[match.range.upperBound...]
      let name = AggregateColumn(found)?.name ?? found.filter { $0 != " " }
      if let column = names.firstIndex(of: name) {
        result += property(column)
      } else if found.hasSuffix(")"), AggregateColumn(found) != nil {
        throw QueryPredicateError(
          .invalidQuery,
          "'\(printable(found))' is not computed; expected one of \(listed(names))")
      } else {
        result += found
      }
    }
    return result + rest
  }

  /// A row of the result as an object.
  private struct Subject: PredicateSubject {
    let identity = Value.bool(true)
    let row: [Value]
    let schema: ObjectSchema

    func value(of property: Property) -> Value {
      schema.index(of: property.name).map { row[$0] } ?? .null
    }

    func object(at property: Property) -> (any PredicateSubject)? { nil }

    func elements(of property: Property) -> [Value] { [] }
  }
}
