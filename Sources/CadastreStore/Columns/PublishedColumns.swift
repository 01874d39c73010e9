/// The cached segments of some columns and of the rows of a class at one version; immutable.
///
/// Any number of threads can read the instance without a lock.
package struct PublishedColumns: Sendable {
  /// The segments by number, column by column.
  private let columns: [SegmentMap<CachedSegment>]
  private let rows: SegmentMap<CachedSegment>
  private let version: Int64

  /// Creates the view of a table's cache at the newest version of the cache.
  init(columns: [SegmentMap<CachedSegment>], rows: SegmentMap<CachedSegment>, at version: Int64) {
    self.columns = columns
    self.rows = rows
    self.version = version
  }

  /// The number of segments.
  var count: Int { rows.count }

  /// Returns a segment; nil where one of its columns is not cached.
  func image(_ number: Int64) -> SegmentImage? {
    SegmentImage(
      number, rows: content(rows, number), columns: columns.lazy.map { content($0, number) })
  }

  /// Returns the numbers of the segments in a range that are not completely cached; nil where there are more
  /// of them than a limit.
  func missing(_ segments: ClosedRange<Int64>, limit: Int) -> [Int64]? {
    guard segments.upperBound - segments.lowerBound < Int64(rows.count + limit) else { return nil }
    var missing: [Int64] = []
    for number in segments where !isCached(number) {
      guard missing.count < limit else { return nil }
      missing.append(number)
    }
    return missing
  }

  private func isCached(_ number: Int64) -> Bool {
    guard case .rows? = content(rows, number) else { return false }
    return columns.allSatisfy { if case .values? = content($0, number) { true } else { false } }
  }

  private func content(
    _ segments: SegmentMap<CachedSegment>, _ number: Int64
  ) -> CachedSegment.Content? {
    guard let cached = segments[number], cached.isValid(at: version) else { return nil }
    return cached.content
  }
}

/// A scan of all rows of a class whose columns are cached, which several threads share.
package struct CachedScan: Sendable {
  /// The numbers of the segments.
  package let segments: ClosedRange<Int64>
  private let published: PublishedColumns
  private let references: [ColumnReference]
  /// The index in `published` of each requested column.
  private let outputs: [Int]

  init(
    _ segments: ClosedRange<Int64>, _ published: PublishedColumns,
    _ references: [ColumnReference], outputs: [Int]
  ) {
    self.segments = segments
    self.published = published
    self.references = references
    self.outputs = outputs
  }

  /// Returns the rows of a segment; nil where it has no rows, or is not cached.
  package func batch(_ number: Int64) -> ColumnBatch? {
    guard let image = published.image(number), !image.rows.isEmpty else { return nil }
    var batch = ColumnBatch(references)
    batch.lend(image.firstKey, outputs.map { .encoded(image.columns[$0]) }, image.rows)
    return batch
  }
}
