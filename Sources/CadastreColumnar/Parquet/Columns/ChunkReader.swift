import CZlib

/// A reader of a column chunk: the values of a leaf in a row group.
///
/// It keeps one page and the dictionary in memory.
struct ChunkReader {
  /// The column.
  let leaf: LeafColumn
  /// The dictionary; nil until its page is read.
  private(set) var dictionary: LeafBatch?
  private let file: ColumnarFile
  private let chunk: ChunkMetadata
  private let codec: Codec
  /// The offset of the next page.
  private var offset: Int
  /// The end of the chunk, as its metadata states.
  private let end: Int
  /// The offset of the footer, where all chunks end.
  private let limit: Int
  /// The number of unread entries.
  private var remaining: Int
  /// The number of unread entries in the current page.
  private var pageRemaining = 0
  /// The locations of the pages; nil to read them in sequence.
  private let pages: [PageLocation]?
  /// The number of entries of the next page by the page index; nil without one.
  private var expectedCount: Int?
  private var repetition: HybridDecoder?
  private var definition: HybridDecoder?
  private var values = PageValueDecoder.nothing

  /// The number of bytes that are read for the header of a page.
  private static let headerBytes = 256
  /// The maximum size of a header, whose statistics may be long.
  private static let maximumHeaderBytes = 16 << 20
  private static let maximumDictionaryBytes = 64 << 20

  /// Opens a chunk.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - leaf: The column.
  ///   - chunk: The metadata of the chunk.
  ///   - limit: The offset of the footer.
  ///   - pages: The locations of the pages of a column without repetition; nil to read all pages.
  /// - Throws: ``ColumnarError`` if the bytes are invalid.
  init(
    _ file: ColumnarFile, _ leaf: LeafColumn, _ chunk: ChunkMetadata, limit: Int,
    pages: [PageLocation]? = nil
  ) throws(ColumnarError) {
    self.file = file
    self.leaf = leaf
    self.chunk = chunk
    self.limit = limit
    self.pages = pages
    codec = try Codec.number(chunk.codec)
    remaining = chunk.valueCount
    offset = chunk.start
    // Without values the offsets have no meaning and were not checked.
    end = chunk.valueCount > 0 ? chunk.start + chunk.compressedBytes : chunk.start
  }

  /// Reads entries into a batch, up to a maximum.
  ///
  /// - Parameters:
  ///   - count: The maximum number of entries.
  ///   - batch: Receives the entries of one page; empty at the end of the chunk.
  /// - Throws: ``ColumnarError`` if the bytes are invalid.
  mutating func read(_ count: Int, into batch: inout LeafBatch) throws(ColumnarError) {
    batch.removeAll()
    while pageRemaining == 0 {
      guard remaining > 0 else { return }
      try openPage()
    }
    let count = min(count, pageRemaining)
    batch.count = count
    try Self.decode(&repetition, count, leaf.maximumRepetition, into: &batch.repetition)
    try Self.decode(&definition, count, leaf.maximumDefinition, into: &batch.definition)
    let present =
      leaf.maximumDefinition == 0 ? count : Self.count(leaf.maximumDefinition, in: batch.definition)
    try values.decode(present, leaf, into: &batch)
    if batch.isIndexed { try checkIndexes(batch) }
    pageRemaining -= count
    remaining -= count
  }

  /// Skips whole pages before an entry.
  ///
  /// - Parameter count: The number of unread entries before the entry.
  /// - Returns: The number of skipped entries; the rest of `count` is in the page of the entry.
  /// - Throws: ``ColumnarError`` if the bytes are invalid.
  mutating func skip(_ count: Int) throws(ColumnarError) -> Int {
    guard let pages, let first = pages.first else { return 0 }
    let position = chunk.valueCount - remaining
    let target = position + count
    guard let index = pages.lastIndex(where: { $0.firstRow <= target }),
      pages[index].firstRow >= position + pageRemaining
    else { return 0 }
    // The page index lacks the dictionary page, which precedes all others.
    if dictionary == nil, offset < first.offset { try openPage() }
    let end = index + 1 < pages.count ? pages[index + 1].firstRow : chunk.valueCount
    offset = pages[index].offset
    expectedCount = end - pages[index].firstRow
    pageRemaining = 0
    remaining = chunk.valueCount - pages[index].firstRow
    return pages[index].firstRow - position
  }

  private func checkIndexes(_ batch: LeafBatch) throws(ColumnarError) {
    let maximum = batch.indexes.max() ?? 0
    let size = dictionary?.count ?? 0
    guard Int(maximum) < size else {
      throw .corrupt(
        found: "index \(maximum) in the dictionary", expected: "an index below \(size)",
        offset: offset)
    }
  }

  private static func count(_ level: Int, in levels: [UInt8]) -> Int {
    let level = UInt8(truncatingIfNeeded: level)
    var count = 0
    for other in levels where other == level { count += 1 }
    return count
  }

  private static func decode(
    _ decoder: inout HybridDecoder?, _ count: Int, _ maximum: Int, into levels: inout [UInt8]
  ) throws(ColumnarError) {
    guard maximum > 0 else { return }
    var largest: UInt32 = 0
    try decoder?.decode(count) { level, times in
      largest = max(largest, level)
      if times == 1 {
        levels.append(UInt8(truncatingIfNeeded: level))
      } else {
        levels.append(contentsOf: repeatElement(UInt8(truncatingIfNeeded: level), count: times))
      }
    }
    guard largest <= UInt32(maximum), levels.count == count else {
      throw .corrupt(found: "level \(largest)", expected: "at most \(maximum)")
    }
  }

  // MARK: Pages

  private mutating func openPage() throws(ColumnarError) {
    let (header, body) = try nextPage()
    switch header.kind {
    case .other: return
    case .dictionary: try openDictionary(header, body)
    case .data, .dataV2:
      guard header.valueCount <= remaining else {
        throw body.corrupt(
          "a page of \(header.valueCount) values", expected: "at most \(remaining)")
      }
      if let count = expectedCount, header.valueCount != count {
        throw body.corrupt(
          "a page of \(header.valueCount) values",
          expected: "\(count), as in the index of the pages")
      }
      expectedCount = nil
      if header.kind == .data {
        try openData(header, body)
      } else {
        try openDataV2(header, body)
      }
      pageRemaining = header.valueCount
    }
  }

  /// Reads the header and the body of the next page.
  private mutating func nextPage() throws(ColumnarError) -> (PageHeader, ByteReader) {
    guard offset < end, offset < limit else {
      throw .corrupt(
        found: "the end of the chunk", expected: "\(remaining) more values", offset: offset)
    }
    var size = min(Self.headerBytes, limit - offset)
    while true {
      let bytes = try file.read(at: offset, count: size)
      var input = ByteReader(bytes, base: offset)
      let header: PageHeader
      do throws(ColumnarError) {
        header = try PageHeader(&input)
      } catch {
        // The header may be longer than the bytes that were read.
        guard size < min(limit - offset, Self.maximumHeaderBytes) else { throw error }
        size = min(size * 16, limit - offset)
        continue
      }
      let start = offset + input.offset
      guard header.compressedBytes <= limit - start else {
        throw input.corrupt(
          "a page of \(header.compressedBytes) bytes", expected: "at most \(limit - start)")
      }
      offset = start + header.compressedBytes
      if header.kind == .other { return (header, ByteReader([])) }
      guard header.uncompressedBytes <= Codec.maximumBytes else {
        throw input.corrupt(
          "a page of \(header.uncompressedBytes) bytes", expected: "at most \(Codec.maximumBytes)")
      }
      let body = try file.read(at: start, count: header.compressedBytes)
      if let checksum = header.checksum, checksum != Self.checksum(body) {
        throw .corrupt(
          found: "another checksum", expected: "the checksum of the page", offset: start)
      }
      return (header, ByteReader(body, base: start))
    }
  }

  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    UInt32(truncatingIfNeeded: crc32(0, bytes, UInt32(clamping: bytes.count)))
  }

  private mutating func openDictionary(
    _ header: PageHeader, _ body: ByteReader
  ) throws(ColumnarError) {
    guard dictionary == nil, leaf.type != .boolean else {
      throw body.corrupt("a dictionary", expected: "at most one, not of Booleans")
    }
    guard header.uncompressedBytes <= Self.maximumDictionaryBytes else {
      throw body.corrupt(
        "a dictionary of \(header.uncompressedBytes) bytes",
        expected: "at most \(Self.maximumDictionaryBytes)")
    }
    let input = ByteReader(try codec.decompress(body, to: header.uncompressedBytes))
    // Every value takes at least one byte.
    guard header.valueCount <= input.remaining else {
      throw body.corrupt(
        "a dictionary of \(header.valueCount) values", expected: "at most \(input.remaining)")
    }
    var values = try PageValueDecoder(0, input, leaf, atMost: header.valueCount)
    var batch = LeafBatch()
    try values.decode(header.valueCount, leaf, into: &batch)
    batch.count = header.valueCount
    dictionary = batch
  }

  private mutating func openData(
    _ header: PageHeader, _ body: ByteReader
  ) throws(ColumnarError) {
    var input = ByteReader(try codec.decompress(body, to: header.uncompressedBytes))
    repetition = try Self.levels(
      &input, header.valueCount, leaf.maximumRepetition, header.levelEncodings.repetition)
    definition = try Self.levels(
      &input, header.valueCount, leaf.maximumDefinition, header.levelEncodings.definition)
    values = try PageValueDecoder(header.encoding, input, leaf, atMost: header.valueCount)
  }

  private mutating func openDataV2(
    _ header: PageHeader, _ body: ByteReader
  ) throws(ColumnarError) {
    var body = body
    let repetitionRange = try body.skip(header.levelBytes.repetition, "repetition levels")
    let definitionRange = try body.skip(header.levelBytes.definition, "definition levels")
    repetition = try HybridDecoder(
      ByteReader(body.bytes, repetitionRange),
      width: HybridEncoder.width(upTo: leaf.maximumRepetition))
    definition = try HybridDecoder(
      ByteReader(body.bytes, definitionRange),
      width: HybridEncoder.width(upTo: leaf.maximumDefinition))
    let size =
      header.uncompressedBytes - header.levelBytes.repetition - header.levelBytes.definition
    guard size >= 0 else {
      throw body.corrupt(
        "levels that are longer than the page", expected: "\(header.uncompressedBytes) bytes")
    }
    var input = body
    if header.isCompressed, codec != .none, body.remaining > 0 {
      input = ByteReader(try codec.decompress(body, to: size))
    }
    values = try PageValueDecoder(header.encoding, input, leaf, atMost: header.valueCount)
  }

  /// Returns a decoder of the levels of a page of version 1.
  private static func levels(
    _ input: inout ByteReader, _ count: Int, _ maximum: Int, _ encoding: Int
  ) throws(ColumnarError) -> HybridDecoder? {
    guard maximum > 0 else { return nil }
    if encoding == 4 {
      let size = (count * HybridEncoder.width(upTo: maximum) + 7) / 8
      let range = try input.skip(size, "levels")
      return try HybridDecoder(
        BitPackedLevels.hybrid(
          input.bytes[range], count: count, width: HybridEncoder.width(upTo: maximum)),
        width: HybridEncoder.width(upTo: maximum))
    }
    guard encoding == 3 else { throw .unsupported("level encoding \(encoding)") }
    let size = Int(try input.integer(UInt32.self))
    let range = try input.skip(size, "levels")
    return try HybridDecoder(
      ByteReader(input.bytes, range), width: HybridEncoder.width(upTo: maximum))
  }
}
