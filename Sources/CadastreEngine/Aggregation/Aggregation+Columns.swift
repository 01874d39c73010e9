import CadastreModel
package import CadastreStore

extension Aggregation {
  /// Adds the values of some rows of a column.
  package mutating func add(_ column: borrowing ColumnVector, _ rows: [Int32]) {
    let isNull = column.isNull
    switch column.type {
    case .int:
      var sum: Int128 = 0
      let extremes = Extremes(rows, isNull, column.integers) { sum += Int128($0) }
      add(extremes) { .int($0) }
      add(whole: sum, count: extremes.count)
    case .double, .float:
      var sum = fraction
      let extremes = Extremes(rows, isNull, column.doubles) { sum += $0 }
      let isFloat = column.type == .float
      add(extremes) { isFloat ? .float(Float($0)) : .double($0) }
      if extremes.count > 0 { replace(fraction: sum, adding: extremes.count) }
    default:
      for row in rows { add(column.value(Int(row))) }
    }
  }

  private mutating func add<Number>(_ extremes: Extremes<Number>, _ make: (Number) -> Value) {
    guard let least = extremes.least, let greatest = extremes.greatest else { return }
    extend(make(least))
    extend(make(greatest))
  }
}

/// The least and the greatest of some numbers; null and NaN are ignored.
private struct Extremes<Number: Comparable> {
  private(set) var least: Number?
  private(set) var greatest: Number?
  private(set) var count = 0

  /// Finds the extremes, and calls a closure with each number.
  @inline(__always)
  init(_ rows: [Int32], _ isNull: [Bool], _ numbers: [Number], _ body: (Number) -> Void) {
    isNull.withUnsafeBufferPointer { isNull in
      numbers.withUnsafeBufferPointer { numbers in
        for row in rows where !isNull[Int(row)] {
          let number = numbers[Int(row)]
          // NaN alone differs from itself.
          guard number == number else { continue }
          body(number)
          count += 1
          if least.map({ number < $0 }) ?? true { least = number }
          if greatest.map({ number > $0 }) ?? true { greatest = number }
        }
      }
    }
  }
}
