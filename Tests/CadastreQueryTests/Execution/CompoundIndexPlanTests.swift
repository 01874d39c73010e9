import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreSQLite
import CadastreStore
import CadastreTestSupport
import Testing

/// The plans by which compound indexes are used, and what their runs read.
@Suite struct CompoundIndexPlanTests {
  private static func visit(_ indexes: [[String]], isIndexed: Bool = false) -> Schema {
    Schema([
      ObjectSchema(
        className: "Visit",
        properties: [
          Property(name: "id", type: .int, isPrimaryKey: true),
          Property(name: "country", type: .string, isIndexed: isIndexed),
          Property(name: "at", type: .date, isIndexed: isIndexed),
          Property(name: "level", type: .int),
        ], compoundIndexes: indexes)
    ])
  }

  private static let schema = visit([["country", "at"], ["at", "id"]], isIndexed: true)
  private static let count = 12_000

  /// Three visits at a time, one in each country, in another order than that of their ids.
  private static let store = Result {
    let file = try TestStore.temporary(schema)
    let transaction = try file.beginWrite()
    for number in 0..<count {
      let id = number * 7919 % count
      let row: [Value] = [
        .int(Int64(id)), .string(["DE", "FR", "IT"][id % 3]),
        .date(Timestamp(seconds: Int64(id / 3))), .int(Int64(id % 4)),
      ]
      _ = try transaction.insert("Visit", row)
    }
    try transaction.commit()
    return file
  }

  /// A query, its access path, and the most entries and rows that it may read.
  struct Case: Sendable, CustomTestStringConvertible {
    let text: String
    let order: [(name: String, isAscending: Bool)]
    var limit: Int?
    let plan: String
    let entries: Int
    let rows: Int

    var testDescription: String { "\(text) by \(order)" }
  }

  private static let middle = "1970-01-01@0:33:20"
  private static let cases = [
    Case(
      text: "country == 'FR' AND at >= \(middle)", order: [("at", true)], limit: 50,
      plan: "OrderedSearch Visit(country, at) country == 'FR' and at [T2000:0, …) ascending",
      entries: 50, rows: 0),
    Case(
      text: "country == 'FR'", order: [("country", true), ("at", false)], limit: 50,
      plan: "OrderedSearch Visit(country, at) country == 'FR' descending", entries: 50, rows: 0),
    Case(
      text: "country == 'FR' AND at <= \(middle) AND level == 1", order: [("at", false)], limit: 50,
      plan: "OrderedSearch Visit(country, at) country == 'FR' and at (…, T2000:0] descending",
      entries: 400, rows: 400),
    Case(
      text: "at > \(middle) OR (at == \(middle) AND id > 6000)",
      order: [("at", true), ("id", true)], limit: 50,
      plan: "OrderedSearch Visit(at, id) at == T2000:0 and id (6000, …), at (T2000:0, …) ascending",
      entries: 50, rows: 0),
    Case(
      text: "at < \(middle) OR (at == \(middle) AND id < 6002)",
      order: [("at", false), ("id", false)], limit: 50,
      plan:
        "OrderedSearch Visit(at, id) at (…, T2000:0), at == T2000:0 and id (…, 6002) descending",
      entries: 50, rows: 0),
    Case(
      text: "TRUEPREDICATE", order: [("at", true), ("id", true)], limit: 50,
      plan: "OrderedSearch Visit(at, id) ascending", entries: 50, rows: 0),
    Case(
      text: "country IN {'FR', 'DE'} AND at BETWEEN {\(middle), 1970-01-01@0:33:29}", order: [],
      plan: "IndexSearch Visit(country, at) country == 'DE' and at [T2000:0, T2009:0], "
        + "country == 'FR' and at [T2000:0, T2009:0]", entries: 20, rows: 0),
    Case(
      text: "country == 'IT' AND at == \(middle) AND level == 2", order: [],
      plan: "IndexSearch Visit(country, at) country == 'IT' and at == T2000:0", entries: 1,
      rows: 1),
    // One index on a single property is as good.
    Case(
      text: "at == \(middle)", order: [], plan: "IndexSearch Visit.at == T2000:0", entries: 3,
      rows: 0),
  ]

  @Test(arguments: cases) func `a plan reads its entries`(test: Case) throws {
    let snapshot = try Self.store.get().snapshot()
    let query = try ObjectQuery(
      "Visit", where: QueryPredicate(parsing: test.text),
      order: test.order.map { SortKey(PropertyPath([$0.name]), isAscending: $0.isAscending) },
      limit: test.limit
    ).bound(to: Self.schema)
    let plan = Planner(StoreCatalog(snapshot)).plan(query)
    let scan = Planner(StoreCatalog(snapshot), options: .withoutIndexes).plan(query)
    let (keys, statistics) = try Executor(snapshot).keys(plan)

    #expect("\(plan.access)" == test.plan)
    #expect(try Executor(snapshot).keys(scan).keys == keys)
    #expect(!keys.isEmpty || test.text.contains("level == 2"))
    #expect(statistics.accessRows <= test.entries, "\(statistics)")
    #expect(statistics.rowsRead <= test.rows, "\(statistics)")
    #expect(try Executor(snapshot).count(plan).count == keys.count)
  }

  @Test func `the first property of a compound index needs no index of its own`() throws {
    let schema = Self.visit([["country", "at"]])
    let file = try TestStore.temporary(schema)
    let transaction = try file.beginWrite()
    for id in 0..<3000 {
      let row: [Value] = [
        .int(Int64(id)), .string("c\(id % 1000)"), .date(Timestamp(seconds: Int64(id))), .int(0),
      ]
      _ = try transaction.insert("Visit", row)
    }
    try transaction.commit()
    let snapshot = try file.snapshot()
    func access(_ text: String) throws -> String {
      let query = try ObjectQuery("Visit", where: QueryPredicate(parsing: text)).bound(to: schema)
      return "\(Planner(StoreCatalog(snapshot)).plan(query).access)"
    }
    #expect(try access("country == 'c7'") == "IndexSearch Visit(country, at) country == 'c7'")
    #expect(try access("at == 1970-01-01@0:33:20") == "Scan Visit")
  }

  @Test func `the entries of a compound index contain its columns and the primary key`() throws {
    let snapshot = try Self.store.get().snapshot()
    let root = try #require(Self.schema["Visit"])
    func output(
      _ text: String, _ names: [String], by order: [String] = [], limit: Int? = nil
    ) throws -> OutputAccess {
      var query = try ObjectQuery(
        "Visit", where: QueryPredicate(parsing: text),
        order: order.map { SortKey(PropertyPath([$0])) }, limit: limit
      ).bound(to: Self.schema)
      query.output = .columns(
        try names.map { try Self.schema.resolve(PropertyPath([$0]), from: root) })
      let plan = Planner(StoreCatalog(snapshot)).plan(query)
      #expect("\(plan.access)".contains("Visit("))
      return plan.output
    }
    let text = "country == 'FR' AND at BETWEEN {\(Self.middle), 1970-01-01@0:33:29}"
    #expect(try output(text, ["id"]) == .entries)
    #expect(try output(text, ["at", "country", "id"]) == .entries)
    #expect(try output(text, ["level"]) != .entries)
    #expect(try output("country == 'FR'", ["id"], by: ["at"], limit: 9) == .entries)
    #expect(try output("TRUEPREDICATE", ["id"], by: ["at", "id"], limit: 9) == .entries)
  }

  @Test func `a cached plan searches a compound index with other arguments`() throws {
    let schema = Self.visit([["country", "at"], ["at", "country"]], isIndexed: true)
    let file = try TestStore.temporary(schema)
    let transaction = try file.beginWrite()
    for id in 0..<3000 {
      let row: [Value] = [
        .int(Int64(id)), .string("c\(id % 100)"), .date(Timestamp(seconds: Int64(id / 10))),
        .int(Int64(id % 4)),
      ]
      _ = try transaction.insert("Visit", row)
    }
    try transaction.commit()
    let snapshot = try file.snapshot()
    let countries = (0..<300).map { "c\($0)" }
    func plan(_ text: String, _ arguments: [PredicateArgument]) throws -> Plan {
      let query = try ObjectQuery(
        "Visit", where: QueryPredicate(parsing: text, arguments: arguments)
      ).bound(to: schema)
      let plan = Planner(StoreCatalog(snapshot)).plan(query)
      let scan = Planner(StoreCatalog(snapshot), options: .withoutIndexes).plan(query)
      #expect(try Executor(snapshot).keys(plan).keys == Executor(snapshot).keys(scan).keys)
      return plan
    }
    func date(_ seconds: Int64) -> PredicateArgument {
      .value(.date(Timestamp(seconds: seconds)))
    }

    let equal = "country == $0 AND at == $1 AND level < 3"
    #expect(try !plan(equal, [.value(.string("c5")), date(0)]).reusesShape)
    let again = try plan(equal, [.value(.string("c7")), date(10)])
    #expect(again.reusesShape && again.rejected.isEmpty)
    #expect("\(again.access)".contains("Visit(") && again.filters.count == 1)

    // Many values in a leading column leave a condition open.
    let among = "country IN $0 AND at == $1"
    for values in [["c5", "c6"], countries, ["c7"], countries] {
      _ = try plan(among, [.list(values.map { .string($0) }), date(20)])
    }
  }

  @Test(arguments: [
    // The ranges of the second column multiply with the values of the first one up to a limit.
    (200, 5000, 200, 1), (2, 2048, 4096, 0), (2, 2049, 2, 1), (1, 5000, 5000, 0),
  ])
  func `values of two columns become a limited number of ranges`(
    countries: Int, dates: Int, ranges: Int, filters: Int
  ) throws {
    let schema = Self.visit([["country", "at"]])
    let file = try TestStore.temporary(schema)
    let transaction = try file.beginWrite()
    for id in 0..<600 {
      let row: [Value] = [
        .int(Int64(id)), .string("c\(id % 300)"), .date(Timestamp(seconds: Int64(id * 10))),
        .int(0),
      ]
      _ = try transaction.insert("Visit", row)
    }
    try transaction.commit()
    let snapshot = try file.snapshot()
    let arguments: [PredicateArgument] = [
      .list((0..<countries).map { .string("c\($0)") }),
      .list((0..<dates).map { .date(Timestamp(seconds: Int64($0))) }),
    ]
    let query = try ObjectQuery(
      "Visit", where: QueryPredicate(parsing: "country IN $0 AND at IN $1", arguments: arguments)
    ).bound(to: schema)
    var options = Planner.Options()
    options.disabledPaths = Set(AccessPath.Kind.allCases).subtracting([.scan, .indexSearch])
    options.costs.scanStart = 1e12
    let plan = Planner(StoreCatalog(snapshot), options: options).plan(query)
    let scan = Planner(StoreCatalog(snapshot), options: .withoutIndexes).plan(query)

    guard case .indexSearch(_, let searched) = plan.access else {
      Issue.record("\(plan.access)")
      return
    }
    #expect((searched.count, plan.filters.count) == (ranges, filters))
    #expect(try Executor(snapshot).keys(plan).keys == Executor(snapshot).keys(scan).keys)
  }

  // MARK: Values of other programs

  @Test(arguments: [
    // In the column of the order, in one that follows it, and in a leading column.
    ("at", "'x'"), ("level", "'x'"), ("level", "7.5"), ("country", "x'00'"),
  ])
  func `pages equal those of a scan where another program has written other values`(
    column: String, value: String
  ) throws {
    let schema = Self.visit([["country", "at", "level"]])
    let file = try TestStore.temporary(schema)
    let transaction = try file.beginWrite()
    for id in 0..<400 {
      let row: [Value] = [
        .int(Int64(id)), .string("c\(id % 2)"), .date(Timestamp(seconds: Int64(id / 80))),
        .int(Int64(id % 7)),
      ]
      _ = try transaction.insert("Visit", row)
    }
    let connection = try transaction.flush(.indexes).connection
    try connection.run("UPDATE Visit SET \(column) = \(value) WHERE id IN (3, 200)")
    try transaction.commit()
    let snapshot = try file.snapshot()
    var options = Planner.Options()
    options.disabledPaths = Set(AccessPath.Kind.allCases).subtracting([.scan, .orderedSearch])
    options.costs.scanStart = 1e12
    for text in ["country == 'c0'", "country == 'c1' AND level > 1", "TRUEPREDICATE"] {
      for isAscending in [true, false] {
        for limit in [1, 30, 170, 500] {
          let names = (text == "TRUEPREDICATE" ? ["country"] : []) + ["at", "level"]
          let query = try ObjectQuery(
            "Visit", where: QueryPredicate(parsing: text),
            order: names.map { SortKey(PropertyPath([$0]), isAscending: isAscending) }, limit: limit
          ).bound(to: schema)
          let plan = Planner(StoreCatalog(snapshot), options: options).plan(query)
          let scan = Planner(StoreCatalog(snapshot), options: .withoutIndexes).plan(query)
          #expect(plan.access.kind == .orderedSearch)
          #expect(
            try Executor(snapshot).keys(plan).keys == Executor(snapshot).keys(scan).keys,
            "\(text) \(isAscending) \(limit)")
        }
      }
    }
  }
}
