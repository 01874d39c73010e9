package import CadastreGeometry
import CadastreModel
import Dispatch

/// A writer of GeoParquet 1.1 files with Zstandard compression, dictionaries and statistics.
///
/// The geometry column has well-known binary. A covering column with the bounding box of each geometry lets
/// readers skip row groups, which needs rows in spatial order.
package final class ParquetWriter {
  /// The default number of rows in a row group.
  package static let defaultGroupRows = 122_880

  /// The number of rows that were written.
  package private(set) var rowCount = 0

  /// The numbers of dates that were rounded down to microseconds, by field; each is positive.
  package var roundedDates: [String: Int] {
    var counts: [String: Int] = [:]
    for leaf in leaves where leaf.roundedCount > 0 {
      counts[leaf.path[0], default: 0] += leaf.roundedCount
    }
    return counts
  }

  private let fields: [ColumnarField]
  private let writers: [FieldWriter]
  private let leaves: [LeafWriter]
  private let geometry: GeometryWriter?
  private let groupRows: Int
  private let write: ([UInt8]) throws -> Void
  private var offset = 0
  private var rowsInGroup = 0
  private var groups: [(rows: Int, chunks: [LeafWriter.Chunk])] = []

  /// Creates a writer.
  ///
  /// - Parameters:
  ///   - fields: The columns, with distinct names.
  ///   - hasGeometry: Whether rows have geometries.
  ///   - groupRows: The number of rows in a row group.
  ///   - write: Receives the bytes of the file in order.
  package init(
    _ fields: [ColumnarField], hasGeometry: Bool, groupRows: Int = defaultGroupRows,
    write: @escaping ([UInt8]) throws -> Void
  ) {
    self.fields = fields
    self.groupRows = max(groupRows, 1)
    self.write = write
    var leaves: [LeafWriter] = []
    writers = fields.map {
      FieldWriter(
        $0.name, $0.type, isOptional: $0.isOptional, dates: $0.dates, SchemaPosition(),
        &leaves)
    }
    geometry = hasGeometry ? GeometryWriter(beside: fields, &leaves) : nil
    self.leaves = leaves
  }

  /// Appends a row with a point.
  ///
  /// - Parameters:
  ///   - values: A value for each column, in their order.
  ///   - point: The geometry; nil for none.
  /// - Throws: ``ColumnarError`` if the type of a value differs from the type of its column, or the
  ///   error of writing.
  package func append(_ values: [ColumnarValue], point: ColumnarPoint?) throws {
    try append(values)
    geometry?.append(point)
    try finishRow()
  }

  /// Appends a row with a geometry of any type.
  ///
  /// - Parameters:
  ///   - values: A value for each column, in their order.
  ///   - shape: The geometry; nil for none.
  /// - Throws: ``ColumnarError`` if the type of a value differs from the type of its column, or the
  ///   error of writing.
  package func append(_ values: [ColumnarValue], geometry shape: Geometry?) throws {
    try append(values)
    geometry?.append(shape)
    try finishRow()
  }

  private func append(_ values: [ColumnarValue]) throws {
    for (writer, value) in zip(writers, values) {
      try writer.append(value, repetition: 0, definition: 0)
    }
  }

  private func finishRow() throws { try finishRows(1) }

  // MARK: Columns

  /// The columns of the fields, in their order; nil where a field may have several values.
  package var columns: [ParquetColumn]? {
    let columns = writers.compactMap(ParquetColumn.init)
    return columns.count == writers.count ? columns : nil
  }

  /// The number of rows that the current group has room for; at least 1.
  package var room: Int { groupRows - rowsInGroup }

  /// Appends the point of a row whose values are appended to the columns; nil for none.
  package func append(point: ColumnarPoint?) { geometry?.append(point) }

  /// Ends rows whose values were appended to all columns.
  ///
  /// - Parameter count: The number of rows, at most ``room``.
  /// - Throws: The error of writing.
  package func finishRows(_ count: Int) throws {
    rowsInGroup += count
    rowCount += count
    if rowsInGroup == groupRows { try finishGroup() }
  }

  /// Writes the last row group and the footer.
  ///
  /// - Throws: The error of writing.
  package func finish() throws {
    if offset == 0 { try put(ParquetFile.magic) }
    try finishGroup()
    try putIndexes()
    var footer = footer()
    let size = UInt32(footer.count)
    footer.appendWord(size)
    try put(footer + ParquetFile.magic)
  }

  /// Writes the indexes of the pages of all chunks.
  private func putIndexes() throws {
    for group in groups.indices {
      for chunk in groups[group].chunks.indices {
        guard let bytes = PageIndexWriter.statistics(groups[group].chunks[chunk]) else { continue }
        groups[group].chunks[chunk].columnIndex = IndexRange(offset: offset, size: bytes.count)
        try put(bytes)
      }
    }
    for group in groups.indices {
      for chunk in groups[group].chunks.indices {
        let bytes = PageIndexWriter.locations(groups[group].chunks[chunk])
        groups[group].chunks[chunk].offsetIndex = IndexRange(offset: offset, size: bytes.count)
        groups[group].chunks[chunk].pages = []
        try put(bytes)
      }
    }
  }

  private func put(_ bytes: [UInt8]) throws {
    try write(bytes)
    offset += bytes.count
  }

  private func finishGroup() throws {
    guard rowsInGroup > 0 else { return }
    if offset == 0 { try put(ParquetFile.magic) }
    var chunks: [LeafWriter.Chunk] = []
    for encoded in encodedChunks() {
      var (chunk, pages) = try encoded.get()
      chunk.move(by: offset)
      chunks.append(chunk)
      try put(pages)
    }
    groups.append((rowsInGroup, chunks))
    rowsInGroup = 0
  }

  /// Encodes the entries of all leaves, on all cores; the offsets in a chunk count from its start.
  private func encodedChunks()
    -> [Result<(chunk: LeafWriter.Chunk, pages: [UInt8]), ColumnarError>]
  {
    var results = [Result<(chunk: LeafWriter.Chunk, pages: [UInt8]), ColumnarError>?](
      repeating: nil, count: leaves.count)
    results.withUnsafeMutableBufferPointer { results in
      // Safe because each iteration uses its own leaf and writes its own result.
      nonisolated(unsafe) let (results, leaves) = (results, leaves)
      DispatchQueue.concurrentPerform(iterations: leaves.count) { index in
        results[index] = Result { () throws(ColumnarError) in
          var pages: [UInt8] = []
          return (try leaves[index].finishChunk(&pages), pages)
        }
      }
    }
    return results.compactMap(\.self)
  }

  // MARK: Footer

  private func footer() -> [UInt8] {
    var footer = ThriftWriter()
    let metadata = geometry?.metadata
    footer.element { file in
      file.int32(1, 2)
      let elements = ParquetSchemaWriter(fields, geometry).elements
      file.list(2, .structure, count: elements.count)
      for element in elements { file.element(element) }
      file.int64(3, rowCount)
      file.list(4, .structure, count: groups.count)
      for (index, group) in groups.enumerated() {
        file.element { self.write(group.rows, group.chunks, index, &$0) }
      }
      if let metadata {
        file.list(5, .structure, count: 1)
        file.element { pair in
          pair.string(1, "geo")
          pair.string(2, metadata)
        }
      }
      file.string(6, "Cadastre version \(CadastreVersion.number) (build 0)")
      file.list(7, .structure, count: leaves.count)
      for _ in leaves { file.element { $0.structure(1) { _ in } } }
    }
    return footer.bytes
  }

  private func write(
    _ rows: Int, _ chunks: [LeafWriter.Chunk], _ index: Int, _ group: inout ThriftWriter
  ) {
    group.list(1, .structure, count: chunks.count)
    for (leaf, chunk) in zip(leaves, chunks) {
      group.element { column in
        column.int64(2, 0)
        column.structure(3) { Self.write(leaf, chunk, &$0) }
        if let index = chunk.offsetIndex {
          column.int64(4, index.offset)
          column.int32(5, index.size)
        }
        if let index = chunk.columnIndex {
          column.int64(6, index.offset)
          column.int32(7, index.size)
        }
      }
    }
    group.int64(2, chunks.reduce(0) { $0 + $1.uncompressedBytes })
    group.int64(3, rows)
    if let first = chunks.first { group.int64(5, first.dictionaryOffset ?? first.dataOffset) }
    group.int64(6, chunks.reduce(0) { $0 + $1.compressedBytes })
    if index <= Int(Int16.max) { group.int16(7, index) }
  }

  private static func write(
    _ leaf: LeafWriter, _ chunk: LeafWriter.Chunk, _ column: inout ThriftWriter
  ) {
    column.int32(1, leaf.type.rawValue)
    column.list(2, .int32, count: chunk.encodings.count)
    for encoding in chunk.encodings { column.element(encoding) }
    column.list(3, .binary, count: leaf.path.count)
    for name in leaf.path { column.element(name) }
    column.int32(4, Codec.zstd.rawValue)
    column.int64(5, chunk.valueCount)
    column.int64(6, chunk.uncompressedBytes)
    column.int64(7, chunk.compressedBytes)
    column.int64(9, chunk.dataOffset)
    if let offset = chunk.dictionaryOffset { column.int64(11, offset) }
    column.structure(12) { statistics in
      statistics.int64(3, chunk.nullCount)
      guard let bounds = chunk.bounds else { return }
      statistics.data(5, bounds.maximum)
      statistics.data(6, bounds.minimum)
      statistics.bool(7, true)
      statistics.bool(8, true)
    }
  }
}

// Not Sendable: every row changes the state of the columns.
@available(*, unavailable)
extension ParquetWriter: Sendable {}
