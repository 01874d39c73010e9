import CadastreModel
import CadastrePredicate
import CadastreStore
import CadastreTestSupport
import Testing

@testable import CadastreQuery

/// Samples of the rows of a class, and scans of rows whose keys are far apart.
@Suite struct RowSampleTests {
  private static let schema = Schema([
    ObjectSchema(className: "Gauge", properties: [Property(name: "level", type: .int)])
  ])

  /// A store of gauges whose levels are 0, 1, 2 and so on, in order of key.
  ///
  /// - Parameters:
  ///   - count: The number of gauges.
  ///   - isSpread: Whether the first and the last one have the smallest and the largest key, as another program may
  ///     write them.
  /// - Returns: The store.
  /// - Throws: ``StoreError`` when writing fails.
  private func store(_ count: Int, isSpread: Bool = false) throws -> StoreFile {
    let file = try TestStore.temporary(Self.schema)
    let transaction = try file.beginWrite()
    for level in 0..<count { _ = try transaction.insert("Gauge", [.int(Int64(level))]) }
    if isSpread {
      let connection = try transaction.connection
      try connection.run("UPDATE Gauge SET \"#key\" = \(Int64.min) WHERE level = 0")
      try connection.run("UPDATE Gauge SET \"#key\" = \(Int64.max) WHERE level = \(count - 1)")
    }
    try transaction.commit()
    return file
  }

  private func query(_ text: String) throws -> BoundQuery {
    try ObjectQuery("Gauge", where: QueryPredicate(parsing: text)).bound(to: Self.schema)
  }

  @Test func `a sample estimates the share of the rows and the first match`() throws {
    let snapshot = try store(640).snapshot()
    for least in [0, 1, 320, 639] {
      let sample = try #require(
        try StoreCatalog(snapshot).sample("Gauge", query("level >= \(least)").predicate))
      #expect(sample.count == RowSample.size)
      #expect(abs(sample.matching - (640 - least) / 10) <= 1)
      #expect(sample.first == sample.count - sample.matching)
    }
  }

  @Test func `no more rows match all terms than an access path finds`() throws {
    let snapshot = try store(640).snapshot()
    let terms = try query("level >= 0 AND level != 3").predicate.conjuncts
    for (rows, share) in [(5.0, 5.0 / 640), (640, 1.0 / 9)] {
      let found = Candidate(
        access: .scan(className: "Gauge"), decided: [], estimate: Estimate(rows: rows, cost: 0))
      let selectivity = Selectivity(
        "Gauge", terms, [found], StoreCatalog(snapshot), Planner.Options().costs, fetch: 1)
      #expect(abs(selectivity.share(of: [0, 1]) { _ in 0 } - share) < 1e-9)
      // The access path finds all rows that match one of the terms only together with the other one.
      #expect(abs(selectivity.share(of: [0]) { _ in 0 } - 1.0 / 3) < 1e-9)
      // A costly choice is worth a sample.
      #expect(selectivity.share(of: [0, 1]) { _ in .infinity } > 0.9)
    }
  }

  @Test func `keys of other programs may be as far apart as they can be`() throws {
    let snapshot = try store(20, isSpread: true).snapshot()
    let ends = try query("level == 0 OR level == 19")
    #expect(StoreCatalog(snapshot).sample("Gauge", ends.predicate) == nil)
    let plan = Planner(StoreCatalog(snapshot)).plan(ends)
    #expect(try Executor(snapshot).keys(plan).keys == [.min, .max])
  }

  @Test(arguments: [0, ColumnCache.defaultBudget], [1, 2])
  func `a scan skips the gaps between keys that are far apart`(budget: Int, workers: Int) throws {
    let count = 10_000
    let file = try store(count, isSpread: true)
    file.columns.budget = budget
    let snapshot = try file.snapshot()
    let threads = QueryThreads(maximum: workers, minimumRows: 1)
    let cases: [(text: String, holds: (Int) -> Bool)] = [
      ("level < 3 OR level > 9996", { $0 < 3 || $0 > 9996 }), ("level == 9999", { $0 == 9999 }),
      ("level >= 0", { _ in true }),
    ]
    for (text, holds) in cases {
      let plan = try Planner(StoreCatalog(snapshot)).plan(query(text))
      let expected = (0..<count).filter(holds).map { level -> Int64 in
        level == 0 ? .min : level == count - 1 ? .max : Int64(level) + 1
      }
      // The second scan finds the columns in memory, if they have room.
      for _ in 0..<2 {
        #expect(try Executor(snapshot, threads: threads).keys(plan).keys == expected, "\(text)")
      }
    }
  }
}
