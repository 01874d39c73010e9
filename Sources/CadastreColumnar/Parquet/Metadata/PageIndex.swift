/// The location of a page in the file.
struct PageLocation: Hashable {
  var offset = 0
  /// The size with its header, in bytes.
  var size = 0
  /// The index of its first row in the row group.
  var firstRow = 0
}

/// A reader of the optional page indexes of a column chunk.
///
/// Source: Apache parquet-format, "PageIndex.md".
enum PageIndex {
  /// The maximum size of an index in bytes.
  private static let maximumBytes = 16 << 20

  /// Reads the locations of the pages of a chunk; nil if there is no valid index.
  static func locations(
    _ file: ColumnarFile, _ chunk: ChunkMetadata, rowCount: Int
  ) -> [PageLocation]? {
    guard let bytes = bytes(file, chunk.offsetIndex),
      let locations = try? locations(ByteReader(bytes)), locations.first?.firstRow == 0
    else { return nil }
    let end = chunk.start + chunk.compressedBytes
    var previous: PageLocation?
    for location in locations {
      guard location.offset >= chunk.start, location.offset < end, location.firstRow < rowCount,
        location.firstRow > previous?.firstRow ?? -1, location.offset > previous?.offset ?? -1
      else { return nil }
      previous = location
    }
    return locations
  }

  /// Reads the statistics of the pages of a chunk; nil if there is no valid index.
  ///
  /// The statistics of a page without values have no bounds and count all of its rows as null.
  static func statistics(
    _ file: ColumnarFile, _ chunk: ChunkMetadata
  ) -> [PageStatistics]? {
    guard let bytes = bytes(file, chunk.columnIndex) else { return nil }
    return try? statistics(ByteReader(bytes))
  }

  private static func bytes(_ file: ColumnarFile, _ range: IndexRange?) -> [UInt8]? {
    guard let range, range.offset >= 4, (1...maximumBytes).contains(range.size) else { return nil }
    return try? file.read(at: range.offset, count: range.size)
  }

  private static func locations(_ input: ByteReader) throws(ColumnarError) -> [PageLocation] {
    var reader = ThriftReader(input)
    var previous = 0
    while let field = try reader.field(after: &previous) {
      if field.id == 1, field.kind == .list {
        return try reader.structures { (reader) throws(ColumnarError) in
          var location = PageLocation()
          var previous = 0
          while let field = try reader.field(after: &previous) {
            switch (field.id, field.kind) {
            case (1, .int64): location.offset = try reader.integer(field.kind)
            case (2, .int32): location.size = try reader.integer(field.kind)
            case (3, .int64): location.firstRow = try reader.integer(field.kind)
            default: try reader.skip(field.kind)
            }
          }
          return location
        }
      }
      try reader.skip(field.kind)
    }
    return []
  }

  private static func statistics(_ input: ByteReader) throws(ColumnarError) -> [PageStatistics]? {
    var reader = ThriftReader(input)
    var (isNull, minima, maxima): ([Bool], [[UInt8]], [[UInt8]]) = ([], [], [])
    var previous = 0
    while let field = try reader.field(after: &previous) {
      switch (field.id, field.kind) {
      case (1, .list):
        let count = try reader.list().count
        for _ in 0..<count { isNull.append(try reader.input.byte() == 1) }
      case (2, .list): minima = try data(&reader)
      case (3, .list): maxima = try data(&reader)
      default: try reader.skip(field.kind)
      }
    }
    guard minima.count == isNull.count, maxima.count == isNull.count else { return nil }
    return isNull.indices.map {
      PageStatistics(isNull: isNull[$0], minimum: minima[$0], maximum: maxima[$0])
    }
  }

  private static func data(_ reader: inout ThriftReader) throws(ColumnarError) -> [[UInt8]] {
    let (count, kind) = try reader.list()
    guard kind == .binary || count == 0 else {
      throw reader.input.corrupt("a list of type \(kind.rawValue)", expected: "a list of bounds")
    }
    var values: [[UInt8]] = []
    for _ in 0..<count { values.append(try reader.data()) }
    return values
  }
}

/// The statistics of a page.
struct PageStatistics {
  /// Whether the page has no values.
  let isNull: Bool
  /// The minimum of the values, in PLAIN encoding.
  let minimum: [UInt8]
  /// The maximum of the values, in PLAIN encoding.
  let maximum: [UInt8]
}

/// An encoder of the page indexes of a column chunk.
///
/// Source: Apache parquet-format, "PageIndex.md".
enum PageIndexWriter {
  /// Encodes the offset index: the locations of the pages.
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

  /// Encodes the column index: the statistics of the pages; nil if a page with values has no bounds.
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
      // The boundary order: unordered.
      index.int32(4, 0)
      index.list(5, .int64, count: chunk.pages.count)
      for page in chunk.pages { index.element(page.entryCount - page.valueCount) }
    }
    return writer.bytes
  }
}
