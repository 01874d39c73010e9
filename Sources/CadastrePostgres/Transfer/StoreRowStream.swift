import CadastreModel
import CadastreStore

/// The rows of a class of a store as values of the table's columns, in order of their keys.
// Safe because one batch is read at a time, and the task that made the reader waits for the last.
final class StoreRows: @unchecked Sendable {
  private let table: PostgresTable
  private let layout: TableLayout
  private let snapshot: Snapshot
  private var next: Int64 = 1

  /// The number of rows that are read at once.
  private static let batch = 1024

  init(_ table: PostgresTable, _ layout: TableLayout, _ snapshot: Snapshot) {
    self.table = table
    self.layout = layout
    self.snapshot = snapshot
  }

  /// Returns the next rows; none at the end.
  ///
  /// - Throws: `StoreError`, or ``PostgresMappingError`` for a value that PostgreSQL cannot hold.
  func batch() throws -> [[PostgresValue]] {
    let rows = try snapshot.rows(layout, from: ObjectKey(next), limit: Self.batch)
    var batch: [[PostgresValue]] = []
    batch.reserveCapacity(rows.count)
    for (key, row) in rows.sorted(by: { $0.key < $1.key }) {
      let owner = ObjectKey(key)
      batch.append(
        try table.encoded(row, layout, key: owner) { collection in
          let reader = CollectionReader(collection, snapshot)
          return collection.kind == .map
            ? try reader.entries(owner).map { ($0.key, $0.value) }
            : try reader.values(owner).map { ("", $0) }
        })
      next = key + 1
    }
    return batch
  }
}

/// A stream for `COPY`, with the number and the hash of the rows that were sent.
struct CountedStream {
  private var stream = CopyStream()
  private var hashed = CopyStream.headerLength
  /// The number of rows that were appended.
  private(set) var count = 0
  /// The hash of the rows that were taken.
  private(set) var hash = StreamHash()

  /// The number of bytes that were not taken yet.
  var pendingBytes: Int { stream.bytes.count }

  /// Appends a row.
  mutating func append(_ row: [PostgresValue]) {
    stream.append(row)
    count += 1
  }

  /// Returns the bytes so far and removes them.
  mutating func take() -> [UInt8] {
    hash.combine(stream.bytes[hashed...])
    hashed = 0
    return stream.take()
  }

  /// Returns the last bytes and the end of the stream.
  mutating func finish() -> [UInt8] {
    let rows = take()
    stream.finish()
    return rows + stream.take()
  }
}

/// The rows of a class of a store as a stream for `COPY`.
// Safe because one chunk is made at a time, and the task that made the stream waits for the last.
final class StoreRowStream: @unchecked Sendable {
  private let rows: StoreRows
  private let progress: (Int) -> Void
  private var stream = CountedStream()
  private var isAtEnd = false

  /// The number of rows that were sent.
  var count: Int { stream.count }
  /// The hash of the rows that were sent.
  var hash: StreamHash { stream.hash }

  init(_ rows: StoreRows, progress: @escaping (Int) -> Void) {
    self.rows = rows
    self.progress = progress
  }

  /// Returns the next bytes; nil after the end of the stream.
  ///
  /// - Throws: `StoreError`, or ``PostgresMappingError`` for a value that PostgreSQL cannot hold.
  func bytes() throws -> [UInt8]? {
    guard !isAtEnd else { return nil }
    let batch = try rows.batch()
    for row in batch { stream.append(row) }
    progress(count)
    isAtEnd = batch.isEmpty
    return isAtEnd ? stream.finish() : stream.take()
  }
}

/// A hash of bytes that does not depend on how they are divided (FNV-1a, 64 bits).
struct StreamHash: Hashable, Sendable {
  private var state: UInt64 = 0xCBF2_9CE4_8422_2325

  /// The hash in hexadecimal digits.
  var text: String { String(state, radix: 16) }

  /// Adds bytes.
  mutating func combine(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
  }
}
