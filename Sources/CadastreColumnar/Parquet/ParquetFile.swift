/// A Parquet file: its metadata and its columns.
///
/// Source: Apache parquet-format 2.12.
struct ParquetFile {
  let file: ColumnarFile
  let metadata: ParquetMetadata
  let columns: ParquetColumns
  /// The offset of the footer, which is the end of the chunks.
  let footer: Int

  static let magic = Array("PAR1".utf8)
  private static let encryptedMagic = Array("PARE".utf8)
  private static let maximumFooterBytes = 64 << 20
  /// The maximum number of rows of all row groups.
  private static let maximumRows = 1 << 48

  /// Reads and checks the footer of a file.
  ///
  /// - Throws: ``ColumnarError`` if the file is not a Parquet file or its metadata is invalid.
  init(_ file: ColumnarFile) throws(ColumnarError) {
    self.file = file
    guard file.size >= 12 else {
      throw .corrupt(found: "a file of \(file.size) bytes", expected: "a Parquet file")
    }
    let first = try file.read(at: 0, count: 4)
    let last = try file.read(at: file.size - 8, count: 8)
    guard Array(last[4...]) != Self.encryptedMagic else {
      throw .unsupported("the file is encrypted")
    }
    guard first == Self.magic, Array(last[4...]) == Self.magic else {
      throw .corrupt(
        found: first == Self.magic ? "no 'PAR1' at the end" : "no 'PAR1' at the start",
        expected: "a complete Parquet file")
    }
    let size = Int(last.word(at: 0, as: UInt32.self))
    guard size <= min(file.size - 12, Self.maximumFooterBytes) else {
      throw .corrupt(
        found: "a footer of \(size) bytes",
        expected: "at most \(min(file.size - 12, Self.maximumFooterBytes))",
        offset: file.size - 8)
    }
    footer = file.size - 8 - size
    do throws(ColumnarError) {
      metadata = try ParquetMetadata(try file.read(at: footer, count: size), at: footer)
    } catch {
      throw error.within("footer")
    }
    guard !metadata.isEncrypted else { throw .unsupported("the file is encrypted") }
    columns = try ParquetColumns(metadata.schema)
    var rows = 0
    for (index, group) in metadata.rowGroups.enumerated() {
      do throws(ColumnarError) {
        try check(group)
      } catch {
        throw error.within("row group \(index + 1)")
      }
      guard group.rowCount <= Self.maximumRows - rows else {
        throw .corrupt(
          found: "\(group.rowCount) rows in row group \(index + 1)",
          expected: "at most \(Self.maximumRows) rows", part: "footer")
      }
      rows += group.rowCount
    }
  }

  private func check(_ group: RowGroupMetadata) throws(ColumnarError) {
    guard group.rowCount >= 0, group.chunks.count == columns.leaves.count else {
      throw .corrupt(
        found: "\(group.chunks.count) columns and \(group.rowCount) rows",
        expected: "\(columns.leaves.count) columns")
    }
    for (leaf, chunk) in zip(columns.leaves, group.chunks) {
      guard !chunk.isEncrypted, !chunk.isInOtherFile else {
        throw .unsupported("\(leaf.description) is encrypted or in another file")
      }
      guard chunk.type == leaf.type.rawValue, chunk.valueCount >= 0,
        leaf.maximumRepetition > 0 || chunk.valueCount == group.rowCount
      else {
        throw .corrupt(
          found: "\(chunk.valueCount) values of type \(chunk.type)",
          expected: "\(group.rowCount) values of type \(leaf.type.rawValue)",
          part: leaf.description)
      }
      // Without values there are no pages, and the offsets have no meaning.
      guard chunk.valueCount > 0 else { continue }
      guard chunk.start >= 4, chunk.start < footer, chunk.compressedBytes >= 0,
        chunk.compressedBytes <= footer - chunk.start
      else {
        throw .corrupt(
          found: "\(chunk.compressedBytes) bytes at \(chunk.start)",
          expected: "a part of the \(footer) bytes before the footer", part: leaf.description)
      }
    }
  }
}
