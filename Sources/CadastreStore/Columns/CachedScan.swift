/// A scan of all rows of a class whose columns are cached, which several threads share.
package struct CachedScan: Sendable {
  /// The numbers of the segments.
  package let segments: ClosedRange<Int64>
  private let published: PublishedColumns
  private let references: [ColumnReference]
  /// The index of each requested column among the published ones.
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

  /// Returns the rows of a segment; nil where there are none.
  package func batch(_ number: Int64) -> ColumnBatch? {
    guard let image = published.image(number), !image.rows.isEmpty else { return nil }
    var batch = ColumnBatch(references)
    batch.lend(image.firstKey, outputs.map { .encoded(image.columns[$0]) }, image.rows)
    return batch
  }
}
