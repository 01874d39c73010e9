import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore
import CadastreTestSupport
import Testing

/// Property: the first objects of each combination of values are those of the oracle.
@Suite struct DistinctColumnsTests {
  @Test(arguments: Seeds.usual(331...334))
  func `combinations of several properties agree with the oracle`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let fleet = random.fleet(harbors: 6, boats: 150)
    let file = try TestStore.temporary(holding: fleet)
    // With columns in memory, and without.
    if seed % 2 == 0 { file.columns.budget = 0 }
    let reader = try file.snapshot()
    let root = try #require(fleet.schema["Boat"])
    let names = [
      "name", "crew", "seats", "length", "draft", "active", "rented", "built", "fee", "uid",
      "berth.name", "berth.depth", "escort.crew", "engine.maker", "engine.power",
      "escort.berth.name",
      "berth.site.type",
    ]
    for _ in 0..<60 {
      let paths = (0..<random.below(3) + 1).map { _ in PropertyPath(random.pick(names)) }
      let order = [SortKey(PropertyPath(random.pick(names)), isAscending: random.oneIn(2))]
      let query = try ObjectQuery(
        "Boat", where: QueryPredicate(parsing: random.pick(["TRUEPREDICATE", "crew >= 0"])),
        order: random.oneIn(2) ? order : []
      ).bound(to: fleet.schema)
      let text = QueryText(predicate: .constant(true), orderings: [.distinct(paths)])
      let keys = try ScanOracle(fleet).keys(query)
      let first = try ScanOracle(fleet).distinct(keys, "Boat", paths)
      let bound = try paths.map {
        try fleet.schema.resolvedPaths.path($0, from: root, in: fleet.schema)
      }
      let catalog = StoreCatalog(reader)
      let executor = Executor(reader, catalog: catalog)
      #expect(
        try executor.distinct(Planner(catalog).plan(query), by: bound) == first,
        "seed \(seed): \(text), \(query.order)")
      #expect(
        try executor.distinct(keys, of: "Boat", by: bound) == first, "seed \(seed): \(text)")
    }
  }
}
