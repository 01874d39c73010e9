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

  @Test func `a filter that reads more than its batch runs on one thread`() throws {
    let point = "geometry('POINT (10.2 56.15)')"
    let ofBatch = [
      "crew > 3", "name == null", "place == null", "name BEGINSWITH 'A'", "NOT crew == 3",
      "crew IN {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}", "crew == 3 OR name == 'x'", "crew + seats > 4",
      "place.type == 'Point'", "place.coordinates == {10.2, 56.15}", "place.coordinates[1] > 50",
      "place GEOWITHIN geoCircle([10.2, 56.15], 0.5)", "place GEOTOUCHES[planar] \(point)",
      "GEODISTANCE(place, \(point)) < draft",
    ]
    let ofOthers = [
      "ANY marks == 1", "NOT ANY marks == 1", "specs.hp == 90", "ANY trips.miles > 5",
      "marks == {1, 2, 3}", "marks[0] == 1", "marks.@sum > 3", "marks.@sum > crew",
      "crew > marks.@sum", "crew + marks.@sum > 3", "marks.@sum + crew > 3",
      "crew > 0 OR ANY marks == 1", "ANY marks == 1 OR crew > 0",
      "SUBQUERY(trips, $t, $t.miles > 1).@count == 1",
    ]
    let ofHarbors = [
      "ANY buoys GEOTOUCHES[planar] \(point)", "GEODISTANCE(ANY buoys, \(point)) >= depth",
      "site GEOTOUCHES[planar] ANY Harbor.site",
    ]
    for (objects, className, predicates, threads) in [
      (Boats.examples, "Boat", ofBatch, 4), (Fleet.examples, "Boat", ofOthers, 1),
      (Fleet.examples, "Harbor", ofHarbors, 1),
    ] {
      let snapshot = try TestStore.temporary(holding: objects).snapshot()
      let executor = Executor(snapshot, threads: QueryThreads(maximum: 4, minimumRows: 1))
      for text in predicates {
        let query = try ObjectQuery(className, where: QueryPredicate(parsing: text))
          .bound(to: objects.schema)
        let plan = Planner(StoreCatalog(snapshot), options: .withoutIndexes).plan(query)
        #expect(try executor.keys(plan).statistics.threads == threads, "\(text)")
      }
    }
  }
}
