import CadastreModel
import CadastreStore

/// Reads the rows of objects whose keys come one after the other, many at a time where keys are close
/// together and ascending.
struct RowPrefetcher {
  /// Rows read at a time.
  private static let count = 128
  /// The next keys that are looked at before.
  private static let sample = 32

  private let layout: TableLayout
  private let reader: any StoreReader
  private var rows: [Int64: [Value]] = [:]

  init(_ layout: TableLayout, _ reader: any StoreReader) {
    self.layout = layout
    self.reader = reader
  }

  /// The row of the first of some keys, of which the others are wanted next; nil where there is none.
  mutating func row(_ keys: ArraySlice<Int64>) throws(StoreError) -> [Value]? {
    guard let key = keys.first else { return nil }
    if let row = rows[key] { return row }
    guard Self.areClose(keys.prefix(Self.sample)) else {
      return try reader.row(layout, ObjectKey(key))
    }
    rows = try reader.rows(layout, from: ObjectKey(key), limit: Self.count)
    return rows[key]
  }

  /// Whether keys ascend, with at most as many others between them.
  private static func areClose(_ keys: ArraySlice<Int64>) -> Bool {
    guard keys.count == sample, let first = keys.first, let last = keys.last,
      last > first, last - first < 2 * Int64(sample)
    else { return false }
    return zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 }
  }
}
