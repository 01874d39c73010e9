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
      return try pass(gathered, positions[...], output.indexes, body)
    }
    try passByKey(keys, output, body)
  }

  /// Passes the rows with some keys, whose columns are read by key.
  private mutating func passByKey(
    _ keys: [Int64], _ output: PlanOutput, _ body: OutputBody
  ) throws {
    let batches = BatchReader(layout, output.columns, reader)
    let rows = RowsByKey(batches, of: reader, threads)
    try rows.forEachBatch(of: keys) { try body($0, output.indexes, $0.allRows) }
    note(batches)
  }

  /// Passes some rows of a batch, in a given order.
  private func pass(
    _ rows: ColumnBatch, _ positions: ArraySlice<UInt32>, _ slots: [Int], _ body: OutputBody
  ) throws {
    try rows.forEachBatch(of: positions, threads) { try body($0, slots, $0.allRows) }
  }

  /// Keeps the columns of rows that were found in an order, to yield them when the order is known.
  mutating func gather(_ batch: borrowing ColumnBatch, _ rows: RowSet) {
    guard let output else { return }
    gathered.gather(batch, rows, output.columnSlots, mostBytes: threads.mostGatheredBytes)
  }

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
    var skipped = plan.query.offset
    if let partitions = try sortPartitions() {
      try forEach(partitions) { try $0.sorted(output, skipping: &skipped, body) }
    } else {
      try sorted(output, skipping: &skipped, body)
    }
  }

  /// Passes all matching rows of the partition in the order of the query.
  ///
  /// - Parameters:
  ///   - output: The columns.
  ///   - skipped: The number of rows before the result that are still to be skipped.
  ///   - body: The closure.
  /// - Throws: The error of a read or of the closure.
  private mutating func sorted(
    _ output: PlanOutput, skipping skipped: inout Int, _ body: OutputBody
  ) throws {
    guard var order else { return }
    self.order = nil
    var gathered: ColumnBatch? = ColumnBatch(output.columns)
    if let candidates = try candidates() {
      statistics.accessRows = candidates.count
      var batch = batches.makeBatch()
      var next = 0
      while try batches.readNext(of: candidates, from: &next, into: &batch) {
        let rows = try filter.matching(batch)
        try order.add(batch, rows)
        gathered.gather(
          batch, rows, output.columnSlots, mostBytes: threads.mostGatheredBytes)
      }
    } else {
      _ = try scan(into: &order, &gathered)
    }
    order.finish()
    let positions = order.positions
    // A query with a limit keeps its first rows instead.
    let window = positions.indices.dropFirst(skipped)
    skipped -= positions.count - window.count
    statistics.matchedRows = positions.count
    statistics.answerRows = window.count
    noteReading()
    if let gathered { return try pass(gathered, positions[window], output.indexes, body) }
    try passByKey(order.keys(window), output, body)
  }

  /// Adds the rows that a scan finds to an order; several threads prepare them for orders by columns.
  ///
  /// - Parameters:
  ///   - order: The order.
  ///   - gathered: Receives the columns of the output, if it is not nil.
  /// - Returns: The number of rows.
  /// - Throws: The error of a read.
  mutating func scan(into order: inout RowOrder, _ gathered: inout ColumnBatch?) throws -> Int {
    let slots = output?.columnSlots ?? []
    let mostBytes = threads.mostGatheredBytes
    var count = 0
    let part = order.part
    guard threads.maximum > 1, let part else {
      try forEachMatch { batch, rows in
        let rows = part?.rows(of: batch, rows) ?? rows
        try order.add(batch, rows)
        gathered.gather(batch, rows, slots, mostBytes: mostBytes)
        count += rows.count
      }
      return count
    }
    let gathers = gathered != nil
    // Only after the copy of the empty part, which would share the memory.
    if plan.filters.isEmpty, part.partition == nil, case .scan = plan.access {
      let rowCount = try reader.rowCount(plan.query.className)
      order.reserve(rowCount)
      gathered?.reserve(rowCount, mostBytes: mostBytes)
    }
    let columns = gathers ? output?.columns ?? [] : []
    try forEachMatch(preparing: { batch, matching in
      var part = part
      let rows = part.rows(of: batch, matching)
      part.add(batch, rows)
      var values = gathers ? ColumnBatch(columns) : nil
      values?.append(batch, rows, slots)
      return (rows: part, values: values)
    }) { part in
      order.add(part.rows)
      count += part.rows.rowKeys.count
      if let values = part.values {
        gathered.gather(values, values.allRows, Array(columns.indices), mostBytes: mostBytes)
      }
    }
    return count
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
      where try !search.append(range, mostBytes: threads.mostGatheredBytes, to: &rows) {
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
    try pass(rows, result, output.indexes, body)
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
