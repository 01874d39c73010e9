import CadastreModel
import CadastrePredicate
import CadastreStore
import CadastreTestSupport
import Testing

@testable import CadastreQuery

/// Property: one run yields the keys and the columns that reading the result's keys and then its objects yields.
@Suite struct OutputTests {
  /// The paths that are requested together, by class.
  private static let outputs: [String: [[String]]] = [
    "Boat": [
      ["id"], ["crew", "id"], ["name"], ["length", "draft"], ["built"], ["engine.maker"], ["berth"],
      ["berth.code", "id"], ["uid", "active"], ["fee", "blob"], ["key"], ["id", "id"], ["log"], [],
    ],
    "Harbor": [["code"], ["depth", "name"], []],
  ]

  /// The planner options for each query.
  private static let plannerOptions: [Planner.Options] = {
    var plannerOptions = [Planner.Options(), .withoutIndexes]
    // If scans are expensive, plans use all indexes.
    for kind in AccessPath.Kind.allCases where kind != .scan {
      var options = Planner.Options()
      options.disabledPaths = Set(AccessPath.Kind.allCases).subtracting([.scan, kind])
      options.costs.scanStart = 1e12
      plannerOptions.append(options)
    }
    var eager = Planner.Options()
    eager.costs.scanStart = 1e12
    eager.comparesAll = true
    plannerOptions.append(eager)
    return plannerOptions
  }()

  @Test(arguments: Seeds.usual(1...4))
  func `keys and columns of one run are those of a read by key`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var fleet = random.fleet(harbors: 20, boats: 150)
    let file = try TestStore.temporary(holding: fleet)
    file.columns.budget = [ColumnCache.defaultBudget, 20_000, 0][Int(seed % 3)]
    try check(file.snapshot(), fleet, &random, queries: 40, seed: seed)

    let transaction = try file.beginWrite()
    for number in 1000..<1010 {
      let boat = random.boat(number, harbors: 0, boats: 0)
      let key = try transaction.insert("Boat", object: boat)
      #expect(fleet.insert("Boat", boat) == key.rawValue)
      let changed = random.pick(fleet.keys("Boat"))
      var changes = random.boat(0, harbors: 0, boats: 0)
      for name in ["id", "engine", "place"] { changes[name] = nil }
      try transaction.update("Boat", changed, members: changes)
      fleet.update("Boat", changed, changes)
      let deleted = random.pick(fleet.keys("Boat"))
      try transaction.delete("Boat", ObjectKey(deleted))
      fleet.delete("Boat", deleted)
    }
    try check(transaction.flush(.indexes), fleet, &random, queries: 40, seed: seed)
    try transaction.commit()

    try check(file.snapshot(), fleet, &random, queries: 20, seed: seed)
  }

  private func check(
    _ reader: any StoreReader, _ fleet: PlainObjects, _ random: inout SeededGenerator,
    queries: Int, seed: UInt64
  ) throws {
    let oracle = ScanOracle(fleet)
    let makers = ["Boat", "Boat", "Boat", "Harbor"].map {
      RandomPredicates($0, in: fleet.schema, from: fleet)
    }
    for number in 0..<queries {
      var query = try random.pick(makers).query(depth: random.below(3), &random)
        .boundWithAnyOrder(to: fleet.schema)
      // Often the whole result, or a part in the order of an index.
      switch random.below(6) {
      case 0...2: (query.limit, query.offset) = (nil, 0)
      // Beyond all numbers of rows, together with the offset.
      case 3: (query.limit, query.offset) = (.max, 1 + random.below(3))
      default: break
      }
      let root = try #require(fleet.schema[query.className])
      let names = random.pick(try #require(Self.outputs[query.className]))
      let paths = try names.map { name in
        try fleet.schema.resolve(
          PropertyPath(name.split(separator: ".").map(String.init)), from: root)
      }
      query.output = .columns(paths)
      let keys = try oracle.keys(query)
      let expected = keys.map { key in
        [Value.int(key)] + paths.map { Self.value($0, fleet.object(query.className, key), fleet) }
      }
      for options in Self.plannerOptions {
        let catalog = StoreCatalog(reader)
        let plan = Planner(catalog, options: options).plan(query)
        for plan in Self.variants(plan) {
          let found = try Self.rows(of: plan, Executor(reader, catalog: catalog))
          #expect(
            Self.areSame(found, expected),
            """
            seed \(seed), query \(number):
            \(query.predicate), order \(query.order), offset \(query.offset), limit \(query.limit ?? -1)
            \(PlanText(plan).text())
            """)
        }
      }
    }
  }

  /// The plan, and the same plan with other accesses to the columns.
  private static func variants(_ plan: Plan) -> [Plan] {
    func variant(_ output: OutputAccess) -> Plan {
      var variant = plan
      variant.output = output
      return variant
    }
    var variants = [plan, variant(.keys(areCached: false))]
    switch plan.access {
    case .scan, .nothing, .orderedSearch, .nearestSearch: break
    default: if plan.query.order.isEmpty { variants.append(variant(.rows)) }
    }
    if !plan.query.order.isEmpty, plan.query.rowsNeeded == nil, plan.access.kind != .orderedSearch {
      variants.append(variant(.rows))
    }
    return variants
  }

  private static func rows(of plan: Plan, _ executor: Executor) throws -> [[Value]] {
    var rows: [[Value]] = []
    let statistics = try executor.forEachBatch(plan) { batch, columns, selected in
      for row in selected {
        rows.append([.int(batch.key(row))] + columns.map { $0.value(row) })
      }
    }
    #expect(statistics.answerRows == rows.count, "\(PlanText(plan).text())")
    return rows
  }

  private static func areSame(_ first: [[Value]], _ second: [[Value]]) -> Bool {
    first.map { $0.map(ValueKey.init) } == second.map { $0.map(ValueKey.init) }
  }

  /// The value at a path of a plain object; null behind a null link.
  private static func value(
    _ path: BoundPath, _ object: PlainObject?, _ fleet: PlainObjects
  ) -> Value {
    var object = object
    for name in path.path.names.dropLast() {
      switch object?[name] {
      case .embedded(let inner)?: object = inner
      case .value(.link(let key))?: object = fleet.object("Harbor", key.rawValue)
      default: return .null
      }
    }
    if case .value(let value)? = object?[path.path.names.last ?? ""] { return value }
    return .null
  }

  // MARK: Many rows

  private static let schema = Schema([
    ObjectSchema(
      className: "Reading",
      properties: [
        Property(name: "id", type: .int, isPrimaryKey: true),
        Property(name: "level", type: .int, isIndexed: true),
        Property(name: "text", type: .string), Property(name: "data", type: .data),
      ])
  ])

  private static let count = 20_000

  /// Readings whose levels are in another order than their ids and their keys.
  private static let store = Result {
    let file = try TestStore.temporary(schema)
    let transaction = try file.beginWrite()
    for number in 0..<count {
      let id = number * 7919 % count
      let row: [Value] = [
        .int(Int64(id)), .int(Int64(number * 104_729 % count)), .string("reading \(id)"),
        .data(.init(repeating: UInt8(id % 256), count: id % 5)),
      ]
      _ = try transaction.insert("Reading", row)
    }
    try transaction.commit()
    return file
  }

  @Test(arguments: [nil, "level"], [["id"], ["text", "level"], ["data", "id"]])
  func `many rows in the order of an index have their own values`(
    order: String?, names: [String]
  ) throws {
    let snapshot = try Self.store.get().snapshot()
    let query = try ObjectQuery(
      "Reading", where: QueryPredicate(parsing: "level >= 3000 AND level < 15000"),
      order: order.map { [SortKey(PropertyPath([$0]))] } ?? []
    ).bound(to: Self.schema)
    var found: [[Value]] = []
    var keys: [Int64] = []
    let session = QuerySession(snapshot)
    let paths = names.map { PropertyPath([$0]) }
    #expect(
      try session.forEachBatch(query, at: paths) { batch, columns, rows in
        batch.appendKeys(of: rows, to: &keys)
        for row in rows { found.append(columns.map { $0.value(row) }) }
      })

    #expect(try session.keys(query).keys == keys)
    let layout = try #require(snapshot.catalogue.layout("Reading"))
    let rows = try keys.map { key in try #require(try snapshot.row(layout, ObjectKey(key))) }
    let columns = names.compactMap { name in layout.columns.firstIndex { $0.name == name } }
    #expect(found == rows.map { row in columns.map { row[$0] } })
    #expect(keys.count == 12_000)
  }

  @Test func `a measured plan counts the rows of each output`() throws {
    let session = QuerySession(try Self.store.get().snapshot())
    let query = try ObjectQuery(
      "Reading", where: QueryPredicate(parsing: "level >= 3000 AND level < 3100"), limit: 70
    ).bound(to: Self.schema)
    let id = try Self.schema.resolve(
      PropertyPath(["id"]), from: #require(Self.schema["Reading"]))
    for (output, step) in [
      (.keys, "Limit 70 (measured rows 70)"), (.count, "Count"),
      (.columns([id]), "Project id (from the index)"),
    ] as [(BoundPredicate.QueryOutput, String)] {
      let text = try session.explain(query.yielding(output), measured: true)
      #expect(text.hasPrefix(step), "\(text)")
      #expect(text.contains("measured: 70 rows"), "\(text)")
    }
  }

  @Test func `a path that is not a column is refused before the query runs`() throws {
    let file = try TestStore.temporary(holding: Boats.examples)
    let session = QuerySession(try file.snapshot())
    let query = BoundQuery("Boat")
    for name in ["place.coordinates", "place.type"] {
      let path = PropertyPath(name.split(separator: ".").map(String.init))
      #expect(
        try !session.forEachBatch(query, at: [path]) { _, _, _ in Issue.record("called") })
      #expect(
        try !session.forEachBatch([1], of: "Boat", at: [path]) { _, _, _ in Issue.record("called") }
      )
    }
  }
}
