import CadastreModel
import Testing

@testable import CadastrePredicate

/// Predicates on columns, whose names may be calls, paths or reserved words.
@Suite struct ColumnTextTests {
  private static let columns = [
    "count", "avg(x)", "max((a+b)*2)", "harbor.name", "harbor", "any", "IN", "count(distinct a b)",
  ]

  /// Returns the column with the same characters but for blanks.
  private static func column(_ text: String) throws(QueryPredicateError) -> String? {
    func bare(_ text: String) -> String { text.filter { $0 != " " } }
    if bare(text) == "sum(x)" { throw QueryPredicateError(.invalidQuery, "no sum") }
    return columns.first { bare($0) == bare(text) }
  }

  private static func parsed(_ text: String) throws(QueryPredicateError) -> QueryPredicate {
    try QueryPredicate(parsing: text) { (text) throws(QueryPredicateError) in try column(text) }
  }

  private static func equal(_ names: [String], _ value: Value) -> QueryPredicate {
    .compare(PropertyPath(names), .equal, value)
  }

  private static let examples: [(text: String, predicate: QueryPredicate)] = [
    ("count == 3", equal(["count"], .int(3))), ("avg( x ) == 3", equal(["avg(x)"], .int(3))),
    ("avg (x) == 3", equal(["avg(x)"], .int(3))),
    ("max((a+b)*2) == 3", equal(["max((a+b)*2)"], .int(3))),
    ("harbor.name == 'x'", equal(["harbor.name"], .string("x"))),
    ("harbor.nam == 'x'", equal(["harbor", "nam"], .string("x"))),
    ("harbor == 'x'", equal(["harbor"], .string("x"))),
    ("any == 'avg(x)'", equal(["any"], .string("avg(x)"))),
    ("#any == null", equal(["any"], .null)), ("avg\\(x\\) == 1", equal(["avg(x)"], .int(1))),
    (
      "IN IN {1, 2}",
      .comparison(Comparison(.property(PropertyPath(["IN"])), .isIn, .list([.int(1), .int(2)])))
    ),
    (
      "NOT (count - 1 < avg(x)) OR count(distinct a b) != null",
      .or([
        .not(
          .comparison(
            Comparison(
              .arithmetic(
                Arithmetic(.property(PropertyPath(["count"])), .subtract, .value(.int(1)))),
              .less, .property(PropertyPath(["avg(x)"]))))),
        .compare(PropertyPath(["count(distinct a b)"]), .notEqual, .null),
      ])
    ),
    ("other == oid(5f0000000000000000000003)", oid), ("harbor.name.a == 1", harbor),
  ]

  private static let harbor = equal(["harbor.name", "a"], .int(1))
  private static let oid = equal(
    ["other"], .objectId(ObjectId(bytes: [0x5f] + [UInt8](repeating: 0, count: 10) + [3])))

  @Test func `a column is one step of a path, and the printed form parses back`() throws {
    for (text, predicate) in Self.examples {
      let parsed = try Self.parsed(text)
      #expect(parsed == predicate, "\(text): \(parsed)")
      #expect(try QueryPredicate(parsing: "\(parsed)") == parsed, "\(parsed)")
    }
  }

  @Test(arguments: [
    ("1 < sum( x )", 4, 8, "no sum"), ("count >", 7, 1, "expected a property or a value"),
    ("avg(y) == 1", 0, 3, "unknown function 'avg'"), ("avg(x", 0, 3, "unknown function 'avg'"),
    ("avg(x) avg(x)", 7, 3, "expected a comparison operator"),
  ])
  func `an error has its location in the text`(
    text: String, offset: Int, count: Int, message: String
  ) throws {
    let error = #expect(throws: QueryPredicateError.self) { try Self.parsed(text) }
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    #expect(error?.span == TextSpan(offset: offset, count: count))
    #expect(error?.text == text)
  }
}
