import CadastreStore

/// A filter over batches: keeps the selected rows that match.
///
/// Rows are numbered within their batch, ascending.
protocol BatchFilter {
  /// Whether the filter reads nothing but the batch, so that several threads may use it at once.
  var readsBatchOnly: Bool { get }
  /// The selected rows that match.
  func matching(_ batch: borrowing ColumnBatch, among rows: [Int32]) throws -> [Int32]
}

extension BatchFilter {
  var readsBatchOnly: Bool { false }
}

/// Every row, or none.
struct ConstantFilter: BatchFilter {
  let value: Bool

  var readsBatchOnly: Bool { true }

  func matching(_ batch: borrowing ColumnBatch, among rows: [Int32]) -> [Int32] {
    value ? rows : []
  }
}

/// Keeps the rows that pass all filters; each filter reads only the rows that passed the ones
/// before it.
struct AllFilter: BatchFilter {
  let parts: [any BatchFilter]

  var readsBatchOnly: Bool { parts.allSatisfy(\.readsBatchOnly) }

  func matching(_ batch: borrowing ColumnBatch, among rows: [Int32]) throws -> [Int32] {
    var rows = rows
    for part in parts where !rows.isEmpty { rows = try part.matching(batch, among: rows) }
    return rows
  }
}

/// Keeps the rows that pass some filter; each filter reads only the rows that failed the ones
/// before it.
struct AnyFilter: BatchFilter {
  let parts: [any BatchFilter]

  var readsBatchOnly: Bool { parts.allSatisfy(\.readsBatchOnly) }

  func matching(_ batch: borrowing ColumnBatch, among rows: [Int32]) throws -> [Int32] {
    var open = rows
    var found: [Int32] = []
    for part in parts where !open.isEmpty {
      let more = try part.matching(batch, among: open)
      guard !more.isEmpty else { continue }
      open = Selection.difference(open, more)
      found = Selection.union(found, more)
    }
    return found
  }
}

/// The rows that do not pass a filter.
struct NotFilter: BatchFilter {
  let inner: any BatchFilter

  var readsBatchOnly: Bool { inner.readsBatchOnly }

  func matching(_ batch: borrowing ColumnBatch, among rows: [Int32]) throws -> [Int32] {
    try Selection.difference(rows, inner.matching(batch, among: rows))
  }
}

/// Ascending row numbers as sets.
enum Selection {
  /// The rows of the first that are not in the second.
  static func difference(_ first: [Int32], _ second: [Int32]) -> [Int32] {
    var result: [Int32] = []
    result.reserveCapacity(first.count - second.count)
    var next = 0
    for row in first {
      if next < second.count, second[next] == row { next += 1 } else { result.append(row) }
    }
    return result
  }

  /// The rows of two selections that have none in common.
  static func union(_ first: [Int32], _ second: [Int32]) -> [Int32] {
    if first.isEmpty { return second }
    var result: [Int32] = []
    result.reserveCapacity(first.count + second.count)
    var (one, other) = (0, 0)
    while one < first.count, other < second.count {
      if first[one] < second[other] {
        result.append(first[one])
        one += 1
      } else {
        result.append(second[other])
        other += 1
      }
    }
    result += first[one...]
    result += second[other...]
    return result
  }

  /// The rows whose values pass a test, nulls decided beforehand.
  ///
  /// The loop has no branch that depends on a value: each row is written down, and the next one
  /// over it where it does not pass.
  @inline(__always)
  static func rows<Element>(
    _ rows: [Int32], in column: borrowing ColumnVector, _ values: [Element], nulls: Bool,
    where test: (Element) -> Bool
  ) -> [Int32] {
    // An array without room would write its count into the empty array that all threads share.
    guard !rows.isEmpty else { return [] }
    let isNull = column.isNull
    let hasNulls = column.nullCount > 0
    // Row numbers ascend, so as many rows as there are values are all of them.
    let areAll = rows.count == values.count
    return rows.withUnsafeBufferPointer { rows in
      values.withUnsafeBufferPointer { values in
        [Int32](unsafeUninitializedCapacity: rows.count) { buffer, initialized in
          guard let found = buffer.baseAddress, let values = values.baseAddress else { return }
          // A local count stays in a register.
          var count = 0
          defer { initialized = count }
          if areAll, !hasNulls {
            for row in 0..<rows.count {
              found[count] = Int32(truncatingIfNeeded: row)
              count &+= test(values[row]) ? 1 : 0
            }
            return
          }
          if !hasNulls {
            for row in rows {
              found[count] = row
              count &+= test(values[Int(row)]) ? 1 : 0
            }
            return
          }
          isNull.withUnsafeBufferPointer { isNull in
            for row in rows {
              found[count] = row
              let passes = isNull[Int(row)] ? nulls : test(values[Int(row)])
              count &+= passes ? 1 : 0
            }
          }
        }
      }
    }
  }

  /// The rows whose value is, or is not, null.
  static func rows(
    _ rows: [Int32], in column: borrowing ColumnVector, areNull: Bool
  ) -> [Int32] {
    guard column.nullCount > 0 else { return areNull ? [] : rows }
    let isNull = column.isNull
    return rows.filter { isNull[Int($0)] == areNull }
  }
}
