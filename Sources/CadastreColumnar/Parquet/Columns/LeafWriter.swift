/// The writer of a leaf, which buffers the entries of a row group and encodes them as pages.
///
/// One thread at a time uses it, and no method calls a closure that could, so accesses are not checked for overlap.
final class LeafWriter {
  let path: [String]
  let maximumDefinition: Int
  let maximumRepetition: Int
  /// Whether statistics are written.
  let hasStatistics: Bool
  let type: PhysicalType
  @exclusivity(unchecked) private var definition: [UInt8] = []
  @exclusivity(unchecked) private var repetition: [UInt8] = []
  @exclusivity(unchecked) private var values: LeafValues
  @exclusivity(unchecked) private var nullCount = 0
  /// The number of rounded dates in all row groups.
  var roundedCount = 0

  /// The maximum number of rows in a page.
  private static let pageRows = 20_000
  /// The size of the values of a page, in bytes, at which the next row begins another page.
  private static let pageBytes = 1 << 20

  init(
    _ path: [String], _ type: PhysicalType, definition: Int, repetition: Int,
    hasStatistics: Bool = true
  ) {
    self.path = path
    self.type = type
    maximumDefinition = definition
    maximumRepetition = repetition
    self.hasStatistics = hasStatistics
    values = LeafValues(type)
  }

  /// Appends an entry without a value.
  func appendNull(repetition: Int, definition: Int) {
    nullCount += 1
    appendLevels(repetition, definition)
  }

  /// Appends an entry with a number.
  func append(_ word: UInt64, repetition: Int) {
    values.append(word)
    appendLevels(repetition, maximumDefinition)
  }

  /// Appends an entry without repetition for each of some numbers.
  func append(words: [UInt64]) {
    values.append(words: words)
    if maximumDefinition > 0 {
      definition.append(contentsOf: repeatElement(UInt8(maximumDefinition), count: words.count))
    }
    if maximumRepetition > 0 {
      repetition.append(contentsOf: repeatElement(0, count: words.count))
    }
  }

  /// Appends an entry with a byte array.
  func append(_ bytes: some Sequence<UInt8>, repetition: Int) {
    values.append(bytes)
    appendLevels(repetition, maximumDefinition)
  }

  private func appendLevels(_ repetition: Int, _ definition: Int) {
    if maximumDefinition > 0 { self.definition.append(UInt8(definition)) }
    if maximumRepetition > 0 { self.repetition.append(UInt8(repetition)) }
  }

  /// The metadata of a written chunk.
  struct Chunk {
    var encodings: [Int] = []
    var valueCount = 0
    var uncompressedBytes = 0
    var compressedBytes = 0
    var dictionaryOffset: Int?
    var dataOffset = 0
    var nullCount = 0
    var bounds: (minimum: [UInt8], maximum: [UInt8])?
    var pages: [Page] = []
    var offsetIndex: IndexRange?
    var columnIndex: IndexRange?

    /// Adds a number of bytes to the offsets of the pages.
    mutating func move(by bytes: Int) {
      dictionaryOffset? += bytes
      dataOffset += bytes
      for index in pages.indices { pages[index].location.offset += bytes }
    }
  }

  /// A page in the page indexes.
  struct Page {
    var location: PageLocation
    var entryCount: Int
    var valueCount: Int
    var bounds: (minimum: [UInt8], maximum: [UInt8])?
  }

  /// Encodes the entries as pages and removes them.
  ///
  /// - Parameter output: Receives the pages; it is empty.
  /// - Returns: The metadata of the chunk, with offsets from its start.
  /// - Throws: ``ColumnarError`` if memory for the compression is exhausted.
  func finishChunk(_ output: inout [UInt8]) throws(ColumnarError) -> Chunk {
    let entries = maximumDefinition > 0 ? definition.count : values.count
    var chunk = Chunk()
    chunk.valueCount = entries
    chunk.nullCount = nullCount
    chunk.bounds = hasStatistics ? values.bounds(0..<values.count) : nil
    let dictionary = values.dictionary()
    chunk.encodings = dictionary == nil ? [0, 3] : [0, 3, 8]
    if let dictionary {
      chunk.dictionaryOffset = 0
      let count = dictionary.values.count
      try writePage(values.plain(dictionary.values), &chunk, &output) { page in
        page.int32(1, 2)
      } details: { page in
        page.structure(7) { header in
          header.int32(1, count)
          header.int32(2, 0)
        }
      }
    }
    chunk.dataOffset = output.count
    for range in pages(entries) {
      let (body, count) = page(range, dictionary)
      let pageStart = output.count
      try writePage(body, &chunk, &output) { page in
        page.int32(1, 0)
      } details: { page in
        page.structure(5) { header in
          header.int32(1, count)
          header.int32(2, dictionary == nil ? 0 : 8)
          header.int32(3, 3)
          header.int32(4, 3)
        }
      }
      chunk.pages.append(
        Page(
          location: PageLocation(
            offset: pageStart, size: output.count - pageStart, firstRow: range.firstRow),
          entryCount: count, valueCount: range.values.count,
          bounds: hasStatistics ? values.bounds(range.values) : nil))
    }
    definition.removeAll(keepingCapacity: true)
    repetition.removeAll(keepingCapacity: true)
    values.removeAll()
    nullCount = 0
    return chunk
  }

  /// A range of entries and of their values.
  private struct PageRange {
    var entries: Range<Int>
    var values: Range<Int>
    /// The index of the first row in the row group.
    var firstRow = 0
  }

  /// Divides the entries into pages that begin with a row each.
  private func pages(_ entries: Int) -> [PageRange] {
    var pages: [PageRange] = []
    var page = PageRange(entries: 0..<0, values: 0..<0)
    var (rows, bytes, firstRow) = (0, 0, 0)
    // Copies, so that the loop retains nothing.
    let (definition, repetition, values) = (definition, repetition, values)
    for entry in 0..<entries {
      if maximumRepetition == 0 || repetition[entry] == 0 {
        if rows >= Self.pageRows || bytes >= Self.pageBytes {
          pages.append(page)
          firstRow += rows
          page = PageRange(
            entries: page.entries.upperBound..<page.entries.upperBound,
            values: page.values.upperBound..<page.values.upperBound, firstRow: firstRow)
          (rows, bytes) = (0, 0)
        }
        rows += 1
      }
      page.entries = page.entries.lowerBound..<entry + 1
      if maximumDefinition == 0 || definition[entry] == maximumDefinition {
        let value = page.values.upperBound
        bytes += values.areBytes ? values.range(value).count + 4 : 8
        page.values = page.values.lowerBound..<value + 1
      }
    }
    if !page.entries.isEmpty { pages.append(page) }
    return pages
  }

  /// Returns the body of a page and its number of entries.
  private func page(
    _ range: PageRange, _ dictionary: LeafValues.Dictionary?
  ) -> (body: [UInt8], count: Int) {
    var body: [UInt8] = []
    for (levels, maximum) in [(repetition, maximumRepetition), (definition, maximumDefinition)]
    where maximum > 0 {
      let runs = HybridEncoder.encode(
        levels[range.entries], width: HybridEncoder.width(upTo: maximum))
      body.appendWord(UInt32(runs.count))
      body += runs
    }
    if let dictionary {
      let width = max(HybridEncoder.width(upTo: dictionary.values.count - 1), 1)
      body.append(UInt8(width))
      body += HybridEncoder.encode(dictionary.indexes[range.values], width: width)
    } else {
      body += values.plain(range.values)
    }
    return (body, range.entries.count)
  }

  private func writePage(
    _ body: [UInt8], _ chunk: inout Chunk, _ output: inout [UInt8],
    type: (inout ThriftWriter) -> Void, details: (inout ThriftWriter) -> Void
  ) throws(ColumnarError) {
    let compressed = try Codec.zstd(body)
    var header = ThriftWriter()
    header.element { page in
      type(&page)
      page.int32(2, body.count)
      page.int32(3, compressed.count)
      details(&page)
    }
    output += header.bytes
    output += compressed
    chunk.uncompressedBytes += header.bytes.count + body.count
    chunk.compressedBytes += header.bytes.count + compressed.count
  }
}
