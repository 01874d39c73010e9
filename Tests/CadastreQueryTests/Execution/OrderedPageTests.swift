import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore
import CadastreTestSupport
import Testing

/// A page in the order of an index reads the entries of the page.
@Suite struct OrderedPageTests {
  private static let schema = Schema([
    ObjectSchema(
      className: "Event",
      properties: [
        Property(name: "id", type: .int, isPrimaryKey: true),
        Property(name: "at", type: .date, isIndexed: true),
        Property(name: "level", type: .int),
      ])
  ])

  /// Events in another order than that of their ids, three at a time.
  private static let store = Result {
    let file = try TestStore.temporary(schema)
    let transaction = try file.beginWrite()
    for number in 0..<count {
      let id = number * 7919 % count
      let row: [Value] = [
        .int(Int64(id)), .date(Timestamp(seconds: Int64(id / 3))), .int(Int64(id % 4)),
      ]
      _ = try transaction.insert("Event", row)
    }
    try transaction.commit()
    return file
  }
  private static let count = 12_000

  /// The key of the row of an event.
  private static func key(_ id: Int) -> Int64 {
    Int64((0..<count).first { $0 * 7919 % count == id } ?? 0) + 1
  }

  /// A query and the most entries and rows that it may read.
  struct Page: Sendable, CustomTestStringConvertible {
    let text: String
    let order: [(name: String, isAscending: Bool)]
    var offset = 0
    let entries: Int
    let rows: Int
    /// The access path.
    let plan: String

    var testDescription: String { "\(text) by \(order) from \(offset)" }
  }

  private static let middle = "1970-01-01@0:33:20"
  private static let pages = [
    Page(
      text: "at >= \(middle)", order: [("at", true)], entries: 50, rows: 0,
      plan: "OrderedSearch Event.at [T2000:0, …) ascending"),
    Page(
      text: "at < \(middle)", order: [("at", false)], entries: 50, rows: 0,
      plan: "OrderedSearch Event.at (…, T2000:0) descending"),
    Page(
      text: "at >= \(middle)", order: [("at", true)], offset: 1000, entries: 1050, rows: 0,
      plan: "OrderedSearch Event.at [T2000:0, …) ascending"),
    Page(
      text: "TRUEPREDICATE", order: [("at", false)], offset: 3000, entries: 3050, rows: 0,
      plan: "OrderedSearch Event.at descending"),
    Page(
      text: "id >= 6001", order: [("id", true)], entries: 50, rows: 0,
      plan: "OrderedSearch Event.id [6001, …) ascending"),
    Page(
      text: "id < 6001", order: [("id", false)], entries: 50, rows: 0,
      plan: "OrderedSearch Event.id (…, 6001) descending"),
    Page(
      text: "id >= 6001 AND level == 1", order: [("id", true)], entries: 300, rows: 300,
      plan: "OrderedSearch Event.id [6001, …) ascending"),
    Page(
      text: "at <= \(middle) AND level == 1", order: [("at", false)], entries: 300, rows: 300,
      plan: "OrderedSearch Event.at (…, T2000:0] descending"),
    Page(
      text: "at >= \(middle)", order: [("at", true), ("id", true)], entries: 100, rows: 100,
      plan: "OrderedSearch Event.at [T2000:0, …) ascending"),
    Page(
      text: "at > \(middle) OR (at == \(middle) AND id > 6000)",
      order: [("at", true), ("id", true)], entries: 100, rows: 100,
      plan: "OrderedSearch Event.at [T2000:0, …) ascending"),
    Page(
      text: "at < \(middle) OR (at == \(middle) AND id < 6001)",
      order: [("at", false), ("id", false)], entries: 100, rows: 100,
      plan: "OrderedSearch Event.at (…, T2000:0] descending"),
    Page(
      text: "at >= \(middle) AND (at > \(middle) OR id > 6000)",
      order: [("at", true), ("id", false)], entries: 100, rows: 100,
      plan: "OrderedSearch Event.at [T2000:0, …) ascending"),
    Page(
      text: "id > 6000", order: [("id", true), ("at", false)], entries: 60, rows: 60,
      plan: "OrderedSearch Event.id (6000, …) ascending"),
  ]

  @Test(arguments: pages) func `a page in the middle reads its entries`(page: Page) throws {
    let snapshot = try Self.store.get().snapshot()
    let query = try ObjectQuery(
      "Event", where: QueryPredicate(parsing: page.text),
      order: page.order.map { SortKey(PropertyPath([$0.name]), isAscending: $0.isAscending) },
      offset: page.offset, limit: 50
    ).bound(to: Self.schema)
    let catalog = StoreCatalog(snapshot)
    let plan = Planner(catalog).plan(query)
    let scan = Planner(catalog, options: .withoutIndexes).plan(query)
    let (keys, statistics) = try Executor(snapshot).keys(plan)

    #expect("\(plan.access)" == page.plan)
    #expect(keys.count == 50)
    #expect(try Executor(snapshot).keys(scan).keys == keys)
    #expect(statistics.accessRows <= page.entries, "\(statistics)")
    #expect(statistics.rowsRead <= page.rows, "\(statistics)")
    #expect(try Executor(snapshot).count(plan).count == 50)
    // A plan that is explained compares all access paths.
    var options = Planner.Options()
    options.comparesAll = true
    #expect("\(Planner(catalog, options: options).plan(query).access)" == page.plan)
  }

  @Test func `a search in order that finds little scans with all conditions`() throws {
    let snapshot = try Self.store.get().snapshot()
    let query = try ObjectQuery(
      "Event", where: QueryPredicate(parsing: "id >= 100 AND id * 2 >= 6000"),
      order: [SortKey(PropertyPath(["id"]))], limit: 50
    ).bound(to: Self.schema)
    let plan = Planner(StoreCatalog(snapshot)).plan(query)
    let (keys, statistics) = try Executor(snapshot).keys(plan)

    // Most rows match, so that the first entries are expected to be enough.
    #expect(plan.access.kind == .orderedSearch && plan.filters.count == 1)
    #expect(keys == (3000..<3050).map(Self.key) && statistics.accessRows > Self.count)
    #expect(try Executor(snapshot).count(plan).count == 50)
  }

  /// Few events at each of three moments, and many at one after them.
  private static let crowded = Result {
    let file = try TestStore.temporary(schema)
    let transaction = try file.beginWrite()
    for id in 0..<count {
      let at = id < 9 ? id / 3 : id < count - 9 ? 100 : 200 + id % 3
      let row: [Value] = [
        .int(Int64(id)), .date(Timestamp(seconds: Int64(at))), .int(Int64(id % 4)),
      ]
      _ = try transaction.insert("Event", row)
    }
    try transaction.commit()
    return file
  }

  private static func isInOrder(
    _ file: StoreFile, _ text: String, _ order: [String], limit: Int
  ) throws -> Bool {
    let snapshot = try file.snapshot()
    let query = try ObjectQuery(
      "Event", where: QueryPredicate(parsing: text),
      order: order.map { SortKey(PropertyPath([$0])) }, limit: limit
    ).bound(to: schema)
    let plans = [true, false].map { comparesAll in
      var options = Planner.Options()
      options.comparesAll = comparesAll
      return Planner(StoreCatalog(snapshot), options: options).plan(query)
    }
    let scan = Planner(StoreCatalog(snapshot), options: .withoutIndexes).plan(query)
    #expect(plans[0].access == plans[1].access, "\(text)")
    #expect(
      try Executor(snapshot).keys(plans[1]).keys == Executor(snapshot).keys(scan).keys, "\(text)")
    return plans[1].access.kind == .orderedSearch
  }

  @Test(arguments: [
    // Most rows in the range tie with the last row of the page before.
    ("at > 1970-01-01@0:1:40 OR (at == 1970-01-01@0:1:40 AND id > 11980)", ["at"], 50, false),
    ("at > 1970-01-01@0:0:1 OR (at == 1970-01-01@0:0:1 AND id > 4)", ["at"], 4, true),
    // The first value has few rows, that of the last row of the page has most rows.
    ("TRUEPREDICATE", ["at", "level"], 50, false), ("TRUEPREDICATE", ["at", "level"], 8, true),
    // A scan would follow after an eighth of the rows.
    ("level == 1", ["id"], 520, false), ("level == 1", ["id"], 50, true),
  ])
  func `an index is entered in order only where few rows are read`(
    text: String, order: [String], limit: Int, isInOrder: Bool
  ) throws {
    let file = try Self.crowded.get()
    #expect(try Self.isInOrder(file, text, order, limit: limit) == isInOrder)
  }

  // MARK: Any page

  private static let indexed = [
    "id", "name", "crew", "length", "draft", "active", "built", "key", "uid", "engine.maker",
  ]

  /// Costs by which each ordered search is chosen, with and without an estimate of other access paths.
  private static let always: [Planner.Options] = [true, false].map { comparesAll in
    var options = Planner.Options()
    options.disabledPaths = Set(AccessPath.Kind.allCases)
      .subtracting([.scan, .orderedSearch])
    options.costs.scanStart = 1e12
    options.comparesAll = comparesAll
    return options
  }

  private func query(
    _ fleet: PlainObjects, _ random: inout SeededGenerator
  ) throws -> BoundQuery {
    let path = PropertyPath(random.pick(Self.indexed).split(separator: ".").map(String.init))
    let type = try Boats.schema.resolve(path, from: #require(Boats.schema["Boat"])).end
    guard case .value(let type) = type else { return BoundQuery("Boat") }
    let isOptional = ["name", "length", "built", "uid"].contains(path.names[0])
    func constant() -> Value {
      let stored = fleet.object("Boat", random.pick(fleet.keys("Boat")))?[path.names[0]]
      if random.oneIn(2), case .value(let value)? = stored, isOptional || !value.isNull {
        return value
      }
      return random.value(type)
    }
    func compare(_ operation: ComparisonOperator, _ value: Value) -> QueryPredicate {
      .comparison(Comparison(.property(path), operation, .value(value)))
    }
    var terms: [QueryPredicate] = []
    for _ in 0..<random.below(3) {
      let operations: [ComparisonOperator] = [
        .less, .lessOrEqual, .greater, .greaterOrEqual, .equal, .notEqual,
      ]
      terms.append(compare(random.pick(operations), constant()))
    }
    if random.oneIn(3) {
      let (value, isAscending) = (constant(), random.oneIn(2))
      let later: QueryPredicate = .comparison(
        Comparison(
          .property(PropertyPath(["id"])), isAscending ? .greater : .less,
          .value(.int(Int64(random.below(150))))))
      terms.append(
        .or([
          compare(isAscending ? .greater : .less, value), .and([compare(.equal, value), later]),
        ]))
    }
    if random.oneIn(2) {
      let others = ["active == true", "seats == null", "crew > 3", "id < 100"]
      terms.append(try QueryPredicate(parsing: random.pick(others)))
    }
    let further = random.pick([[], [], ["id"], ["crew"], ["name", "id"]])
    let order = [path] + further.map { PropertyPath([$0]) }
    return try ObjectQuery(
      "Boat", where: terms.count == 1 ? terms[0] : .and(terms),
      order: order.map { SortKey($0, isAscending: random.oneIn(2)) },
      offset: random.pick([0, 0, 0, 1, 20, 500]), limit: random.pick([0, 1, 2, 5, 40, 500, .max])
    ).boundWithAnyOrder(to: Boats.schema)
  }

  private func check(
    _ reader: any StoreReader, _ fleet: PlainObjects, _ random: inout SeededGenerator,
    queries: Int, seed: UInt64
  ) throws {
    let oracle = ScanOracle(fleet)
    var inOrder = 0
    for number in 0..<queries {
      let query = try query(fleet, &random)
      let expected = try oracle.keys(query)
      for options in Self.always {
        let plan = Planner(StoreCatalog(reader), options: options).plan(query)
        if plan.access.kind == .orderedSearch { inOrder += 1 }
        let found = try Executor(reader).keys(plan).keys
        let count = try Executor(reader).count(plan).count
        #expect(
          found == expected && count == expected.count,
          """
          seed \(seed), query \(number): \(query.predicate) order \(query.order)
          \(PlanText(plan).text())
          """)
      }
    }
    #expect(inOrder > queries / 2)
  }

  @Test(arguments: Seeds.usual(1...3))
  func `pages agree with the reference evaluator, in a transaction too`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var fleet = random.fleet(harbors: 3, boats: 150)
    let file = try TestStore.temporary(holding: fleet)
    try check(file.snapshot(), fleet, &random, queries: 60, seed: seed)

    let transaction = try file.beginWrite()
    for number in 1000..<1020 {
      let boat = random.boat(number, harbors: 0, boats: 0)
      let key = try transaction.insert("Boat", object: boat)
      #expect(fleet.insert("Boat", boat) == key.rawValue)
      let changed = random.pick(fleet.keys("Boat"))
      var changes = random.boat(0, harbors: 0, boats: 0)
      for name in ["id", "engine", "place"] { changes[name] = nil }
      try transaction.update("Boat", changed, members: changes)
      fleet.update("Boat", changed, changes)
    }
    try check(transaction.flush(.indexes), fleet, &random, queries: 40, seed: seed)
    try transaction.commit()

    try check(file.snapshot(), fleet, &random, queries: 20, seed: seed)
  }
}
