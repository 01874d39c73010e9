import CadastreModel
import CadastreStore

/// The rows of a class of a store as a stream for `COPY`, with a hash of what was sent.
// Safe because one chunk is made at a time, and the task that made the stream waits for the last.
final class StoreRowStream: @unchecked Sendable {
  private let table: PostgresTable
  private let layout: TableLayout
  private let snapshot: Snapshot
  private let progress: (Int) -> Void
  private var stream = CopyStream()
  private var next: Int64? = 1
  /// The number of rows that were sent.
  private(set) var count = 0
  /// The hash of the rows that were sent.
  private(set) var hash = StreamHash()

  /// The number of rows that are read at once.
  private static let batch = 1024

  init(
    _ table: PostgresTable, _ layout: TableLayout, _ snapshot: Snapshot,
    progress: @escaping (Int) -> Void
  ) {
    self.table = table
    self.layout = layout
    self.snapshot = snapshot
    self.progress = progress
  }

  /// Returns the next bytes; nil after the end of the stream.
  ///
  /// - Throws: `StoreError`, or ``PostgresMappingError`` for a value that PostgreSQL cannot hold.
  func bytes() throws -> [UInt8]? {
    guard let start = next else { return nil }
    let isFirst = count == 0 && start == 1
    let rows = try snapshot.rows(layout, from: ObjectKey(start), limit: Self.batch)
    let header = isFirst ? stream.bytes.count : 0
    for (key, row) in rows.sorted(by: { $0.key < $1.key }) {
      let owner = ObjectKey(key)
      stream.append(
        try table.encoded(row, layout, key: owner) { collection in
          let reader = CollectionReader(collection, snapshot)
          return collection.kind == .map
            ? try reader.entries(owner).map { ($0.key, $0.value) }
            : try reader.values(owner).map { ("", $0) }
        })
      next = key + 1
    }
    hash.combine(stream.bytes[header...])
    count += rows.count
    progress(count)
    if rows.isEmpty {
      next = nil
      stream.finish()
    }
    return stream.take()
  }
}

/// A hash of bytes that does not depend on how they are divided (FNV-1a, 64 bits).
struct StreamHash: Hashable, Sendable {
  private var state: UInt64 = 0xCBF2_9CE4_8422_2325

  /// Adds bytes.
  mutating func combine(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
  }
}
