import CadastreModel
import CadastreStore

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
