/// A batch of consecutive records as they were read.
///
/// Its memory is used again, because a record keeps the memory of its longest text.
struct ReadBatch<Record: PositionedRecord> {
  /// The maximum number of rows.
  private static var mostRows: Int { 128 }
  /// The number of bytes from which on a batch is full.
  private static var mostBytes: Int { 1 << 20 }
  /// The maximum number of bytes of a record whose memory is used again.
  private static var mostKeptBytes: Int { 4096 }

  /// The records, followed by unused ones.
  private var storage: [Record] = []
  /// The number of valid records.
  private var count = 0
  /// The number of rows, with those that are no valid records.
  private(set) var rows = 0
  /// The number of bytes of the file that have been read.
  private(set) var bytes = 0
  /// The size of the file; nil if it is unknown.
  private(set) var totalBytes: Int?

  /// Calls a closure with each valid record.
  func forEach(_ body: (Record) -> Void) {
    // Iterating the array would copy each record.
    for index in 0..<count { body(storage[index]) }
  }

  /// Reads records.
  ///
  /// - Parameters:
  ///   - reader: The reader.
  ///   - maximum: The maximum number of rows.
  /// - Returns: Whether the file may have more records.
  /// - Throws: ``DatasetError`` of a scope other than `.row`; the batch contains the records before.
  mutating func fill<Reader: RecordReader>(
    from reader: Reader, atMost maximum: Int
  ) throws(DatasetError) -> Bool where Reader.Record == Record {
    (count, rows) = (0, 0)
    var size = 0
    defer { (bytes, totalBytes) = (reader.progressBytes, reader.totalBytes) }
    while rows < min(maximum, Self.mostRows), size < Self.mostBytes {
      if count == storage.count { storage.append(Record()) }
      do throws(DatasetError) {
        guard try reader.next(&storage[count]) else { return false }
        size += storage[count].byteCount
        count += 1
      } catch {
        guard error.scope == .row else { throw error }
      }
      rows += 1
    }
    return true
  }

  /// Releases the memory of long records.
  mutating func releaseLongRecords() {
    for index in 0..<count where storage[index].byteCount > Self.mostKeptBytes {
      storage[index] = Record()
    }
  }
}
