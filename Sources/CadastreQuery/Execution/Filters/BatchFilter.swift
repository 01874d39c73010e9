import CadastreStore

/// A filter over batches.
protocol BatchFilter {
  /// Whether the filter reads nothing but the batch, so that several threads may use it at once.
  var readsBatchOnly: Bool { get }
  /// Keeps the rows of a set that match.
  func keep(_ rows: inout RowSet, in batch: borrowing ColumnBatch) throws
  /// Conditions on some columns that all rows meet which match.
  func conditions(_ columns: [ColumnReference]) -> [ScanCondition]
}

extension BatchFilter {
  var readsBatchOnly: Bool { false }

  func conditions(_ columns: [ColumnReference]) -> [ScanCondition] { [] }

  /// The rows of a set that match.
  func matching(_ batch: borrowing ColumnBatch, among rows: RowSet) throws -> RowSet {
    var rows = rows
    try keep(&rows, in: batch)
    return rows
  }

  /// The rows of a batch that match.
  func matching(_ batch: borrowing ColumnBatch) throws -> RowSet {
    try matching(batch, among: batch.allRows)
  }
}

/// Every row, or none.
struct ConstantFilter: BatchFilter {
  let value: Bool

  var readsBatchOnly: Bool { true }

  func keep(_ rows: inout RowSet, in batch: borrowing ColumnBatch) {
    if !value { rows = RowSet() }
  }
}

/// Keeps the rows that pass all filters; each filter reads only the rows that passed the ones
/// before it.
struct AllFilter: BatchFilter {
  let parts: [any BatchFilter]

  var readsBatchOnly: Bool { parts.allSatisfy(\.readsBatchOnly) }

  func keep(_ rows: inout RowSet, in batch: borrowing ColumnBatch) throws {
    for part in parts where !rows.isEmpty { try part.keep(&rows, in: batch) }
  }

  func conditions(_ columns: [ColumnReference]) -> [ScanCondition] {
    parts.flatMap { $0.conditions(columns) }
  }
}

/// Keeps the rows that pass some filter; each filter reads only the rows that failed the ones
/// before it.
struct AnyFilter: BatchFilter {
  let parts: [any BatchFilter]

  var readsBatchOnly: Bool { parts.allSatisfy(\.readsBatchOnly) }

  func keep(_ rows: inout RowSet, in batch: borrowing ColumnBatch) throws {
    var open = rows
    for part in parts where !open.isEmpty { open.subtract(try part.matching(batch, among: open)) }
    rows.subtract(open)
  }
}

/// Keeps the rows that do not pass a filter.
struct NotFilter: BatchFilter {
  let inner: any BatchFilter

  var readsBatchOnly: Bool { inner.readsBatchOnly }

  func keep(_ rows: inout RowSet, in batch: borrowing ColumnBatch) throws {
    rows.subtract(try inner.matching(batch, among: rows))
  }
}
