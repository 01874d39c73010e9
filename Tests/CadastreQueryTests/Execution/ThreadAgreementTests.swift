import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore
import CadastreTestSupport
import Testing

/// Property: a scan on several threads has the result of one on a single thread.
@Suite struct ThreadAgreementTests {
  @Test(arguments: Seeds.usual(71...72))
  func `several threads agree with one`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let fleet = random.fleet(harbors: 20, boats: 10_000)
    let file = try TestStore.temporary(holding: fleet)
    // Without memory, rows are streamed and each batch is a copy.
    if seed % 2 == 0 { file.columns.budget = 0 }
    let snapshot = try file.snapshot()
    let catalog = StoreCatalog(snapshot)
    let alone = Executor(snapshot, threads: QueryThreads(maximum: 1))
    let together = Executor(snapshot, threads: QueryThreads(maximum: 4, minimumRows: 1))
    let maker = RandomPredicates("Boat", in: fleet.schema, from: fleet)
    var parallel = 0
    for number in 0..<60 {
      let query = try maker.query(depth: random.below(4), &random)
        .boundWithAnyOrder(to: fleet.schema)
      let plan = Planner(catalog, options: .withoutIndexes).plan(query)
      let (expected, found) = (try alone.keys(plan), try together.keys(plan))
      let count = try together.count(plan).count
      if found.statistics.threads > 1 { parallel += 1 }
      #expect(
        found.keys == expected.keys && count == expected.keys.count,
        "seed \(seed), query \(number): \(query.predicate), order \(query.order)")
      #expect(found.statistics.accessRows == expected.statistics.accessRows)
      #expect(expected.statistics.threads == 1)
    }
    #expect(parallel > 5, "seed \(seed): only \(parallel) queries used several threads")
  }
}
