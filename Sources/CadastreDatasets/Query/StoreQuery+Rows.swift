import CadastreGeometry
import CadastreModel
import CadastreStore

extension StoreQuery {
  /// The number of rows that are read in order of their keys, and passed on in the given order.
  private static let windowRows = 1 << 16
  /// The size of text, data and geometries in bytes after which further rows of a window are read one by one.
  private static let windowBytes = 1 << 25
  /// The number of objects between two reports of the progress.
  private static let progressStep = 1024

  /// Calls a closure with the row and the key of each key, in the order of the keys.
  ///
  /// Rows are read in order of their keys, because neighbours are in the same pages of the file.
  ///
  /// - Parameters:
  ///   - keys: The keys; those without an object are skipped.
  ///   - body: The closure.
  /// - Throws: `StoreError`, or the error of the closure.
  /// - Complexity: O(n log n) time in the number of keys; the rows of a window are in memory.
  func forEachRow(_ keys: [Int64], _ body: ([Value], Int64) throws -> Void) throws {
    var rows = RowPrefetcher(layout, snapshot)
    var start = keys.startIndex
    while start < keys.endIndex {
      let window = start..<min(start + Self.windowRows, keys.endIndex)
      let isAscending = zip(keys[window], keys[window].dropFirst()).allSatisfy { $0 < $1 }
      let read = isAscending ? [] : try sortedRows(keys, window, &rows)
      for index in window {
        if index % Self.progressStep == 0 { try progress(index) }
        let known = read.isEmpty ? nil : read[index - window.lowerBound]
        guard let row = try known ?? rows.row(keys[index...]) else { continue }
        try body(row, keys[index])
      }
      start = window.upperBound
    }
  }

  /// Returns about the number of bytes that a value takes outside of its row.
  private static func size(_ value: Value) -> Int {
    if case .geometry(let geometry) = value {
      return geometry.positionCount * MemoryLayout<Double>.size * 3
    }
    return value.byteCount ?? 0
  }

  /// Returns the rows of a window, read in order of their keys; nil for those that are not read.
  private func sortedRows(
    _ keys: [Int64], _ window: Range<Int>, _ rows: inout RowPrefetcher
  ) throws(StoreError) -> [[Value]?] {
    let order = window.sorted { keys[$0] < keys[$1] }
    let sorted = order.map { keys[$0] }
    var read = [[Value]?](repeating: nil, count: window.count)
    var bytes = 0
    for (position, index) in order.enumerated() where bytes < Self.windowBytes {
      guard let row = try rows.row(sorted[position...]) else { continue }
      for value in row { bytes += Self.size(value) }
      read[index - window.lowerBound] = row
    }
    return read
  }
}
