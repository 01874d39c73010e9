/// The access of one reader to the column cache.
package struct ColumnSource {
  /// The cache.
  package let cache: ColumnCache
  /// The changes of recent commits.
  let history: ChangeHistory
  /// The number of the newest commit that the reader sees.
  let version: Int64
  /// The changes of the reader's own transaction; nil without any.
  let own: SegmentTouches?

  /// Returns the share of a class's rows, from 0 to 1, whose columns are cached.
  package func shareInMemory(_ className: String, _ columns: [Int], of rowCount: Int) -> Double {
    cache.share(className, columns, of: rowCount)
  }
}
