/// The writer of the indexes of pages: their locations and their statistics.
///
/// Source: Apache parquet-format, "PageIndex.md".
enum PageIndexWriter {
  /// Returns the locations of the pages of a chunk.
  static func locations(_ chunk: LeafWriter.Chunk) -> [UInt8] {
    var writer = ThriftWriter()
    writer.element { index in
      index.list(1, .structure, count: chunk.pages.count)
      for page in chunk.pages {
        index.element { location in
          location.int64(1, page.location.offset)
          location.int32(2, page.location.size)
          location.int64(3, page.location.firstRow)
        }
      }
    }
    return writer.bytes
  }

  /// Returns the statistics of the pages of a chunk; nil if a page with values has no bounds.
  static func statistics(_ chunk: LeafWriter.Chunk) -> [UInt8]? {
    guard chunk.pages.allSatisfy({ $0.valueCount == 0 || $0.bounds != nil }) else { return nil }
    var writer = ThriftWriter()
    writer.element { index in
      index.list(1, .true, count: chunk.pages.count)
      for page in chunk.pages { index.element(page.valueCount == 0) }
      index.list(2, .binary, count: chunk.pages.count)
      for page in chunk.pages { index.element(page.bounds?.minimum ?? []) }
      index.list(3, .binary, count: chunk.pages.count)
      for page in chunk.pages { index.element(page.bounds?.maximum ?? []) }
      // The bounds are in no order.
      index.int32(4, 0)
      index.list(5, .int64, count: chunk.pages.count)
      for page in chunk.pages { index.element(page.entryCount - page.valueCount) }
    }
    return writer.bytes
  }
}
