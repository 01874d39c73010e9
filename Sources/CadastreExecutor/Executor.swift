package import CadastreModel
package import CadastrePlanner
import CadastrePredicate
package import CadastreStore

/// Executes plans on a snapshot or a write transaction, batch by batch.
///
/// The pending index entries of a transaction must be flushed before; the query session does so.
package struct Executor {
  let reader: any StoreReader
  let schema: Schema
  private let threads: QueryThreads
  private let dives: IndexDives?

  /// An executor on a snapshot or a write transaction.
  ///
  /// - Parameters:
  ///   - reader: The snapshot or the transaction.
  ///   - schema: The classes with their computed properties, which a store does not keep; nil where
  ///     there are none.
  ///   - threads: The number of threads that a query may use.
  ///   - catalog: The catalog of the same reader for which the plans are made, if its reader has
  ///     not changed since.
  package init(
    _ reader: any StoreReader, schema: Schema? = nil, threads: QueryThreads = QueryThreads(),
    catalog: StoreCatalog? = nil
  ) {
    self.reader = reader
    self.threads = threads
    dives = catalog?.dives
    self.schema = schema ?? reader.catalogue.schema
  }

  /// The keys of the matching objects, in the order of the plan, and the statistics of the run.
  package func keys(_ plan: Plan) throws -> (keys: [Int64], statistics: RunStatistics) {
    var keys: [Int64] = []
    let statistics = try run(plan, wantsOrder: true) { keys = try $0.keys() }
    return (keys, statistics)
  }

  /// The number of matching objects.
  ///
  /// Rows that the index decides are counted without being read.
  package func count(_ plan: Plan) throws -> (count: Int, statistics: RunStatistics) {
    var plan = plan
    plan.query.order = []
    if case .scan(let className) = plan.access, plan.filters.isEmpty {
      let rows = try reader.rowCount(className)
      let left = max(0, rows - plan.query.offset)
      return (min(left, plan.query.limit ?? left), RunStatistics())
    }
    var count = 0
    let statistics = try run(plan, wantsOrder: false) { run in
      count = try run.count()
    }
    return (count, statistics)
  }

  private func run(
    _ plan: Plan, wantsOrder: Bool, _ body: (inout PlanRun) throws -> Void
  ) throws -> RunStatistics {
    let clock = ContinuousClock()
    let start = clock.now
    var run = try PlanRun(
      plan, reader, schema, wantsOrder: wantsOrder, threads: threads, dives: dives)
    try body(&run)
    run.statistics.seconds = start.duration(to: clock.now) / .seconds(1)
    return run.statistics
  }
}
