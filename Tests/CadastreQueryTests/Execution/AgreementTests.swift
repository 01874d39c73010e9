import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore
import CadastreTestSupport
import Testing

/// Property: a query has the same result with every plan and in the reference evaluator.
@Suite struct AgreementTests {
  /// The planner options for each query.
  private static let plannerOptions: [(name: String, options: Planner.Options)] = {
    var plannerOptions = [
      ("with all indexes", Planner.Options()), ("without indexes", .withoutIndexes),
    ]
    for kind in AccessPath.Kind.allCases where kind != .scan {
      var options = Planner.Options()
      options.disabledPaths = [kind]
      plannerOptions.append(("without \(kind.rawValue)", options))
    }
    // Where rows are dear, every index is used that there is, and several at a time.
    var eager = Planner.Options()
    eager.costs.rowRead = 1e6
    eager.costs.scanStep = 1e6
    plannerOptions.append(("with indexes at any price", eager))
    var uncached = Planner.Options()
    uncached.cachesPlans = false
    plannerOptions.append(("without cached plans", uncached))
    for rule in PredicateRules.all {
      var options = Planner.Options()
      options.disabledRules = [rule.name]
      plannerOptions.append(("without \(rule.name)", options))
    }
    return plannerOptions
  }()

  @Test(arguments: Seeds.usual(1...4))
  func `indexes agree with scans and with the reference evaluator`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let fleet = random.fleet(harbors: 40, boats: 120)
    let file = try TestStore.temporary(holding: fleet)
    limitMemory(of: file, seed)
    let snapshot = try file.snapshot()

    try check(snapshot, fleet, &random, queries: 150, seed: seed)
  }

  @Test(arguments: Seeds.usual(5...6))
  func `queries in a write transaction see what it will commit`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var fleet = random.fleet(harbors: 30, boats: 90)
    let file = try TestStore.temporary(holding: fleet)
    limitMemory(of: file, seed)
    let transaction = try file.beginWrite()
    for round in 0..<8 {
      for _ in 0..<5 { try change(transaction, &fleet, &random) }
      try check(
        transaction.flush(.indexes), fleet, &random, queries: 20,
        seed: seed &* 1000 &+ UInt64(round))
    }
    try transaction.commit()

    try check(file.snapshot(), fleet, &random, queries: 50, seed: seed)
  }

  /// Lets columns stay in memory, or hardly any, or none.
  private func limitMemory(of file: StoreFile, _ seed: UInt64) {
    file.columns.budget = [ColumnCache.defaultBudget, 20_000, 0][Int(seed % 3)]
  }

  private func check(
    _ reader: any StoreReader, _ fleet: PlainObjects, _ random: inout SeededGenerator,
    queries: Int, seed: UInt64
  ) throws {
    let oracle = ScanOracle(fleet)
    let catalog = StoreCatalog(reader)
    let executor = Executor(reader, catalog: catalog)
    let makers = ["Boat", "Boat", "Boat", "Harbor"].map {
      RandomPredicates($0, in: fleet.schema, from: fleet)
    }
    for number in 0..<queries {
      let query = try random.pick(makers).query(depth: random.below(4), &random)
        .boundWithAnyOrder(to: fleet.schema)
      let expected = try oracle.keys(query)
      for alternative in alternatives(to: query, catalog) {
        let found = try executor.keys(alternative).keys
        let count = try executor.count(alternative).count
        #expect(
          found == expected && count == expected.count,
          "seed \(seed), query \(number), \(query.predicate): \(PlanText(alternative).text())")
      }
      for variant in Self.plannerOptions {
        let plan = Planner(catalog, options: variant.options).plan(query)
        let found = try executor.keys(plan).keys
        let count = try executor.count(plan).count
        guard found != expected || count != expected.count else { continue }
        Issue.record(
          """
          seed \(seed), query \(number), \(variant.name):
          \(query.className) where \(query.predicate)
          order \(query.order), offset \(query.offset), limit \(query.limit ?? -1)
          \(PlanText(plan).text())
          found \(found), counted \(count)
          expected \(expected)
          missing \(Set(expected).subtracting(found)), superfluous \(Set(found).subtracting(expected))
          """)
        return
      }
    }
  }

  /// The plans that cost more than the chosen one.
  private func alternatives(to query: BoundQuery, _ catalog: StoreCatalog) -> [Plan] {
    var options = Planner.Options()
    options.comparesAll = true
    return Planner(catalog, options: options).plan(query).alternatives
  }

  private func change(
    _ transaction: WriteTransaction, _ fleet: inout PlainObjects,
    _ random: inout SeededGenerator
  ) throws {
    let className = random.pick(["Boat", "Boat", "Harbor"])
    let keys = fleet.keys(className)
    let number = 1_000_000 + random.below(1_000_000_000)
    switch random.below(4) {
    case 0:
      let object =
        className == "Boat"
        ? random.boat(number, harbors: 0, boats: 0) : random.harbor(number)
      let key = try transaction.insert(className, object: object)
      #expect(fleet.insert(className, object) == key.rawValue)
    case 1:
      let key = random.pick(keys)
      try transaction.delete(className, ObjectKey(key))
      fleet.delete(className, key)
    default:
      let key = random.pick(keys)
      var changes = random.boat(0, harbors: 0, boats: 0)
      if className == "Harbor" { changes = random.harbor(0) }
      changes["id"] = nil
      changes["code"] = nil
      for name in changes.keys.sorted() where random.oneIn(2) { changes[name] = nil }
      try transaction.update(className, key, members: changes)
      fleet.update(className, key, changes)
    }
  }
}
