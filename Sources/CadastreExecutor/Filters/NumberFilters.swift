import CadastreModel
import CadastrePredicate
import CadastreStore

/// Keeps rows whose whole number, Boolean or link lies in one of some intervals.
struct IntegerFilter: BatchFilter {
  let column: Int
  let intervals: [Interval<Int64>]
  let nulls: Bool

  var readsBatchOnly: Bool { true }

  func matching(_ batch: borrowing ColumnBatch, among rows: [Int32]) -> [Int32] {
    let vector = batch.columns[column]
    if intervals.count == 1, intervals[0].lower <= intervals[0].upper {
      // One comparison of the distances from the lower end, without a branch.
      let lower = intervals[0].lower
      let width = UInt64(bitPattern: intervals[0].upper &- lower)
      return Selection.rows(rows, in: vector, vector.integers, nulls: nulls) {
        UInt64(bitPattern: $0 &- lower) <= width
      }
    }
    return Interval.rows(rows, in: vector, vector.integers, intervals, nulls: nulls) {
      Both.hold($0 >= $1, $0 <= $2)
    }
  }
}

/// Keeps rows whose fraction lies in one of some intervals.
struct FractionFilter: BatchFilter {
  let column: Int
  let intervals: [Interval<Double>]
  let nulls: Bool

  var readsBatchOnly: Bool { true }

  func matching(_ batch: borrowing ColumnBatch, among rows: [Int32]) -> [Int32] {
    let vector = batch.columns[column]
    return Interval.rows(rows, in: vector, vector.doubles, intervals, nulls: nulls) {
      Both.hold($0 >= $1, $0 <= $2)
    }
  }
}

/// Keeps rows whose timestamp lies in one of some intervals.
struct DateFilter: BatchFilter {
  let column: Int
  let intervals: [Interval<Timestamp>]
  let nulls: Bool

  var readsBatchOnly: Bool { true }

  func matching(_ batch: borrowing ColumnBatch, among rows: [Int32]) -> [Int32] {
    let vector = batch.columns[column]
    return Interval.rows(rows, in: vector, vector.timestamps, intervals, nulls: nulls) {
      Both.hold($0 >= $1, $0 <= $2)
    }
  }
}

extension Interval {
  /// The rows whose values lie in one of some intervals, of which a closure looks at the ends.
  ///
  /// Inlined into filters of one type each, which compare values themselves: so the loop calls
  /// nothing. Where it compared values of any type, each comparison was a call through the type's
  /// conformance.
  @inline(__always)
  fileprivate static func rows(
    _ rows: [Int32], in vector: borrowing ColumnVector, _ values: [Bound],
    _ intervals: [Interval<Bound>], nulls: Bool, isWithin: (Bound, Bound, Bound) -> Bool
  ) -> [Int32] {
    guard intervals.count == 1 else {
      return Selection.rows(rows, in: vector, values, nulls: nulls) { value in
        intervals.contains { isWithin(value, $0.lower, $0.upper) }
      }
    }
    let (lower, upper) = (intervals[0].lower, intervals[0].upper)
    return Selection.rows(rows, in: vector, values, nulls: nulls) { isWithin($0, lower, upper) }
  }
}

/// Two comparisons of one value.
private enum Both {
  /// Whether both hold; both are known, which is cheaper than a branch.
  @inline(__always)
  static func hold(_ first: Bool, _ second: Bool) -> Bool { first && second }
}

/// Keeps rows whose whole number is one of many.
struct IntegerSetFilter: BatchFilter {
  let column: Int
  let values: Set<Int64>
  let nulls: Bool

  var readsBatchOnly: Bool { true }

  func matching(_ batch: borrowing ColumnBatch, among rows: [Int32]) -> [Int32] {
    let vector = batch.columns[column]
    return Selection.rows(rows, in: vector, vector.integers, nulls: nulls, where: values.contains)
  }
}

/// Keeps rows where a column is null.
struct NullFilter: BatchFilter {
  let column: Int

  var readsBatchOnly: Bool { true }

  func matching(_ batch: borrowing ColumnBatch, among rows: [Int32]) -> [Int32] {
    Selection.rows(rows, in: batch.columns[column], areNull: true)
  }
}
