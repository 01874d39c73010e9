import CadastreModel
import CadastrePredicate
import CadastreStore

/// Keeps rows whose whole number, truth value or link lies in one of some intervals.
struct IntegerFilter: BatchFilter {
  let column: Int
  let intervals: [Interval<Int64>]
  let nulls: Bool

  func matching(_ batch: borrowing ColumnBatch, among rows: [Int32]) -> [Int32] {
    let vector = batch.columns[column]
    return Interval.rows(rows, in: vector, vector.integers, intervals, nulls: nulls)
  }
}

/// Keeps rows whose fraction lies in one of some intervals.
struct FractionFilter: BatchFilter {
  let column: Int
  let intervals: [Interval<Double>]
  let nulls: Bool

  func matching(_ batch: borrowing ColumnBatch, among rows: [Int32]) -> [Int32] {
    let vector = batch.columns[column]
    return Interval.rows(rows, in: vector, vector.doubles, intervals, nulls: nulls)
  }
}

/// Keeps rows whose moment lies in one of some intervals.
struct MomentFilter: BatchFilter {
  let column: Int
  let intervals: [Interval<Timestamp>]
  let nulls: Bool

  func matching(_ batch: borrowing ColumnBatch, among rows: [Int32]) -> [Int32] {
    let vector = batch.columns[column]
    return Interval.rows(rows, in: vector, vector.moments, intervals, nulls: nulls)
  }
}

extension Interval {
  /// The rows whose values lie in one of some intervals.
  ///
  /// Inlined into filters of one type each, so that the loop compares numbers and calls nothing.
  @inline(__always)
  fileprivate static func rows(
    _ rows: [Int32], in vector: borrowing ColumnVector, _ values: [Bound],
    _ intervals: [Interval<Bound>], nulls: Bool
  ) -> [Int32] {
    guard intervals.count == 1 else {
      return Selection.rows(rows, in: vector, values, nulls: nulls) { value in
        intervals.contains { $0.contains(value) }
      }
    }
    let (lower, upper) = (intervals[0].lower, intervals[0].upper)
    return Selection.rows(rows, in: vector, values, nulls: nulls) { value in
      // Both are compared, which is cheaper than a branch.
      let (isAbove, isBelow) = (value >= lower, value <= upper)
      return isAbove && isBelow
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
    return Selection.rows(rows, in: vector, vector.integers, nulls: nulls, where: values.contains)
  }
}

/// Keeps rows where a column is null.
struct NullFilter: BatchFilter {
  let column: Int

  func matching(_ batch: borrowing ColumnBatch, among rows: [Int32]) -> [Int32] {
    Selection.rows(rows, in: batch.columns[column], areNull: true)
  }
}
