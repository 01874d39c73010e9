import CadastreModel
import CadastrePostgres
import CadastrePredicate
import CadastreTestSupport
import Testing

/// Texts and names from outside never become parts of a statement.
@Suite(.enabled(if: PostgresServer.shared != nil, "\(PostgresServer.missing)"))
struct InjectionTests {
  private static let texts = [
    "'; DROP TABLE \"Victim\"; --", "\\'; DROP TABLE \"Victim\"; --", "$1", "$$", "%", "_", "\\",
    "\"", "''", "*/", "\u{2019}; DROP TABLE x", "a' OR 'a'='a",
  ]

  @Test(arguments: texts)
  func `a constant matches only itself`(text: String) async throws {
    let server = try #require(PostgresServer.shared)
    // The text is also the name of a class and of a property.
    let property = Property(name: text, type: .string)
    let schema = Schema([
      ObjectSchema(className: "C" + text, properties: [property]),
      ObjectSchema(className: "Victim", properties: [property]),
    ])
    var objects = PlainObjects(schema: schema)
    for value in ["other", text, "x" + text + "x"] {
      objects.insert("C" + text, [text: .value(.string(value))])
      objects.insert("Victim", [text: .value(.string(value))])
    }
    let remote = try await PostgresFleet(objects, on: server)
    let oracle = ScanOracle(objects)
    let operations: [ComparisonOperator] = [
      .equal, .notEqual, .less, .greaterOrEqual, .beginsWith, .endsWith, .contains, .like,
    ]
    for operation in operations {
      for options in [[], StringOptions.caseInsensitive]
      where options.isEmpty || operation.acceptsOptions {
        let predicate = QueryPredicate.comparison(
          Comparison(
            .property(PropertyPath(steps: [.property(text)])), operation, .value(.string(text)),
            options: options))
        let query = try ObjectQuery("C" + text, where: predicate).bound(to: schema)
        #expect(
          try await remote.keys(query) == oracle.keys(query), "\(operation) \(text)")
        let statement = try await RemoteQuery(remote.classes, query)
          .statement(.keys, remote.connection)
        #expect(statement.parameters.contains { $0.type == .text })
      }
    }
    let victims = try await remote.count(ObjectQuery("Victim").bound(to: schema))
    #expect(victims == 3)
  }
}
