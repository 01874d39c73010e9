import CadastreModel
import CadastrePredicate
import CadastreStore

/// Keeps rows whose number or timestamp lies in one of some intervals.
struct IntervalFilter<Bound: ColumnBound>: BatchFilter {
  let column: Int
  let intervals: [Interval<Bound>]
  let nulls: Bool

  var readsBatchOnly: Bool { true }

  func keep(_ rows: inout RowSet, in batch: borrowing ColumnBatch) {
    let column = batch.columns[column]
    column.keep(&rows, nulls: nulls) { rows in
      if intervals.count == 1 { return Bound.keep(&rows, of: column, in: intervals[0]) }
      var kept = RowSet()
      for interval in intervals {
        var within = rows
        Bound.keep(&within, of: column, in: interval)
        kept.formUnion(within)
      }
      rows = kept
    }
  }

  func conditions(_ columns: [ColumnReference]) -> [ScanCondition] {
    ScanCondition.within(
      intervals.flatMap(Bound.ranges), of: column, columns, nulls: nulls)
  }
}

/// A value of a column whose intervals are filtered as a whole.
protocol ColumnBound: Comparable, Sendable {
  /// Keeps the rows whose values lie in an interval; none of them is null.
  static func keep(_ rows: inout RowSet, of column: BatchColumn, in interval: Interval<Self>)
  /// The ranges in SQLite that contain all values of an interval; none where SQLite cannot test it.
  static func ranges(of interval: Interval<Self>) -> [ScanCondition.Range]
}

/// Whole numbers, Booleans and links.
extension Int64: ColumnBound {
  static func keep(_ rows: inout RowSet, of column: BatchColumn, in interval: Interval<Int64>) {
    column.keep(&rows, from: interval.lower, through: interval.upper)
  }

  static func ranges(of interval: Interval<Int64>) -> [ScanCondition.Range] {
    [.closed(.int(interval.lower), .int(interval.upper))]
  }
}

extension Double: ColumnBound {
  static func keep(_ rows: inout RowSet, of column: BatchColumn, in interval: Interval<Double>) {
    column.keep(&rows, from: interval.lower, through: interval.upper)
  }

  static func ranges(of interval: Interval<Double>) -> [ScanCondition.Range] {
    ScanCondition.Range.closed(interval.lower, interval.upper)
  }
}

extension Timestamp: ColumnBound {
  static func keep(_ rows: inout RowSet, of column: BatchColumn, in interval: Interval<Timestamp>) {
    column.keep(&rows, from: interval.lower, through: interval.upper)
  }

  static func ranges(of interval: Interval<Timestamp>) -> [ScanCondition.Range] { [] }
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
