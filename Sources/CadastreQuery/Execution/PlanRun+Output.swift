import CadastreModel
import CadastrePredicate
import CadastreStore

/// A closure that receives rows of a result: a batch, the slots of the columns in it, and the rows, in order.
typealias OutputBody = (borrowing ColumnBatch, [Int], RowSet) throws -> Void

/// Runs that yield columns with the keys.
extension PlanRun {
  /// Calls a closure with the rows of the result and the columns of the output, in the order of the plan.
  mutating func forEachOutput(_ body: OutputBody) throws {
    guard let output else { return }
    switch (plan.output, plan.access) {
    case (.scan, _): return try scan(output, body)
    case (.rows, _) where plan.gathersAll: return try sorted(output, body)
    case (.entries, .indexSearch(let index, let ranges)):
      return try entries(of: index, ranges, output, body)
    case (.entries, _), (.rows, .nearestSearch), (.rows, .orderedSearch):
      gathered = ColumnBatch(output.columns)
    case (.rows, _): return try rows(output, body)
    case (.keys, _), (.nothing, _): break
    }
    let keys = try keys()
    if output.columns.isEmpty {
      var rows = ColumnBatch([])
      rows.append(keys.map { IndexEntry(key: $0) })
      return try body(rows, [], rows.allRows)
    }
    if let gathered, let positions = positions(of: keys, in: gathered) {
      return try Self.pass(gathered, positions, output.indexes, body)
    }
    try passByKey(keys, output, body)
  }

  /// Passes the rows with some keys, whose columns are read by key.
  private mutating func passByKey(
    _ keys: [Int64], _ output: PlanOutput, _ body: OutputBody
  ) throws {
    let batches = BatchReader(layout, output.columns, reader)
    let rows = RowsByKey(reader: batches) { [reader, threads] main in
      (1..<threads.maximum).compactMap { _ in reader.sibling().map(main.sibling) }
    }
    try rows.forEachBatch(of: keys) { try body($0, output.indexes, $0.allRows) }
    note(rows.reader)
  }

  /// Passes some rows of a batch, in a given order.
  private static func pass(
    _ rows: ColumnBatch, _ positions: [UInt32], _ slots: [Int], _ body: OutputBody
  ) throws {
    var next = 0
    while next < positions.count {
      let end = min(next + ColumnBatch.capacity, positions.count)
      let batch = rows.gathered(positions[next..<end])
      try body(batch, slots, batch.allRows)
      next = end
    }
  }

  /// Keeps the columns of rows that were found in an order, to yield them when the order is known.
  mutating func gather(_ batch: borrowing ColumnBatch, _ rows: RowSet) {
    guard let output else { return }
    gathered.gather(batch, rows, output.columnSlots, mostBytes: Self.mostGatheredBytes)
  }

  /// The size of the values from which gathered rows are released; large values are read again.
  private static let mostGatheredBytes = 64 << 20

  /// Returns the positions of some keys in a batch; nil where it lacks one.
  private func positions(of keys: [Int64], in rows: ColumnBatch) -> [UInt32]? {
    let all = rows.addedKeys
    let start = plan.query.offset
    // In the order of an index, the result is a part of the rows.
    if all.count - keys.count >= start, all[start...].starts(with: keys) {
      return (start..<start + keys.count).map { UInt32($0) }
    }
    let places = Dictionary(zip(all, UInt32(0)...), uniquingKeysWith: { first, _ in first })
    var positions: [UInt32] = []
    for key in keys {
      guard let place = places[key] else { return nil }
      positions.append(place)
    }
    return positions
  }

  // MARK: Sorted rows

  /// Passes all matching rows in the order of the query, whose columns are kept while they are sorted.
  private mutating func sorted(_ output: PlanOutput, _ body: OutputBody) throws {
    guard var sort = order else { return }
    order = nil
    var gathered: ColumnBatch? = ColumnBatch(output.columns)
    var keys: [Int64] = []
    func add(_ batch: borrowing ColumnBatch, _ rows: RowSet) throws {
      try sort.add(batch, rows)
      batch.appendKeys(of: rows, to: &keys)
      gathered.gather(batch, rows, output.columnSlots, mostBytes: Self.mostGatheredBytes)
    }
    if let candidates = try candidates() {
      statistics.accessRows = candidates.count
      var batch = batches.makeBatch()
      var next = 0
      while try batches.readNext(of: candidates, from: &next, into: &batch) {
        try add(batch, filter.matching(batch))
      }
    } else {
      try forEachMatch { try add($0, $1) }
    }
    let positions = sort.rows().dropFirst(plan.query.offset).prefix(plan.query.limit ?? .max)
    statistics.matchedRows = keys.count
    statistics.answerRows = positions.count
    noteReading()
    if let gathered {
      return try Self.pass(gathered, positions.map { UInt32($0) }, output.indexes, body)
    }
    try passByKey(positions.map { keys[Int($0)] }, output, body)
  }

  // MARK: Rows in order of key

  /// Passes the rows of a scan, which reads the columns.
  private mutating func scan(_ output: PlanOutput, _ body: OutputBody) throws {
    let slots = output.slots
    var window = ResultWindow(plan.query)
    var matched = 0
    if plan.query.rowsNeeded == nil {
      try forEachMatch { batch, matching in
        var rows = matching
        matched += rows.count
        window.cut(&rows)
        if !rows.isEmpty { try body(batch, slots, rows) }
      }
    } else {
      var batch = batches.makeBatch()
      while !window.isComplete, try batches.readNext(into: &batch) {
        statistics.accessRows += batch.allRows.count
        // All filters of a limited scan belong to its first stage.
        var rows = try matching(batch, missing: window.missing)
        matched += rows.count
        window.cut(&rows)
        try pass(batch, rows) { try body($0, slots, $1) }
      }
    }
    finish(matched, window)
  }

  /// Passes the rows of an access path that pass the filters, whose batches have the columns.
  private mutating func rows(_ output: PlanOutput, _ body: OutputBody) throws {
    let candidates = try candidates() ?? []
    statistics.accessRows = candidates.count
    let slots = output.slots
    var window = ResultWindow(plan.query)
    var (matched, next) = (0, 0)
    var batch = batches.makeBatch()
    while !window.isComplete, try batches.readNext(of: candidates, from: &next, into: &batch) {
      var rows = try matching(batch, missing: window.missing)
      matched += rows.count
      window.cut(&rows)
      if !rows.isEmpty { try body(batch, slots, rows) }
    }
    finish(matched, window)
  }

  private mutating func finish(_ matched: Int, _ window: ResultWindow) {
    statistics.matchedRows = matched
    statistics.answerRows = window.count
    noteReading()
  }

  // MARK: Entries of an index

  /// Passes the rows in ranges of an index whose entries contain the columns.
  private mutating func entries(
    of index: IndexReference, _ ranges: [EntryRange], _ output: PlanOutput, _ body: OutputBody
  ) throws {
    let clock = ContinuousClock()
    let start = clock.now
    let columns = output.columns.map(\.column)
    var rows = ColumnBatch(output.columns)
    if ranges.count == 1, let known = dives?.rows(index, ranges[0], columns) {
      rows = known
    } else {
      let search = ValueIndexSearch(
        layout.valueIndexes[index.position], layout, reader, columns: columns)
      for range in ranges
      where try !search.append(range, mostBytes: Self.mostGatheredBytes, to: &rows) {
        return try passByKey(try keys(), output, body)
      }
    }
    let positions = Self.ascending(rows.addedKeys)
    statistics.accessSeconds = start.duration(to: clock.now) / .seconds(1)
    statistics.accessRows = positions.count
    statistics.matchedRows = positions.count
    let first = min(plan.query.offset, positions.count)
    let result = positions[first...].prefix(plan.query.limit ?? .max)
    statistics.answerRows = result.count
    try Self.pass(rows, Array(result), output.indexes, body)
  }

  /// Returns the positions of keys in ascending order, each key once.
  private static func ascending(_ keys: [Int64]) -> [UInt32] {
    guard let order = KeyOrder(of: keys) else { return keys.indices.map { UInt32($0) } }
    var positions: [UInt32] = []
    positions.reserveCapacity(keys.count)
    for index in order.keys.indices where index == 0 || order.keys[index] != order.keys[index - 1] {
      positions.append(order.positions[index])
    }
    return positions
  }
}
