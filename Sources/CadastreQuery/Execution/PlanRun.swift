import CadastreModel
import CadastrePredicate
import CadastreStore

/// One run of a plan.
struct PlanRun {
  let plan: Plan
  let reader: any StoreReader
  let schema: Schema
  let layout: TableLayout
  let wantsOrder: Bool
  let threads: QueryThreads
  let dives: IndexDives?
  /// The filters; where `late` is not nil, those of the first stage.
  let filter: AllFilter
  let batches: BatchReader
  /// The second stage of a scan; nil where the first one reads all columns.
  let late: LateRows?
  /// The columns that the query yields; nil where it yields none.
  let output: PlanOutput?
  /// The columns of rows that were found in an order; nil where they are not kept.
  var gathered: ColumnBatch?
  var order: RowOrder?
  /// The memory for the buffers of a sort of a scan; nil for other runs.
  var sortMemory: ColumnMemoryLoan?
  var statistics = RunStatistics()

  init(
    _ plan: Plan, _ reader: any StoreReader, _ schema: Schema, wantsOrder: Bool,
    threads: QueryThreads, dives: IndexDives?
  ) throws {
    guard let layout = reader.catalogue.layout(plan.query.className) else {
      throw StoreError(
        .corrupt("it has no class '\(plan.query.className)'"), path: reader.path)
    }
    self.plan = plan
    self.reader = reader
    self.schema = schema
    self.layout = layout
    self.wantsOrder = wantsOrder
    self.threads = threads.within(reader.columnSource(plan.query.className)?.cache.budget)
    self.dives = dives
    var compiler = FilterCompiler(layout, reader, schema)
    let isScan = if case .scan = plan.access { true } else { false }
    let isLimited = plan.query.order.isEmpty && plan.query.rowsNeeded != nil
    let firstLate = isScan && !isLimited ? FilterOrder.firstLate(plan.filters) : nil
    let filters = plan.filters
    let early = try compiler.filters(filters.prefix(firstLate ?? filters.count))
    let earlyColumns = compiler.request.columns
    let others = try compiler.filters(filters.dropFirst(early.count))
    let all = AllFilter(parts: early + others)
    if plan.isSorted {
      // Rows are added in order of key, unless an index yields them in its own.
      order = try RowOrder(
        plan.query.order, keep: plan.query.rowsNeeded, ties: plan.gathersAll ? .position : .key,
        threads: threads, &compiler)
    }
    let ownColumns = compiler.request.columns
    output = try PlanOutput(plan, &compiler)
    let columns = output?.read ?? ownColumns
    if isScan, !early.isEmpty, columns.count > earlyColumns.count {
      filter = AllFilter(parts: early)
      late = LateRows(
        filter: AllFilter(parts: others), batches: BatchReader(layout, columns, reader))
      batches = BatchReader(
        layout, earlyColumns, late: Array(columns[earlyColumns.count...]), reader,
        isLimited: isLimited, conditions: all.conditions(columns))
    } else {
      filter = all
      late = nil
      batches = BatchReader(
        layout, columns, reader, isLimited: isLimited,
        conditions: isScan ? all.conditions(columns) : [])
    }
  }

  /// The number of objects.
  mutating func count() throws -> Int {
    let found: Int
    if filter.parts.isEmpty, let known = try countedWithoutKeys() {
      statistics.accessRows = known
      found = known
    } else if case .scan = plan.access, order == nil, plan.query.limit == nil {
      var rows = 0
      try forEachMatch { rows += $1.count }
      noteReading()
      found = rows
    } else {
      return try keys().count
    }
    statistics.matchedRows = found
    let left = max(0, found - plan.query.offset)
    statistics.answerRows = min(left, plan.query.limit ?? left)
    return statistics.answerRows
  }

  /// The number of rows that the access path yields, where it is known without their keys.
  private mutating func countedWithoutKeys() throws -> Int? {
    switch plan.access {
    case .spatialSearch(let index, let inside): try count(index, inside)
    case .relationSearch(let index, let relation): try count(index, relation)
    case .complement(let className, .spatialSearch(let index, let outside)):
      try reader.rowCount(className) - count(index, outside)
    default: nil
    }
  }

  /// The keys of the objects, in order if an order is wanted.
  mutating func keys() throws -> [Int64] {
    var found: [Int64] = []
    if let partitions = try sortPartitions() {
      try forEach(partitions) { run in
        found += try run.sortedKeys()
        run.noteReading()
      }
      order = nil
    } else if let nearest = try nearest() {
      found = nearest
    } else if case .orderedSearch(let index, let ranges, let isAscending) = plan.access {
      let traversal = ValueIndexTraversal(
        layout.valueIndexes[index.position], layout, ranges: ranges, isAscending: isAscending,
        reader, integer: plan.output == .entries ? output?.columns.first?.column : nil)
      guard let ordered = try inOrder(of: traversal) else { return try keysOfScan() }
      found = ordered
    } else if let candidates = try candidates() {
      found = try read(candidates)
    } else {
      found = try scan()
    }
    noteReading()
    // A sorted scan has counted its rows, and leaves their keys to the order.
    statistics.matchedRows = max(statistics.matchedRows, found.count)
    if var order {
      self.order = nil
      order.finish()
      found = order.keys(order.positions.indices)
    }
    let start = min(found.count, plan.query.offset)
    let end = plan.query.limit.map { start + min($0, found.count - start) } ?? found.count
    statistics.answerRows = end - start
    return start == 0 && end == found.count ? found : Array(found[start..<end])
  }

  /// Adds what was read of the class's rows to the statistics.
  mutating func noteReading() {
    note(batches)
    if let late { note(late.batches) }
  }

  mutating func note(_ reading: BatchReader) {
    statistics.rowsRead += reading.rowsRead
    statistics.accessRows += reading.rowsSkipped
    statistics.segmentsInMemory += reading.segments.inMemory
    statistics.segmentsRead += reading.segments.read
  }

  /// The number of matching rows after which the run can stop; nil where all rows must be read.
  var enough: Int? {
    order == nil ? plan.query.rowsNeeded : nil
  }

  /// The keys of the rows that a scan finds, in order.
  private mutating func sortedKeys() throws -> [Int64] {
    guard var order else { return [] }
    self.order = nil
    var rows: ColumnBatch?
    statistics.matchedRows = try scan(into: &order, &rows)
    order.finish()
    return order.keys(order.positions.indices)
  }

  private mutating func scan() throws -> [Int64] {
    if order != nil { return try sortedKeys() }
    var found: [Int64] = []
    guard enough != nil else {
      try forEachMatch(
        isCostly: false,
        preparing: { batch, rows in
          var keys: [Int64] = []
          batch.appendKeys(of: rows, to: &keys)
          return keys
        }, { found += $0 })
      return found
    }
    var batch = batches.makeBatch()
    while enough.map({ found.count < $0 }) ?? true, try batches.readNext(into: &batch) {
      statistics.accessRows += batch.allRows.count
      try appendMatching(batch, to: &found)
    }
    return found
  }

  /// The candidates that pass the filters, in order of key.
  private mutating func read(_ candidates: [Int64]) throws -> [Int64] {
    statistics.accessRows = candidates.count
    if filter.parts.isEmpty, order == nil { return candidates }
    var found: [Int64] = []
    var batch = batches.makeBatch()
    var next = 0
    while enough.map({ found.count < $0 }) ?? true,
      try batches.readNext(of: candidates, from: &next, into: &batch)
    {
      try appendMatching(batch, to: &found)
    }
    return found
  }

  /// Appends the keys of the rows of a batch that pass the filters, until there are enough.
  mutating func appendMatching(
    _ batch: borrowing ColumnBatch, to found: inout [Int64]
  ) throws {
    let rows = try matching(batch, missing: enough.map { $0 - found.count })
    try order?.add(batch, rows)
    batch.appendKeys(of: rows, to: &found)
    gather(batch, rows)
  }

  /// Returns the rows of a batch that pass the filters.
  ///
  /// - Parameters:
  ///   - batch: The batch.
  ///   - missing: The number of rows after which the rest of the batch need not be tested; nil for all.
  /// - Returns: The rows; there may be more than the number.
  /// - Throws: The error of a read.
  func matching(_ batch: borrowing ColumnBatch, missing: Int?) throws -> RowSet {
    guard let missing else { return try filter.matching(batch) }
    // The first of these rows may be enough, so the filters begin with a few.
    var (rest, matches) = (batch.allRows, RowSet())
    var (size, count) = (Self.firstRows, 0)
    while !rest.isEmpty, count < missing {
      let rows = try filter.matching(batch, among: rest.removeFirst(size))
      matches.formUnion(rows)
      count += rows.count
      size *= 4
    }
    return matches
  }

  /// The number of rows of a batch that are filtered first where few are needed.
  private static let firstRows = 32
}
