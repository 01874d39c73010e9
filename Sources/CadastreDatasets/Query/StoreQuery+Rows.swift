import CadastreGeometry
import CadastreModel
import CadastreStore

extension StoreQuery {
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
    for window in RowWindows(of: keys.indices) {
      let isAscending = zip(keys[window], keys[window].dropFirst()).allSatisfy { $0 < $1 }
      let read = isAscending ? [] : try sortedRows(keys, window, &rows)
      for index in window {
        if index % Self.progressStep == 0 { try progress(index) }
        let known = read.isEmpty ? nil : read[index - window.lowerBound]
        guard let row = try known ?? rows.row(keys[index...]) else { continue }
        try body(row, keys[index])
      }
    }
  }

  /// Returns the approximate number of bytes that a value takes outside of its row.
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

/// The ranges of keys whose rows are read together, in the order of the keys in the store.
///
/// The first windows are small, so that a reader that stops early reads few rows.
struct RowWindows: Sequence, IteratorProtocol {
  /// The number of rows of the first window, and of the largest windows.
  static let rows = (first: 1 << 10, most: 1 << 16)

  private var rest: Range<Int>
  private var count = Self.rows.first

  /// Divides a range of indexes.
  init(of indexes: Range<Int>) { rest = indexes }

  mutating func next() -> Range<Int>? {
    guard !rest.isEmpty else { return nil }
    let window = rest.prefix(count)
    rest = window.upperBound..<rest.upperBound
    count = Swift.min(2 * count, Self.rows.most)
    return window
  }
}

/// A reader of rows by a sequence of keys, which reads many rows at once if the keys are dense and
/// ascending.
struct RowPrefetcher {
  /// The number of rows to read at once.
  private static let count = 128
  /// The number of following keys that must be dense.
  private static let sample = 32

  private let layout: TableLayout
  private let reader: any StoreReader
  private var rows: [Int64: [Value]] = [:]

  init(_ layout: TableLayout, _ reader: any StoreReader) {
    self.layout = layout
    self.reader = reader
  }

  /// Returns the row of the first key; nil if there is none.
  ///
  /// - Parameter keys: The key of the row, and the keys that are read next.
  /// - Returns: The row; nil if it does not exist.
  /// - Throws: `StoreError` if the store cannot be read.
  mutating func row(_ keys: ArraySlice<Int64>) throws(StoreError) -> [Value]? {
    guard let key = keys.first else { return nil }
    if let row = rows[key] { return row }
    guard Self.areDense(keys.prefix(Self.sample)) else {
      return try reader.row(layout, ObjectKey(key))
    }
    rows = try reader.rows(layout, from: ObjectKey(key), limit: Self.count)
    return rows[key]
  }

  /// Returns whether keys ascend and are at least half of the keys in their range.
  private static func areDense(_ keys: ArraySlice<Int64>) -> Bool {
    guard keys.count == sample, let first = keys.first, let last = keys.last,
      last > first, last - first < 2 * Int64(sample)
    else { return false }
    return zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 }
  }
}
