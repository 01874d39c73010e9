package import CadastreGeometry
package import CadastreModel
package import CadastrePredicate
package import CadastreStore
import Foundation

/// Runs queries on one version of a store: plans and executes them.
///
/// A session works on any store, with or without Swift classes for its contents. The pending index
/// entries of a write transaction must be flushed before.
package struct QuerySession {
  let reader: any StoreReader
  /// The classes, with computed properties where there are any.
  let schema: Schema
  private let options: Planner.Options
  private let threads: QueryThreads

  /// A session on a snapshot or a write transaction.
  ///
  /// - Parameters:
  ///   - reader: The snapshot or the transaction.
  ///   - schema: The classes with their computed properties, which a store does not keep; nil where
  ///     there are none.
  ///   - options: The access paths and rules that the planner may use.
  ///   - threads: The number of threads that a query may use.
  package init(
    _ reader: any StoreReader, schema: Schema? = nil, options: Planner.Options = Planner.Options(),
    threads: QueryThreads = QueryThreads()
  ) {
    self.reader = reader
    self.threads = threads
    self.schema = schema ?? reader.catalogue.schema
    self.options = options
  }

  /// An executor for the reader, which also filters, sorts and groups objects by their keys.
  package var executor: Executor { Executor(reader, schema: schema, threads: threads) }

  // MARK: Whole queries

  /// The plan of a query.
  package func plan(_ query: BoundQuery) throws -> Plan {
    try prepared(query, comparesAll: true, isRun: false).plan
  }

  /// The plan of a query, and an executor that knows what the planner has found.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - known: The cached plan for the shape of the query; nil where it was not looked up, or there is none.
  ///   - comparesAll: Whether the plan has all candidates, also where one is known to cost little.
  ///   - isRun: Whether the plan is executed, so that its inner queries are.
  /// - Returns: The plan and the executor.
  /// - Throws: The error of a read.
  private func prepared(
    _ query: BoundQuery, known: CachedPlan? = nil, comparesAll: Bool = false, isRun: Bool = true
  ) throws -> (plan: Plan, executor: Executor) {
    let catalog = StoreCatalog(reader, for: query)
    var options = options
    options.comparesAll = comparesAll
    let planner = Planner(catalog, options: options)
    let plan = planner.plan(query, known: known)
    return (
      isRun ? try resolved(plan, by: planner) : plan,
      Executor(reader, schema: schema, threads: threads, catalog: catalog)
    )
  }

  /// The keys of the matching objects, ascending, and the number of rows that were read, where the cached plan of the
  /// shape is one statement; nil for other queries.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - known: Receives the cached plan of the shape.
  /// - Returns: The keys and the number.
  /// - Throws: The error of a read.
  private func lookedUp(
    _ query: BoundQuery, _ known: inout CachedPlan?
  ) throws -> (keys: [Int64], rowsRead: Int)? {
    guard query.order.isEmpty, options.usesCache else { return nil }
    known = PlanCache(reader.catalogue.plans).plan(for: query)
    guard let known, known.hasFewRows, let program = known.lookup else { return nil }
    return try program.keys(query.predicate, reader)
  }

  /// The keys of the matching objects, in the order of the query, and what the run measured.
  package func keys(_ query: BoundQuery) throws -> (keys: [Int64], statistics: RunStatistics) {
    var known: CachedPlan?
    if let found = try lookedUp(query, &known) {
      let keys = query.range(of: found.keys)
      return (keys, RunStatistics(rowsRead: found.rowsRead, found.keys.count, keys.count))
    }
    let (plan, executor) = try prepared(query, known: known)
    return try executor.keys(plan)
  }

  /// The number of matching objects.
  package func count(_ query: BoundQuery) throws -> Int {
    guard query.order.isEmpty else {
      var unordered = query
      unordered.order = []
      return try count(unordered)
    }
    // The shape is the same for the keys and for their number.
    var known: CachedPlan?
    if let found = try lookedUp(query, &known) { return query.range(of: found.keys).count }
    let (plan, executor) = try prepared(query.yielding(.count), known: known)
    return try executor.count(plan).count
  }

  /// Finds the matching objects, and calls a closure with the columns at the ends of some paths, batch by batch, in
  /// the order of the query; the value behind a null link is null.
  ///
  /// The plan takes the columns into account: they come from the entries of an index, from memory, or from the rows
  /// that the query reads.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - paths: The paths.
  ///   - body: The closure.
  /// - Returns: False where some values are not in a column; the closure is not called then.
  /// - Throws: ``QueryPredicateError`` for an unknown path, or the error of a read or of the closure.
  /// - Complexity: O(n), without a value of its own for each object.
  package func forEachBatch(
    _ query: BoundQuery, at paths: [PropertyPath], _ body: ColumnsBody
  ) throws -> Bool {
    let paths = try paths.map { try path($0, of: query.className) }
    guard try self.executor.areColumns(paths, of: query.className) else { return false }
    let (plan, executor) = try prepared(query.yielding(.columns(paths)))
    _ = try executor.forEachBatch(plan, body)
    return true
  }

  /// The first of the matching objects with each combination of values, in the order of the query;
  /// objects behind a null link are left out.
  package func distinct(_ query: BoundQuery, by paths: [BoundPath]) throws -> [Int64] {
    let isColumn = DistinctColumn(at: paths) != nil
    let (plan, executor) = try prepared(isColumn ? query.yielding(.columns(paths)) : query)
    return try executor.distinct(plan, by: paths)
  }

  // MARK: Objects known by key

  /// Calls a closure with the values at the ends of some paths of each object; null where there is
  /// none.
  ///
  /// - Complexity: O(n), a row read for each key, or one scan where the keys are those of all
  ///   objects.
  package func forEachValue(
    _ keys: [Int64], of className: String, at paths: [PropertyPath], _ body: ([Value]) -> Void
  ) throws {
    let paths = try paths.map { try path($0, of: className) }
    try executor.forEachValue(keys, of: className, at: paths, body)
  }

  /// Calls a closure with the columns at the ends of some paths of objects, batch by batch, in the order of the
  /// keys; the value behind a null link is null.
  ///
  /// - Returns: False where some values are neither in a column nor coordinates; the closure is not called then.
  /// - Throws: ``QueryPredicateError`` for an unknown path, or the error of a read or of the closure.
  /// - Complexity: O(n), without a value of its own for each object.
  package func forEachBatch(
    _ keys: [Int64], of className: String, at paths: [PropertyPath], _ body: ColumnsBody
  ) throws -> Bool {
    let paths = try paths.map { try path($0, of: className) }
    return try executor.forEachBatch(keys, of: className, at: paths, body)
  }

  /// Calls a closure with columns of the table of a class, batch by batch, in the order of the keys; keys without an
  /// object are skipped.
  ///
  /// - Throws: The error of a read or of the closure.
  /// - Complexity: O(n), without a value of its own for each object.
  package func forEachBatch(
    _ keys: [Int64], of className: String, columns: [Int],
    _ body: (borrowing ColumnBatch) throws -> Void
  ) throws {
    try executor.forEachBatch(keys, of: className, columns: columns, body)
  }

  /// The angles in radians between a point and the points at a path of some objects, in their
  /// order; nil for an object without a point.
  ///
  /// - Complexity: O(n), a row read for each key, or one scan where the keys are those of all
  ///   objects.
  package func angles(
    _ keys: [Int64], of className: String, at path: PropertyPath, from origin: GeoPoint
  ) throws -> [Double?] {
    let path = try self.path(path, of: className)
    return try executor.angles(keys, of: className, at: path, from: origin)
  }

  /// A path of objects of a class, resolved.
  private func path(
    _ path: PropertyPath, of className: String
  ) throws(QueryPredicateError) -> BoundPath {
    try schema.resolvedPaths.path(
      path, from: schema.queriedClass(className, allowsEmbedded: true), in: schema)
  }

  // MARK: SQL

  /// Runs an SQL query of the program, after the pending writes of a transaction.
  ///
  /// - Parameters:
  ///   - text: One statement that only reads.
  ///   - arguments: A value for each placeholder.
  /// - Returns: The names of the columns, and the rows in SQLite's storage classes.
  /// - Throws: ``SQLError`` where the text is no query or the arguments do not fit it,
  ///   ``StoreError`` where reading fails.
  package func sql(
    _ text: String, _ arguments: [Value]
  ) throws -> (columns: [String], rows: [[Value]]) {
    try reader.connection.rows(of: text, arguments)
  }

  // MARK: Plans

  /// The plan of a query as text, after a run if measurements are wanted; without, no query runs.
  package func explain(
    _ query: BoundQuery, _ options: PlanText.Options = [], measured: Bool = false
  ) throws -> String {
    PlanText(try report(query, measured: measured)).text(options)
  }

  /// The plan of a query as JSON, after a run if measurements are wanted: the steps with estimates
  /// and measurements, the rules that rewrote the query, and the rejected access paths.
  package func explainJSON(_ query: BoundQuery, measured: Bool = false) throws -> String {
    try Self.json(report(query, measured: measured))
  }

  /// A report as JSON, its members in the order of their names.
  package static func json(_ report: PlanReport) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(report), as: UTF8.self)
  }

  private func report(_ query: BoundQuery, measured: Bool) throws -> PlanReport {
    let (plan, executor) = try prepared(query, comparesAll: true, isRun: measured)
    let statistics = measured ? try executor.statistics(plan) : nil
    return PlanReport(
      plan, rules: PredicateRules.fired(on: query.predicate, without: options.disabledRules),
      measured: statistics)
  }
}

extension RunStatistics {
  /// The counts of one statement.
  fileprivate init(rowsRead: Int, _ matchedRows: Int, _ answerRows: Int) {
    self.init()
    (accessRows, self.rowsRead) = (rowsRead, rowsRead)
    self.matchedRows = matchedRows
    self.answerRows = answerRows
  }
}
