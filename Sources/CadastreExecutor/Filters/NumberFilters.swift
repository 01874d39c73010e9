import CadastreModel
import CadastrePredicate
import CadastreStore

/// Keeps rows whose whole number, Boolean or link lies in one of some intervals.
struct IntegerFilter: BatchFilter {
  let column: Int
  let intervals: [Interval<Int64>]
  let nulls: Bool

  var readsBatchOnly: Bool { true }

  func keep(_ rows: inout RowSet, in batch: borrowing ColumnBatch) {
    let column = batch.columns[column]
    column.keep(&rows, nulls: nulls) { rows in
      Interval.keep(&rows, intervals) { column.keep(&$0, from: $1.lower, through: $1.upper) }
    }
  }

  func conditions(_ columns: [ColumnReference]) -> [ScanCondition] {
    ScanCondition.within(
      intervals.map { .closed(.int($0.lower), .int($0.upper)) }, of: column, columns, nulls: nulls)
  }
}

/// Keeps rows whose fraction lies in one of some intervals.
struct FractionFilter: BatchFilter {
  let column: Int
  let intervals: [Interval<Double>]
  let nulls: Bool

  var readsBatchOnly: Bool { true }

  func keep(_ rows: inout RowSet, in batch: borrowing ColumnBatch) {
    let column = batch.columns[column]
    column.keep(&rows, nulls: nulls) { rows in
      Interval.keep(&rows, intervals) { column.keep(&$0, from: $1.lower, through: $1.upper) }
    }
  }

  func conditions(_ columns: [ColumnReference]) -> [ScanCondition] {
    ScanCondition.within(
      intervals.flatMap { ScanCondition.Range.closed($0.lower, $0.upper) }, of: column, columns,
      nulls: nulls)
  }
}

/// Keeps rows whose timestamp lies in one of some intervals.
struct DateFilter: BatchFilter {
  let column: Int
  let intervals: [Interval<Timestamp>]
  let nulls: Bool

  var readsBatchOnly: Bool { true }

  func keep(_ rows: inout RowSet, in batch: borrowing ColumnBatch) {
    let column = batch.columns[column]
    column.keep(&rows, nulls: nulls) { rows in
      Interval.keep(&rows, intervals) { column.keep(&$0, from: $1.lower, through: $1.upper) }
    }
  }
}

extension ScanCondition {
  /// The condition that a column of the scanned class lies in one of some ranges; none where null
  /// matches too, or where there are too many ranges to be tested quickly.
  static func within(
    _ ranges: [Range], of column: Int, _ columns: [ColumnReference], nulls: Bool
  ) -> [ScanCondition] {
    guard !nulls, !ranges.isEmpty, ranges.count <= mostRanges, columns[column].hops.isEmpty else {
      return []
    }
    return [ScanCondition(column: column, ranges: ranges)]
  }

  private static let mostRanges = 8
}

extension Interval {
  /// Keeps the rows that lie in one of some intervals, given a filter for one of them.
  fileprivate static func keep(
    _ rows: inout RowSet, _ intervals: [Interval], _ filter: (inout RowSet, Interval) -> Void
  ) {
    if intervals.count == 1 { return filter(&rows, intervals[0]) }
    var kept = RowSet()
    for interval in intervals {
      var within = rows
      filter(&within, interval)
      kept.formUnion(within)
    }
    rows = kept
  }
}

/// Keeps rows whose whole number is one of many.
struct IntegerSetFilter: BatchFilter {
  let column: Int
  let values: Set<Int64>
  let nulls: Bool

  var readsBatchOnly: Bool { true }

  func keep(_ rows: inout RowSet, in batch: borrowing ColumnBatch) {
    let column = batch.columns[column]
    column.keep(&rows, nulls: nulls) { rows in
      rows.keep { values.contains(column.integer($0)) }
    }
  }
}

/// Keeps rows where a column is null.
struct NullFilter: BatchFilter {
  let column: Int

  var readsBatchOnly: Bool { true }

  func keep(_ rows: inout RowSet, in batch: borrowing ColumnBatch) {
    batch.columns[column].keep(&rows, areNull: true)
  }
}
