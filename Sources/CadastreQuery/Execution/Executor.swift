package import CadastreModel
package import CadastrePredicate
package import CadastreStore

/// A closure that receives rows of a result: a batch with their keys, the column at the end of each path, and the
/// rows in it, in the order of the result.
package typealias ColumnsBody = (borrowing ColumnBatch, [BatchColumn], RowSet) throws -> Void

/// Executes plans on a snapshot or a write transaction, batch by batch.
///
/// The pending index entries of a transaction must be flushed before.
package struct Executor {
  let reader: any StoreReader
  let schema: Schema
  let threads: QueryThreads
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
    var plan = plan
    (plan.query.output, plan.output) = (.keys, .nothing)
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

  /// Finds the matching objects, and calls a closure with the columns that the query yields, batch by batch, in
  /// the order of the plan.
  ///
  /// Each value is in a column, see ``areColumns(_:of:)``.
  ///
  /// - Parameters:
  ///   - plan: The plan.
  ///   - body: The closure.
  /// - Returns: The statistics of the run.
  /// - Throws: The error of a read or of the closure.
  package func forEachBatch(_ plan: Plan, _ body: ColumnsBody) throws -> RunStatistics {
    try run(plan, wantsOrder: true) { run in
      try run.forEachOutput { batch, slots, rows in
        var columns: [BatchColumn] = []
        for slot in slots { columns.append(batch.columns[slot]) }
        try body(batch, columns, rows)
      }
    }
  }

  /// Runs a plan for its statistics.
  ///
  /// - Throws: The error of a read.
  package func statistics(_ plan: Plan) throws -> RunStatistics {
    switch plan.query.output {
    case .keys: try keys(plan).statistics
    case .columns: try forEachBatch(plan) { _, _, _ in }
    case .count: try count(plan).statistics
    }
  }

  /// The first of the matching objects with each combination of values, in the order of the plan;
  /// objects behind a null link are left out.
  ///
  /// - Throws: The error of a read.
  package func distinct(_ plan: Plan, by paths: [BoundPath]) throws -> [Int64] {
    guard plan.query.yieldsColumns, var column = DistinctColumn(at: paths) else {
      return try distinct(keys(plan).keys, of: plan.query.className, by: paths)
    }
    var found: [Int64] = []
    _ = try run(plan, wantsOrder: true) { run in
      try run.forEachOutput { batch, slots, rows in
        column.take(batch, slots[0], rows) { found.append($0) }
      }
    }
    return found
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
