import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore
import CadastreTestSupport
import Testing

/// Queries on collections, maps, linking objects and values of any type have the same result from
/// the store and from the reference evaluator.
@Suite struct CollectionAgreementTests {
  private static let plannerOptions: [(name: String, options: Planner.Options)] =
    [("with all indexes", Planner.Options()), ("without indexes", .withoutIndexes)]
    + AccessPath.Kind.allCases.filter { $0 != .scan }.map { kind in
      var options = Planner.Options()
      options.disabledPaths = [kind]
      return ("without \(kind.rawValue)", options)
    }
    + PredicateRules.all.map { rule in
      var options = Planner.Options()
      options.disabledRules = [rule.name]
      return ("without \(rule.name)", options)
    }

  @Test(arguments: ["language.script", "collections.script"])
  func `the examples of the language in a store`(script: String) throws {
    let file = try TestStore.temporary(holding: Fleet.examples)
    let snapshot = try file.snapshot()
    var asked = 0
    for example in try ExampleQuery.all(script) {
      let root = try #require(Fleet.schema[example.className])
      guard
        let parsed = try? QueryText(parsing: example.text, arguments: example.arguments),
        let bound = try? parsed.bound(to: Fleet.schema, root: root)
      else { continue }
      let query = BoundQuery(
        example.className, where: try bound.predicate.bound(to: Fleet.schema, root: root))
      try check(query, snapshot, Fleet.examples, "\(script): \(example.text)")
      asked += 1
    }
    #expect(asked > 50)
  }

  @Test(arguments: Seeds.usual(101...106))
  func `the store agrees with the reference evaluator`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let fleet = Fleet.random(harbors: 12, trips: 30, boats: 40, &random)
    let file = try TestStore.temporary(holding: fleet)
    try checkRandomQueries(file.snapshot(), fleet, queries: 100, seed: seed, &random)
  }

  @Test(arguments: Seeds.usual(107...108))
  func `queries in a write transaction see its collections`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var fleet = Fleet.random(harbors: 6, trips: 12, boats: 20, &random)
    let file = try TestStore.temporary(holding: fleet)
    let transaction = try file.beginWrite()
    for round in 0..<20 {
      let others = Fleet.random(harbors: 6, trips: 12, boats: 20, &random)
      for _ in 0..<3 {
        try change(transaction, &fleet, from: others, &random)
      }
      try checkRandomQueries(
        transaction.flush(.indexes), fleet, queries: 10, seed: seed &* 1000 &+ UInt64(round),
        &random)
    }
    try transaction.commit()
    try checkRandomQueries(file.snapshot(), fleet, queries: 20, seed: seed, &random)
  }

  /// Gives a boat the collections of another one.
  private func change(
    _ transaction: WriteTransaction, _ fleet: inout PlainObjects, from others: PlainObjects,
    _ random: inout SeededGenerator
  ) throws {
    let key = random.pick(fleet.keys("Boat"))
    let other = try #require(others.object("Boat", random.pick(others.keys("Boat"))))
    for collection in try transaction.layout("Boat").collections where random.oneIn(2) {
      let name = collection.path.description
      try transaction.removeAll(from: collection, of: ObjectKey(key))
      guard let member = other[name] else { continue }
      try transaction.fill(collection, with: member, of: ObjectKey(key))
      fleet.update("Boat", key, [name: member])
    }
  }

  private func checkRandomQueries(
    _ reader: any StoreReader, _ fleet: PlainObjects, queries: Int, seed: UInt64,
    _ random: inout SeededGenerator
  ) throws {
    let maker = RandomCollectionPredicates(Fleet.schema)
    let roots = try ["Boat", "Boat", "Harbor", "Trip"].map { try #require(Fleet.schema[$0]) }
    for number in 0..<queries {
      let root = random.pick(roots)
      let predicate = maker.predicate(root, depth: random.below(3), &random)
      let bound = try predicate.bound(to: Fleet.schema, root: root)
      try check(
        BoundQuery(root.className, where: bound), reader, fleet,
        "seed \(seed), query \(number)")
    }
  }

  private func check(
    _ query: BoundQuery, _ reader: any StoreReader, _ fleet: PlainObjects, _ name: String
  ) throws {
    let expected = try ScanOracle(fleet).matching(query.className, query.predicate)
    let executor = Executor(reader, schema: Fleet.schema)
    for variant in Self.plannerOptions {
      let plan = Planner(StoreCatalog(reader), options: variant.options).plan(
        query)
      let found = try executor.keys(plan).keys
      guard found != expected else { continue }
      Issue.record(
        """
        \(name), \(variant.name): \(query.className) where \(query.predicate)
        found \(found)
        expected \(expected)
        missing \(Set(expected).subtracting(found)), superfluous \(Set(found).subtracting(expected))
        """)
      return
    }
  }
}
