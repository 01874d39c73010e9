package import CadastreModel

/// One column of a batch: a vector of values that were read one by one, or a column of a cached segment.
package enum BatchColumn: Sendable {
  case plain(ColumnVector)
  case encoded(EncodedColumn)

  /// Creates a column of numbers; nil is null.
  package init(_ numbers: [Double?]) {
    let vector = ColumnVector(type: .double)
    for number in numbers { vector.append(converting: number.map(Value.double) ?? .null) }
    self = .plain(vector)
  }

  /// The type of the values; `object` for the keys of linked rows.
  package var type: PropertyType {
    switch self {
    case .plain(let vector): vector.type
    case .encoded(let column): column.type
    }
  }

  /// The number of rows.
  package var count: Int {
    switch self {
    case .plain(let vector): vector.count
    case .encoded(let column): column.count
    }
  }

  /// The number of nulls.
  package var nullCount: Int {
    switch self {
    case .plain(let vector): vector.nullCount
    case .encoded(let column): column.nullCount
    }
  }

  // MARK: Single rows

  /// Returns whether the value of a row is null.
  @inline(__always)
  package func isNull(_ row: Int) -> Bool {
    switch self {
    case .plain(let vector): vector.isNull[row]
    case .encoded(let column): column.isNull(row)
    }
  }

  /// Returns the number of a row in a column of type int, bool or object; undefined for null.
  @inline(__always)
  package func integer(_ row: Int) -> Int64 {
    switch self {
    case .plain(let vector): vector.integers[row]
    case .encoded(let column): column.integer(row)
    }
  }

  /// Returns the number of a row in a column of type double or float; undefined for null.
  @inline(__always)
  package func double(_ row: Int) -> Double {
    switch self {
    case .plain(let vector): vector.doubles[row]
    case .encoded(let column): column.double(row)
    }
  }

  /// Returns the timestamp of a row in a column of type date; undefined for null.
  package func timestamp(_ row: Int) -> Timestamp {
    switch self {
    case .plain(let vector): vector.timestamps[row]
    case .encoded(let column): column.timestamp(row)
    }
  }

  /// Returns the bytes of a row's text, data, object id or UUID; undefined for null.
  @inline(__always)
  package func bytes(_ row: Int) -> ArraySlice<UInt8> {
    switch self {
    case .plain(let vector): vector.bytes[vector.byteRange(row)]
    case .encoded(let column): column.bytes(row)
    }
  }

  /// Returns the value of a row.
  package func value(_ row: Int) -> Value {
    switch self {
    case .plain(let vector): vector.value(row)
    case .encoded(let column): column.value(row)
    }
  }

  // MARK: All rows

  /// Calls a closure with the numbers of all rows of a column of type int, bool or object.
  package func withIntegers(_ body: (UnsafeBufferPointer<Int64>) throws -> Void) rethrows {
    switch self {
    case .plain(let vector): try vector.integers.withUnsafeBufferPointer(body)
    case .encoded(let column):
      guard case .integers(let numbers) = column.content else { return }
      try numbers.withNumbers(as: Int64.self, body)
    }
  }

  /// Appends the numbers of some rows of a column of type int, bool or object, in their order.
  ///
  /// - Parameters:
  ///   - rows: The rows, which are below `count`; none is null.
  ///   - numbers: Receives the numbers.
  package func appendIntegers(of rows: RowSet, to numbers: inout [Int]) {
    let start = numbers.count
    numbers.append(contentsOf: repeatElement(0, count: rows.count))
    numbers.withUnsafeMutableBufferPointer { numbers in
      numbers.withMemoryRebound(to: Int64.self) { numbers in
        if let first = numbers.baseAddress { write(rows, to: first + start) }
      }
    }
  }

  /// Appends the numbers of some rows of a column of type int, bool or object, in their order; undefined for null.
  func appendNumbers(of rows: RowSet, to numbers: inout [Int64]) {
    let start = numbers.count
    numbers.append(contentsOf: repeatElement(0, count: rows.count))
    numbers.withUnsafeMutableBufferPointer { numbers in
      if let first = numbers.baseAddress { write(rows, to: first + start) }
    }
  }

  private func write(_ rows: RowSet, to numbers: UnsafeMutablePointer<Int64>) {
    switch self {
    case .plain(let vector):
      vector.integers.withUnsafeBufferPointer { rows.gather($0, adding: 0, to: numbers) }
    case .encoded(let column):
      if case .integers(let packed) = column.content { packed.write(rows, to: numbers) }
    }
  }

  /// Calls a closure with the numbers of all rows of a column of type double or float.
  package func withDoubles(_ body: (UnsafeBufferPointer<Double>) throws -> Void) rethrows {
    switch self {
    case .plain(let vector): try vector.doubles.withUnsafeBufferPointer(body)
    case .encoded(let column):
      switch column.content {
      case .decimals(let numbers): try numbers.withNumbers(body)
      case .doubles(let numbers): try numbers.all.withUnsafeBufferPointer(body)
      case .floats(let numbers):
        try numbers.all.map(Double.init).withUnsafeBufferPointer(body)
      default: return
      }
    }
  }

  /// The dictionary encoding of the column; nil for other encodings.
  package var dictionary: TextDictionary? {
    if case .encoded(let column) = self, case .dictionary(let values) = column.content {
      return values
    }
    return nil
  }

  /// Calls a closure with the concatenated bytes of all rows, and the offset of each row and of the end.
  ///
  /// It does not call the closure for a column with a dictionary, and for types without bytes.
  package func withBytes(
    _ body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt32>) throws -> Void
  ) rethrows {
    switch self {
    case .plain(let vector):
      try vector.bytes.withUnsafeBufferPointer { bytes in
        try vector.offsets.withUnsafeBufferPointer { try body(bytes, $0) }
      }
    case .encoded(let column):
      guard case .text(let text) = column.content else { return }
      try text.withBytes(body)
    }
  }
}

/// Filters of single columns.
extension BatchColumn {
  /// Keeps the rows whose value is, or is not, null.
  package func keep(_ rows: inout RowSet, areNull: Bool) {
    guard nullCount > 0 else {
      if areNull { rows = RowSet() }
      return
    }
    switch self {
    case .plain(let vector): rows.keep { vector.isNull[$0] == areNull }
    case .encoded(let column):
      if areNull { rows.formIntersection(column.nulls) } else { rows.subtract(column.nulls) }
    }
  }

  /// Keeps the rows that pass a filter of values; null rows pass if `nulls` is true.
  package func keep(
    _ rows: inout RowSet, nulls: Bool, _ filter: (inout RowSet) throws -> Void
  ) rethrows {
    guard nullCount > 0 else { return try filter(&rows) }
    var missing = RowSet()
    if nulls {
      missing = rows
      keep(&missing, areNull: true)
    }
    keep(&rows, areNull: false)
    try filter(&rows)
    rows.formUnion(missing)
  }

  /// Keeps the rows whose numbers lie in a closed range; the set must not contain null rows.
  package func keep(_ rows: inout RowSet, from lower: Int64, through upper: Int64) {
    switch self {
    case .plain(let vector):
      guard lower <= upper else { return rows = RowSet() }
      let span = UInt64(bitPattern: upper &- lower)
      vector.integers.withUnsafeBufferPointer { numbers in
        rows.keep(numbers) { UInt64(bitPattern: $0 &- lower) <= span }
      }
    case .encoded(let column):
      guard case .integers(let numbers) = column.content else { return rows = RowSet() }
      numbers.keep(&rows, from: lower, through: upper)
    }
  }

  /// Keeps the rows whose numbers lie in a closed range; the set must not contain null rows.
  ///
  /// NaN never passes.
  package func keep(_ rows: inout RowSet, from lower: Double, through upper: Double) {
    switch self {
    case .plain(let vector):
      vector.doubles.withUnsafeBufferPointer { numbers in
        rows.keep(numbers) { number in
          let (isAbove, isBelow) = (number >= lower, number <= upper)
          return isAbove && isBelow
        }
      }
    case .encoded(let column):
      switch column.content {
      case .decimals(let numbers): numbers.keep(&rows, from: lower, through: upper)
      case .doubles(let numbers): numbers.keep(&rows, from: lower, through: upper)
      case .floats(let numbers): numbers.keep(&rows, from: lower, through: upper)
      default: rows = RowSet()
      }
    }
  }

  /// Keeps the rows whose timestamps lie in a closed range; the set must not contain null rows.
  package func keep(_ rows: inout RowSet, from lower: Timestamp, through upper: Timestamp) {
    switch self {
    case .plain(let vector):
      vector.timestamps.withUnsafeBufferPointer { timestamps in
        rows.keep(timestamps) { $0 >= lower && $0 <= upper }
      }
    case .encoded(let column):
      guard case .dates(let seconds, _) = column.content else { return rows = RowSet() }
      seconds.keep(&rows, from: lower.seconds, through: upper.seconds)
      // Fractions of a second matter only in the first and the last second of the range.
      rows.keep { row in
        let second = seconds[row]
        if second > lower.seconds, second < upper.seconds { return true }
        let timestamp = column.timestamp(row)
        return timestamp >= lower && timestamp <= upper
      }
    }
  }
}
