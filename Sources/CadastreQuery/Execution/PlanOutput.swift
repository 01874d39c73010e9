import CadastrePredicate
import CadastreStore

/// The columns that a run yields with the keys.
struct PlanOutput {
  /// The columns, each once.
  let columns: [ColumnReference]
  /// The index in `columns` of the column at the end of each path.
  let indexes: [Int]
  /// The slot of each of `columns` in batches that have them.
  let columnSlots: [Int]
  /// The columns that the rows of the run have.
  let read: [ColumnReference]

  /// The slot of the column at the end of each path, in batches that have them.
  var slots: [Int] { indexes.map { columnSlots[$0] } }

  /// Adds the columns at the ends of the paths to those of filters and order; nil where the query yields keys or a
  /// number, or a value is not in a column.
  ///
  /// - Parameters:
  ///   - plan: The plan.
  ///   - compiler: The columns of filters and order.
  /// - Throws: `StoreError` where the store lacks a property.
  init?(_ plan: Plan, _ compiler: inout FilterCompiler) throws {
    guard plan.query.yieldsColumns else { return nil }
    let before = compiler.request.columns
    var slots: [Int] = []
    for path in plan.query.outputPaths {
      guard let slot = try compiler.request.valueSlot(path) else { return nil }
      slots.append(slot)
    }
    var own: [Int] = []
    for slot in slots where !own.contains(slot) { own.append(slot) }
    let all = compiler.request.columns
    columnSlots = own
    columns = own.map { all[$0] }
    indexes = slots.map { slot in own.firstIndex(of: slot) ?? 0 }
    switch plan.output {
    case .scan, .rows: read = all
    case .nothing, .entries, .keys: read = before
    }
  }
}

extension ColumnRequest {
  /// The slot of the column with the values at the end of a path, or with the presence of the
  /// embedded objects there; nil where there is none.
  mutating func valueSlot(_ path: BoundPath) throws(StoreError) -> Int? {
    guard path.isPlain, let properties = path.properties else { return nil }
    return switch try leaf(properties).leaf {
    case .value(let slot), .presence(let slot): slot
    case .point(let point): presence(of: point)
    case .pointType, .pointCoordinates, .collection: nil
    }
  }
}

/// The rows of a result within offset and limit, in a stream of matching rows.
struct ResultWindow {
  /// The number of rows that are still to be skipped.
  private var skipped: Int
  /// The number of rows that may follow; nil for any.
  private var left: Int?
  /// The number of rows of the result so far.
  private(set) var count = 0

  /// Begins at the first matching row of a query.
  init(_ query: BoundQuery) {
    skipped = query.offset
    left = query.limit
  }

  /// Whether no more rows are needed.
  var isComplete: Bool { left == 0 }

  /// The number of matching rows that are still needed; nil for all.
  var missing: Int? {
    guard let left else { return nil }
    let (sum, overflow) = left.addingReportingOverflow(skipped)
    return overflow ? nil : sum
  }

  /// Keeps those of the next matching rows that belong to the result.
  mutating func cut(_ rows: inout RowSet) {
    if skipped > 0 { skipped -= rows.removeFirst(skipped).count }
    if let left {
      rows = rows.removeFirst(left)
      self.left = left - rows.count
    }
    count += rows.count
  }
}
