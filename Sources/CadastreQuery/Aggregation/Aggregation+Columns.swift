import CadastreModel
package import CadastreStore

extension Aggregation {
  /// Adds the values of some rows of a column.
  package mutating func add(_ column: BatchColumn, _ rows: RowSet) {
    var rows = rows
    column.keep(&rows, areNull: false)
    switch column.type {
    case .int:
      column.withIntegers { numbers in
        var sum: Int128 = 0
        let extremes = Extremes(rows, numbers, from: .max, .min) { sum += Int128($0) }
        add(extremes) { .int($0) }
        add(whole: sum, count: extremes.count)
      }
    case .double, .float:
      let isFloat = column.type == .float
      column.withDoubles { numbers in
        var sum = fraction
        let extremes = Extremes(rows, numbers, from: .infinity, -.infinity) { sum += $0 }
        add(extremes) { isFloat ? .float(Float($0)) : .double($0) }
        if extremes.count > 0 { replace(fraction: sum, adding: extremes.count) }
      }
    default:
      for row in rows { add(column.value(row)) }
    }
  }

  private mutating func add<Number>(_ extremes: Extremes<Number>, _ make: (Number) -> Value) {
    guard extremes.count > 0 else { return }
    extend(make(extremes.least))
    extend(make(extremes.greatest))
  }
}

/// The least and the greatest of some numbers; NaN is ignored.
private struct Extremes<Number: Comparable> {
  private(set) var least: Number
  private(set) var greatest: Number
  private(set) var count = 0

  /// Finds the extremes, and calls a closure with each number.
  ///
  /// - Parameters:
  ///   - rows: The rows whose numbers count.
  ///   - numbers: The numbers of all rows.
  ///   - highest: A number that none is above.
  ///   - lowest: A number that none is below.
  ///   - body: The closure.
  @inline(__always)
  init(
    _ rows: RowSet, _ numbers: UnsafeBufferPointer<Number>, from highest: Number,
    _ lowest: Number, _ body: (Number) -> Void
  ) {
    (least, greatest) = (highest, lowest)
    for row in rows {
      let number = numbers[row]
      // NaN alone differs from itself.
      guard number == number else { continue }
      body(number)
      count += 1
      if number < least { least = number }
      if number > greatest { greatest = number }
    }
  }
}
