import CadastreModel
import CadastrePredicate
import CadastreStore

/// Keeps rows whose whole number (or truth value, or link) lies in one of some intervals.
struct IntegerFilter: BatchFilter {
  let column: Int
  let intervals: [Interval<Int64>]
  let nulls: Bool

  func matching(_ batch: borrowing ColumnBatch, among rows: [Int32]) -> [Int32] {
    let vector = batch.columns[column]
    if intervals.count == 1 {
      let interval = intervals[0]
      return Selection.rows(rows, in: vector, nulls: nulls) {
        interval.contains(vector.integers[$0])
      }
    }
    return Selection.rows(rows, in: vector, nulls: nulls) { row in
      intervals.contains { $0.contains(vector.integers[row]) }
    }
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

/// Keeps rows whose fraction lies in one of some intervals.
struct DoubleFilter: BatchFilter {
  let column: Int
  let intervals: [Interval<Double>]
  let nulls: Bool

  func matching(_ batch: borrowing ColumnBatch, among rows: [Int32]) -> [Int32] {
    let vector = batch.columns[column]
    if intervals.count == 1 {
      let interval = intervals[0]
      return Selection.rows(rows, in: vector, nulls: nulls) {
        interval.contains(vector.doubles[$0])
      }
    }
    return Selection.rows(rows, in: vector, nulls: nulls) { row in
      intervals.contains { $0.contains(vector.doubles[row]) }
    }
  }
}

/// Keeps rows whose moment lies in one of some intervals.
struct MomentFilter: BatchFilter {
  let column: Int
  let intervals: [Interval<Timestamp>]
  let nulls: Bool

  func matching(_ batch: borrowing ColumnBatch, among rows: [Int32]) -> [Int32] {
    let vector = batch.columns[column]
    return Selection.rows(rows, in: vector, nulls: nulls) { row in
      intervals.contains { $0.contains(vector.moments[row]) }
    }
  }
}

/// Keeps rows where a column is null.
struct NullFilter: BatchFilter {
  let column: Int

  func matching(_ batch: borrowing ColumnBatch, among rows: [Int32]) -> [Int32] {
    Selection.rows(rows, in: batch.columns[column], nulls: true) { _ in false }
  }
}
