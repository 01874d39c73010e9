import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreSQLite
import CadastreStore
import CadastreTestSupport
import Foundation
import Testing

@Suite struct CancellationTests {
  private let file: StoreFile
  private let schema: Schema

  init() throws {
    var random = SeededGenerator(seed: 5)
    let fleet = random.fleet(harbors: 20, boats: 10_000)
    file = try TestStore.temporary(holding: fleet)
    schema = fleet.schema
  }

  /// A snapshot whose queries a cancellation ends.
  private func snapshot(_ cancellation: QueryCancellation) throws -> Snapshot {
    let snapshot = try file.snapshot()
    snapshot.connection.cancellation = cancellation
    return snapshot
  }

  private func run(_ text: String, _ snapshot: Snapshot, threads: Int = 1) throws -> [Int64] {
    let query = try ObjectQuery("Boat", where: QueryPredicate(parsing: text)).bound(to: schema)
    let plan = Planner(StoreCatalog(snapshot)).plan(query)
    return try Executor(snapshot, threads: QueryThreads(maximum: threads, minimumRows: 1))
      .keys(plan).keys
  }

  @Test(
    arguments: [
      "fee > 1", "log CONTAINS 'a'", "place GEOWITHIN geoCircle([0, 0], 0.3)",
    ], [1, 4])
  func `a cancelled query throws, and the next reader does not`(
    predicate: String, threads: Int
  ) throws {
    let cancellation = QueryCancellation()
    let expected = try run(predicate, snapshot(cancellation), threads: threads)
    #expect(!expected.isEmpty)

    cancellation.cancel()
    let error = #expect(throws: StoreError.self) {
      _ = try run(predicate, snapshot(cancellation), threads: threads)
    }
    #expect(error?.reason == .cancelled)

    #expect(try run(predicate, file.snapshot(), threads: threads) == expected)
  }

  @Test(arguments: [0, 64 << 20])
  func `a query that runs is cancelled by another thread`(cacheBytes: Int) throws {
    file.columns.budget = cacheBytes
    let cancellation = QueryCancellation()
    let snapshot = try snapshot(cancellation)
    let started = DispatchSemaphore(value: 0)
    let thread = Thread {
      started.wait()
      cancellation.cancel()
    }
    thread.start()

    let error = #expect(throws: StoreError.self) {
      started.signal()
      while true { _ = try run("log CONTAINS 'a' AND fee > 0", snapshot) }
    }
    #expect(error?.reason == .cancelled)
  }

  @Test func `SQLite checks the cancellation while it runs a statement`() throws {
    let cancellation = QueryCancellation()
    // The connection of a snapshot that is gone belongs to the next reader, and has no cancellation.
    let snapshot = try snapshot(cancellation)
    let endless =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    Thread { cancellation.cancel() }.start()

    let error = withExtendedLifetime(snapshot) {
      #expect(throws: StoreError.self) { _ = try snapshot.connection.integer(endless) }
    }
    #expect(error?.reason == .cancelled)
  }
}
