/// What a reader needs to use columns that are kept in memory.
package struct ColumnSource {
  /// The columns.
  let cache: ColumnCache
  /// What commits have changed.
  let history: ChangeHistory
  /// The number of the newest commit that the reader sees.
  let version: Int64
  /// What the reader's own transaction has changed since; nil for nothing.
  let own: SegmentTouches?

  /// The share of a class's rows, from 0 to 1, of which columns are in memory.
  package func shareInMemory(_ className: String, _ columns: [Int], of rowCount: Int) -> Double {
    cache.share(className, columns, of: rowCount)
  }
}
