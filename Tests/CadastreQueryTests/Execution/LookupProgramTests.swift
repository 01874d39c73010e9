import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreSQLite
import CadastreStore
import CadastreTestSupport
import Testing

/// Repeated queries for a few rows, whose cached plan is one statement.
@Suite struct LookupProgramTests {
  private static let types: [PropertyType] = [
    .int, .bool, .float, .double, .date, .string, .data, .objectId, .UUID,
  ]

  /// A class with an optional, indexed property of each type, and one beside it without an index.
  private static let schema = Schema([
    ObjectSchema(
      className: "Gauge",
      properties: [Property(name: "id", type: .int, isPrimaryKey: true)]
        + types.flatMap { type in
          [true, false].map { isIndexed in
            Property(
              name: "\(type)".lowercased() + (isIndexed ? "1" : "2"), type: type, isOptional: true,
              isIndexed: isIndexed && type != .data)
          }
        })
  ])

  private static func gauges(_ count: Int, _ random: inout SeededGenerator) -> PlainObjects {
    var objects = PlainObjects(schema: schema)
    for number in 0..<count {
      var gauge: PlainObject = ["id": .value(.int(Int64(number)))]
      for property in schema["Gauge"]?.properties.dropFirst() ?? [] {
        gauge[property.name] = .value(random.oneIn(4) ? .null : random.value(property.type))
      }
      objects.insert("Gauge", gauge)
    }
    return objects
  }

  @Test(arguments: Seeds.usual(221...222))
  func `a repeated comparison of each type agrees with the reference evaluator`(
    seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    let objects = Self.gauges(60, &random)
    let file = try TestStore.temporary(holding: objects)
    let session = QuerySession(try file.snapshot(), schema: Self.schema)
    let oracle = ScanOracle(objects)
    let names = (Self.schema["Gauge"]?.properties ?? []).map { ($0.name, $0.type) }
    let operations: [ComparisonOperator] = [
      .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .between,
    ]
    func condition(
      _ name: String, _ type: PropertyType, _ operation: ComparisonOperator
    ) -> QueryPredicate {
      let value = { () -> Value in
        random.oneIn(5) ? (random.oneIn(2) ? .double(2.5) : .null) : random.value(type)
      }
      let right: Operand =
        switch operation {
        case .between: .list([value(), value()])
        case .isIn: .list((0..<random.below(4)).map { _ in value() })
        default: .value(value())
        }
      return .comparison(Comparison(.property(PropertyPath(name)), operation, right))
    }
    var compared = 0
    for _ in 0..<40 {
      let (first, second) = (random.pick(names), random.pick(names))
      let operation = random.pick(operations)
      let limit = random.oneIn(3) ? random.below(4) : nil
      let isRange = random.oneIn(2)
      for _ in 0..<10 {
        let query = ObjectQuery(
          "Gauge",
          where: .and(
            [
              condition(first.0, first.1, random.pick([.equal, .between, .isIn])),
              condition(second.0, second.1, operation),
            ] + (isRange ? [condition(first.0, first.1, operation)] : [])), offset: random.below(2),
          limit: limit)
        guard let bound = try? query.bound(to: Self.schema) else { continue }
        let expected = try oracle.keys(bound)
        let found = try session.keys(bound).keys
        #expect(found == expected, "seed \(seed): \(query.predicate)")
        #expect(try session.count(bound) == expected.count, "seed \(seed): \(query.predicate)")
        compared += 1
      }
    }
    #expect(compared > 100, "seed \(seed): \(compared)")
  }

  @Test func `a repeated query for a few rows runs one statement`() throws {
    var random = SeededGenerator(seed: 7)
    let file = try TestStore.temporary(holding: Self.gauges(200, &random))
    let reader = try file.snapshot()
    let session = QuerySession(reader, schema: Self.schema)
    func statements(_ text: String) throws -> Int {
      let query = try ObjectQuery("Gauge", where: QueryPredicate(parsing: text))
        .bound(to: Self.schema)
      let before = reader.connection.statementsRun
      _ = try session.count(query)
      return reader.connection.statementsRun - before
    }
    for text in [
      "id == %d AND int2 < 5", "id == %d", "bool2 == true AND id == %d", "id BETWEEN {%d, %d}",
      "id >= %d AND id <= %d", "year(date2) == 200%d AND id == %d",
    ] {
      for number in 0..<5 {
        let ran = try statements(text.replacing("%d", with: "\(number)"))
        if number > 0 { #expect(ran == 1, "\(text), \(number)") }
      }
    }
    // Many rows are found by a plan of their own.
    #expect(try session.count(query("id BETWEEN {0, 199}")) == 200)
    #expect(try session.count(query("id BETWEEN {3, 4}")) == 2)
    for values in ["3, 4", "4, 4, 900", "1, 2, 3", "7"] {
      let expected = Set(values.split(separator: ", ")).subtracting(["900"]).count
      #expect(try session.count(query("id IN {\(values)} AND int1 != 123456789")) == expected)
    }
  }

  @Test func `the same conditions in another order run the same statement`() throws {
    var random = SeededGenerator(seed: 9)
    let file = try TestStore.temporary(holding: Self.gauges(50, &random))
    let reader = try file.snapshot()
    let session = QuerySession(reader, schema: Self.schema)
    let texts = [
      "id == 1 AND int2 != 123456789 AND double2 != 1234.5",
      "id == 1 AND double2 != 1234.5 AND int2 != 123456789",
      "double2 != 1234.5 AND int2 != 123456789 AND id == 1",
    ]
    // The first run of each text makes its plan.
    for text in texts { #expect(try session.count(query(text)) == 1) }
    #expect(try session.count(query(texts[0])) == 1)
    let before = reader.connection.preparedStatements
    for text in texts { #expect(try session.count(query(text)) == 1) }
    #expect(reader.connection.preparedStatements == before)
  }

  private func query(_ text: String) throws -> BoundQuery {
    try ObjectQuery("Gauge", where: QueryPredicate(parsing: text)).bound(to: Self.schema)
  }

  @Test func `a plan sees the changes of a transaction and other indexes`() throws {
    var random = SeededGenerator(seed: 8)
    let file = try TestStore.temporary(holding: Self.gauges(50, &random))
    func count(_ reader: any StoreReader, _ id: Int) throws -> Int {
      let schema = reader.catalogue.schema
      let query = try ObjectQuery(
        "Gauge", where: QueryPredicate(parsing: "id == \(id) AND int2 != 123456789")
      ).bound(to: schema)
      return try QuerySession(reader).count(query)
    }
    for id in 0..<3 { #expect(try count(file.snapshot(), id) == 1) }
    let transaction = try file.beginWrite()
    try transaction.delete("Gauge", ObjectKey(1))
    #expect(try (0..<3).map { try count(transaction.flush(.indexes), $0) } == [0, 1, 1])
    try transaction.commit()
    #expect(try (0..<3).map { try count(file.snapshot(), $0) } == [0, 1, 1])

    let properties = Self.schema["Gauge"]?.properties ?? []
    try file.prepare(
      for: Schema([
        ObjectSchema(
          className: "Gauge",
          properties: properties.map {
            Property(
              name: $0.name, type: $0.type, isOptional: $0.isOptional, isPrimaryKey: $0.isPrimaryKey
            )
          })
      ]))
    #expect(try (0..<3).map { try count(file.snapshot(), $0) } == [0, 1, 1])
  }
}
