import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore
import CadastreTestSupport
import Testing

/// Property: a query of a shape that was used before has the result of the reference evaluator,
/// whatever its constants are.
@Suite struct ShapeAgreementTests {
  @Test(arguments: Seeds.usual(81...83))
  func `other constants in a shape agree with the reference evaluator`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let fleet = random.fleet(harbors: 40, boats: 120)
    let file = try TestStore.temporary(holding: fleet)
    let reused = try check(file.snapshot(), fleet, &random, shapes: 60, seed: seed)
    #expect(reused > 200, "seed \(seed): only \(reused) shapes were reused")
  }

  @Test(arguments: Seeds.usual(84...84))
  func `shapes are right in a transaction and after a change of indexes`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var fleet = random.fleet(harbors: 20, boats: 60)
    let file = try TestStore.temporary(holding: fleet)
    let before = random
    try check(file.snapshot(), fleet, &random, shapes: 20, seed: seed)

    let transaction = try file.beginWrite()
    for key in fleet.keys("Boat").prefix(20) {
      try transaction.delete("Boat", ObjectKey(key))
      fleet.delete("Boat", key)
    }
    // The same queries again, on other objects.
    random = before
    try check(transaction.flush(.indexes), fleet, &random, shapes: 20, seed: seed)
    try transaction.commit()

    let frozen = try file.snapshot()
    for isIndexed in [false, true] {
      try file.prepare(for: fleet.schema.withIndexes(isIndexed))
      random = before
      try check(file.snapshot(), fleet, &random, shapes: 20, seed: seed)
    }
    random = before
    try check(frozen, fleet, &random, shapes: 20, seed: seed)
  }

  @Test(arguments: Seeds.usual(85...85))
  func `several threads share shapes`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let fleet = random.fleet(harbors: 20, boats: 60)
    let file = try TestStore.temporary(holding: fleet)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          var random = SeededGenerator(seed: seed)
          try check(file.snapshot(), fleet, &random, shapes: 15, seed: seed)
        }
      }
      try await group.waitForAll()
    }
  }

  @Test(arguments: Seeds.usual(86...87))
  func `an index that yielded a few rows is used while it yields a few`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var fleet = random.fleet(harbors: 5, boats: 400)
    // Crews from 0 to 19: the first ones are of one or two boats, the last one of nearly all.
    for key in fleet.keys("Boat") {
      let crew = random.below(4) == 0 ? random.below(20) : 19
      fleet.update("Boat", key, ["crew": .value(.int(Int64(crew)))])
    }
    let file = try TestStore.temporary(holding: fleet)
    let reader = try file.snapshot()
    let oracle = ScanOracle(fleet)
    var single = 0
    for _ in 0..<200 {
      let query = ObjectQuery(
        "Boat", where: try QueryPredicate(parsing: "crew == \(random.below(21)) AND id > 3"),
        limit: random.below(3) == 0 ? random.below(5) : nil)
      let bound = try query.bound(to: fleet.schema)
      let catalog = StoreCatalog(reader)
      let plan = Planner(catalog).plan(bound)
      let expected = try oracle.keys(bound)
      #expect(try Executor(reader, catalog: catalog).keys(plan).keys == expected, "seed \(seed)")
      guard plan.reusesShape, plan.rejected.isEmpty, bound.limit != 0 else { continue }
      single += 1
      #expect(plan.estimate.rows < 60)
      // All candidates are there where they are asked for.
      var options = Planner.Options()
      options.comparesAll = true
      #expect(!Planner(StoreCatalog(reader), options: options).plan(bound).rejected.isEmpty)
    }
    #expect(single > 20, "seed \(seed): \(single) plans by one index")
  }

  /// Compares the results of random shapes, each with several sets of constants.
  ///
  /// - Returns: The number of plans that reused a shape.
  @discardableResult
  private func check(
    _ reader: any StoreReader, _ fleet: PlainObjects, _ random: inout SeededGenerator,
    shapes: Int, seed: UInt64
  ) throws -> Int {
    let oracle = ScanOracle(fleet)
    let catalog = StoreCatalog(reader)
    let executor = Executor(reader, catalog: catalog)
    let makers = ["Boat", "Boat", "Harbor"].map {
      RandomPredicates($0, in: fleet.schema, from: fleet)
    }
    var reused = 0
    for number in 0..<shapes {
      let query = random.pick(makers).query(depth: random.below(4), &random)
      for _ in 0..<8 {
        var other = query
        other.predicate = random.withOtherConstants(query.predicate)
        if query.limit != nil { other.limit = random.below(30) }
        // A copy of the schema has resolved no path yet.
        let bound = Result { try other.boundWithAnyOrder(to: fleet.schema) }
        let again = Result { try other.boundWithAnyOrder(to: Schema(fleet.schema.objectSchema)) }
        guard case .success(let boundQuery) = bound, case .success(let boundAgain) = again else {
          #expect(
            (bound.failure as? QueryPredicateError) == (again.failure as? QueryPredicateError),
            "seed \(seed), shape \(number)")
          continue
        }
        #expect(boundQuery == boundAgain, "seed \(seed), shape \(number)")
        let plan = Planner(catalog).plan(boundQuery)
        if plan.reusesShape { reused += 1 }
        let expected = try oracle.keys(boundQuery)
        let found = try executor.keys(plan).keys
        let count = try executor.count(plan).count
        guard found != expected || count != expected.count else { continue }
        Issue.record(
          """
          seed \(seed), shape \(number): \(other.className) where \(other.predicate)
          \(PlanText(plan).text(.shape))
          found \(found), counted \(count)
          expected \(expected)
          """)
        return reused
      }
    }
    return reused
  }
}

extension Result {
  fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}

extension Schema {
  /// The same classes with an ordered index on every property that can have one, or on primary keys
  /// only.
  fileprivate func withIndexes(_ isIndexed: Bool) -> Schema {
    Schema(
      objectSchema.map { owner in
        ObjectSchema(
          className: owner.className,
          properties: owner.properties.map { property in
            let fits =
              property.collection == nil
              && [.int, .string, .date, .bool].contains(property.type)
            return Property(
              name: property.name, columnName: property.columnName, type: property.type,
              isOptional: property.isOptional, isPrimaryKey: property.isPrimaryKey,
              isIndexed: isIndexed && fits, isFullTextIndexed: property.isFullTextIndexed,
              collection: property.collection, objectClassName: property.objectClassName)
          }, computedProperties: owner.computedProperties, isEmbedded: owner.isEmbedded)
      })
  }
}
