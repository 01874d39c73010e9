import CadastrePredicate
import CadastreStore

/// The column whose values a run passes on with the objects that it finds.
struct PlanOutput {
  /// The column.
  let column: ColumnReference
  /// The slot of the column in batches that have it.
  let slot: Int
  /// The columns that all batches of the run have.
  let columns: [ColumnReference]
  /// The column, where it is read after the filters; else it is one of `columns`.
  let late: [ColumnReference]

  /// The column at the end of a path, after those of the filters; nil where the values are not in a
  /// column.
  init?(_ path: BoundPath, _ compiler: inout FilterCompiler, isFiltered: Bool) throws {
    let read = compiler.request.columns
    guard let slot = try compiler.request.valueSlot(path) else { return nil }
    column = compiler.request.columns[slot]
    let isRead = slot < read.count
    self.slot = isRead ? slot : read.count
    columns = isRead || isFiltered ? read : read + [column]
    late = isRead || !isFiltered ? [] : [column]
  }
}

extension ColumnRequest {
  /// The slot of the column with the values at the end of a path, or with the presence of the
  /// embedded objects there; nil where there is none.
  mutating func valueSlot(_ path: BoundPath) throws(StoreError) -> Int? {
    guard path.isPlain, let properties = path.properties else { return nil }
    return switch try leaf(properties).leaf {
    case .value(let slot), .presence(let slot): slot
    case .point(let slots): slots.presence
    case .pointType, .pointCoordinates, .collection: nil
    }
  }
}

/// Runs that pass on a column.
extension PlanRun {
  /// Whether the run reads the wanted column while it finds the objects, in order of key.
  var isOnePass: Bool {
    guard output != nil, case .scan = plan.access else { return false }
    return order == nil && plan.query.limit == nil && plan.query.offset == 0
  }

  /// Calls a closure with the wanted column of all objects: a batch, the slot, and the rows.
  mutating func forEachOutput(
    _ body: (borrowing ColumnBatch, Int, RowSet) throws -> Void
  ) throws {
    guard let output else { return }
    let isInBatch = output.late.isEmpty || batches.readsLateColumns
    let later = BatchReader(layout, [output.column], reader)
    if !isInBatch { later.beginScan() }
    var matched = 0
    try forEachMatch { batch, rows in
      matched += rows.count
      if isInBatch { return try body(batch, output.slot, rows) }
      try later.forEachBatch(of: rows, in: batch) { try body($0, 0, $0.allRows) }
    }
    statistics.matchedRows = matched
    statistics.answerRows = matched
    noteReading()
  }
}
