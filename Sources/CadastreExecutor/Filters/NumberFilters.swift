import CadastreModel
import CadastrePredicate
import CadastreStore

/// Keeps rows whose value lies in one of some intervals.
struct IntervalFilter<Bound: Comparable & Sendable>: BatchFilter {
  let column: Int
  let intervals: [Interval<Bound>]
  let nulls: Bool
  /// The values of a column, of the intervals' type.
  let values: (borrowing ColumnVector) -> [Bound]

  func matching(_ batch: borrowing ColumnBatch, among rows: [Int32]) -> [Int32] {
    let vector = batch.columns[column]
    let values = values(vector)
    if intervals.count == 1 {
      let interval = intervals[0]
      return Selection.rows(rows, in: vector, nulls: nulls) { interval.contains(values[$0]) }
    }
    return Selection.rows(rows, in: vector, nulls: nulls) { row in
      intervals.contains { $0.contains(values[row]) }
    }
  }
}

extension IntervalFilter<Int64> {
  /// Whole numbers, truth values and links.
  init(column: Int, intervals: [Interval<Int64>], nulls: Bool) {
    self.init(column: column, intervals: intervals, nulls: nulls) { $0.integers }
  }
}

extension IntervalFilter<Double> {
  /// Fractions.
  init(column: Int, intervals: [Interval<Double>], nulls: Bool) {
    self.init(column: column, intervals: intervals, nulls: nulls) { $0.doubles }
  }
}

extension IntervalFilter<Timestamp> {
  /// Moments.
  init(column: Int, intervals: [Interval<Timestamp>], nulls: Bool) {
    self.init(column: column, intervals: intervals, nulls: nulls) { $0.moments }
  }
}

/// Keeps rows whose whole number is one of many.
struct IntegerSetFilter: BatchFilter {
  let column: Int
  let values: Set<Int64>
  let nulls: Bool

  func matching(_ batch: borrowing ColumnBatch, among rows: [Int32]) -> [Int32] {
    let vector = batch.columns[column]
    return Selection.rows(rows, in: vector, nulls: nulls) { values.contains(vector.integers[$0]) }
  }
}

/// Keeps rows where a column is null.
struct NullFilter: BatchFilter {
  let column: Int

  func matching(_ batch: borrowing ColumnBatch, among rows: [Int32]) -> [Int32] {
    Selection.rows(rows, in: batch.columns[column], nulls: true) { _ in false }
  }
}
