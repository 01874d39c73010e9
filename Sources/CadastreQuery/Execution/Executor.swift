package import CadastreModel
package import CadastrePredicate
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

  /// Finds the matching objects, and calls a closure with the column at the end of a path, batch by
  /// batch, and their rows in it, where a scan finds them.
  ///
  /// - Parameters:
  ///   - plan: The plan.
  ///   - path: The path.
  ///   - wantsKeys: Whether the keys are wanted where the closure is called.
  ///   - body: The closure.
  /// - Returns: The keys of the objects in the order of the plan, and whether the closure was called.
  /// - Throws: The error of a read.
  package func keys(
    _ plan: Plan, at path: BoundPath, wantsKeys: Bool, _ body: (BatchColumn, RowSet) -> Void
  ) throws -> (keys: [Int64], isPassed: Bool) {
    var keys: [Int64] = []
    var isPassed = false
    _ = try run(plan, wantsOrder: true, output: path) { run in
      isPassed = run.isOnePass
      guard isPassed else { return keys = try run.keys() }
      try run.forEachOutput { batch, slot, rows in
        if wantsKeys { batch.appendKeys(of: rows, to: &keys) }
        body(batch.columns[slot], rows)
      }
    }
    return (keys, isPassed)
  }

  /// The first of the matching objects with each combination of values, in the order of the plan;
  /// objects behind a null link are left out.
  ///
  /// - Throws: The error of a read.
  package func distinct(_ plan: Plan, by paths: [BoundPath]) throws -> [Int64] {
    let className = plan.query.className
    guard paths.count == 1, paths[0].hops.count == 1,
      case .property(let property) = paths[0].hops[0],
      var column = DistinctColumn(of: property.property.type)
    else { return try distinct(keys(plan).keys, of: className, by: paths) }
    var found: [Int64] = []
    _ = try run(plan, wantsOrder: true, output: paths[0]) { run in
      guard run.isOnePass else {
        return found = try distinct(run.keys(), of: className, by: paths)
      }
      try run.forEachOutput { batch, slot, rows in
        column.take(batch, slot, rows) { found.append($0) }
      }
    }
    return found
  }

  private func run(
    _ plan: Plan, wantsOrder: Bool, output: BoundPath? = nil,
    _ body: (inout PlanRun) throws -> Void
  ) throws -> RunStatistics {
    let clock = ContinuousClock()
    let start = clock.now
    var run = try PlanRun(
      plan, reader, schema, wantsOrder: wantsOrder, threads: threads, dives: dives,
      output: output)
    try body(&run)
    run.statistics.seconds = start.duration(to: clock.now) / .seconds(1)
    return run.statistics
  }
}
