import CadastreModel
import CadastreStore
import Dispatch

/// A reader of the rows of a class of a store as values of the table's columns, in order of their keys in the store.
// Safe because one batch is read at a time, and the task that created the reader awaits the last batch.
final class StoreRows: @unchecked Sendable {
  private let table: PostgresTable
  private let layout: TableLayout
  private let reader: any StoreReader
  private let keys: [String: KeyMap]
  private let links: [(column: Int, target: String)]
  /// The keys of the rows to read, ascending; nil for all rows.
  private var wanted: ArraySlice<Int64>?
  private var next: Int64 = 1
  private let isSent: Bool

  /// The number of rows of a batch.
  private static let batch = 1024

  /// Creates a reader.
  ///
  /// - Parameters:
  ///   - table: The table.
  ///   - layout: The layout of the class in the store.
  ///   - reader: The version of the store.
  ///   - keys: The maps from keys of the store to keys of the database, by class; classes without a map have equal
  ///     keys on both sides. A key without a counterpart becomes negative.
  ///   - wanted: The keys of the rows to read, ascending; nil for all rows.
  ///   - isSent: Whether the rows are sent, so that the targets of links must have keys in the database.
  init(
    _ table: PostgresTable, _ layout: TableLayout, _ reader: any StoreReader,
    keys: [String: KeyMap] = [:], only wanted: [Int64]? = nil, isSent: Bool = false
  ) {
    self.table = table
    self.layout = layout
    self.reader = reader
    self.keys = keys
    self.wanted = wanted?[...]
    self.isSent = isSent
    links = table.linkColumns.filter { keys[$0.target] != nil }
  }

  /// Returns the next rows; none at the end.
  ///
  /// - Throws: `StoreError`, or ``PostgresMappingError`` for a value that PostgreSQL cannot represent.
  func batch() throws -> [[PostgresValue]] { try numberedBatch().map(\.values) }

  /// Returns the next rows with their keys in the store; none at the end.
  ///
  /// - Throws: `StoreError`, or ``PostgresMappingError`` for a value that PostgreSQL cannot represent.
  func numberedBatch() throws -> [(key: Int64, values: [PostgresValue])] {
    if let wanted {
      guard let first = wanted.first else { return [] }
      next = max(next, first)
    }
    let rows = try reader.rows(layout, from: ObjectKey(next), limit: Self.batch)
    var batch: [(key: Int64, values: [PostgresValue])] = []
    batch.reserveCapacity(rows.count)
    for (key, row) in rows.sorted(by: { $0.key < $1.key }) {
      next = key + 1
      if !isWanted(key) { continue }
      let owner = ObjectKey(key)
      let values = try table.encoded(row, layout, key: owner) { collection in
        let elements = CollectionReader(collection, reader)
        return collection.kind == .map
          ? try elements.entries(owner).map { ($0.key, $0.value) }
          : try elements.values(owner).map { ("", $0) }
      }
      batch.append((key, try translated(values)))
    }
    return batch
  }

  /// Returns whether to read a row; the keys of successive calls ascend.
  private func isWanted(_ key: Int64) -> Bool {
    guard wanted != nil else { return true }
    while let first = wanted?.first, first < key { wanted?.removeFirst() }
    guard wanted?.first == key else { return false }
    wanted?.removeFirst()
    return true
  }

  /// Returns the row with the keys of the database.
  private func translated(
    _ values: [PostgresValue]
  ) throws(PostgresMappingError) -> [PostgresValue] {
    let row = values[0]
    var values = values
    if let own = keys[table.schema.className] { values[0] = Self.translated(values[0], own) }
    for link in links {
      guard let map = keys[link.target] else { continue }
      if case .array(let type, let elements) = values[link.column] {
        values[link.column] = .array(type, elements.map { Self.translated($0, map) })
      } else {
        values[link.column] = Self.translated(values[link.column], map)
      }
      if isSent { try requireTargets(of: values[link.column], link, row) }
    }
    return values
  }

  private func requireTargets(
    of value: PostgresValue, _ link: (column: Int, target: String), _ row: PostgresValue
  ) throws(PostgresMappingError) {
    let elements = if case .array(_, let elements) = value { elements } else { [value] }
    for case .int8(let key) in elements where key < 0 {
      guard case .int8(let owner) = row else { continue }
      throw PostgresMappingError(
        subject:
          "row \(owner) of class '\(table.schema.className)', column '\(table.columns[link.column].name)'",
        reason:
          "it links to object \(-key) of class '\(link.target)', which the database does not have; "
          + "push that class too")
    }
  }

  private static func translated(_ value: PostgresValue, _ map: KeyMap) -> PostgresValue {
    guard case .int8(let key) = value else { return value }
    return .int8(map[key] ?? -key)
  }
}

extension StoreRows {
  /// Reads the hashes of the rows, ordered by their keys in the database.
  ///
  /// - Throws: `StoreError`, or ``PostgresMappingError`` for a value that PostgreSQL cannot represent.
  func hashes() throws -> [LocalRow] {
    var rows: [LocalRow] = []
    var stream = CopyStream()
    _ = stream.take()
    while case let batch = try numberedBatch(), !batch.isEmpty {
      for (key, values) in batch {
        guard case .int8(let remote) = values[0] else { continue }
        stream.append(values)
        var hash = StreamHash()
        hash.combine(stream.take())
        rows.append(LocalRow(local: key, remote: remote, hash: hash.value))
      }
    }
    return rows.sorted { $0.remote < $1.remote }
  }
}

/// A stream for `COPY` that records the hashes of its rows.
struct CountedStream {
  private var stream = CopyStream()
  /// The hashes of the appended rows.
  private(set) var rows = RowHashes()

  /// The number of appended rows.
  var count: Int { rows.count }

  /// The number of bytes since the last ``take()``.
  var pendingBytes: Int { stream.bytes.count }

  /// Appends a row.
  mutating func append(_ row: [PostgresValue]) {
    let start = stream.bytes.count
    stream.append(row)
    var hash = StreamHash()
    hash.combine(stream.bytes[start...])
    if case .int8(let key) = row[0] { rows.append(key, hash.value) }
  }

  /// Returns and removes the bytes since the last call.
  mutating func take() -> [UInt8] { stream.take() }

  /// Returns the last bytes and the end of the stream.
  mutating func finish() -> [UInt8] {
    stream.finish()
    return stream.take()
  }
}

/// A stream of the rows of a class of a store for `COPY`.
// Safe because one chunk is encoded at a time, and the task that created the stream awaits the last chunk.
final class StoreRowStream: @unchecked Sendable {
  private let rows: StoreRows
  private let progress: (Int) -> Void
  private var stream = CountedStream()
  private var isAtEnd = false

  /// The hashes of the sent rows.
  var sent: RowHashes { stream.rows }

  init(_ rows: StoreRows, progress: @escaping (Int) -> Void) {
    self.rows = rows
    self.progress = progress
  }

  /// Returns the next bytes; nil after the end of the stream.
  ///
  /// - Throws: `StoreError`, or ``PostgresMappingError`` for a value that PostgreSQL cannot represent.
  func bytes() throws -> [UInt8]? {
    guard !isAtEnd else { return nil }
    let batch = try rows.batch()
    for row in batch { stream.append(row) }
    progress(stream.count)
    isAtEnd = batch.isEmpty
    return isAtEnd ? stream.finish() : stream.take()
  }
}

/// The 64-bit FNV-1a hash of a stream of bytes.
struct StreamHash: Hashable, Sendable {
  private var state: UInt64 = 0xCBF2_9CE4_8422_2325

  /// The hash of the added bytes.
  var value: UInt64 { state }
  /// The hash in hexadecimal digits.
  var text: String { String(state, radix: 16) }

  /// Adds bytes.
  mutating func combine(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
  }
}

/// A read-ahead of chunks of bytes: another thread encodes a chunk while the previous one is sent.
// Safe because one connection takes the chunks, and the group synchronises the threads.
final class PreparedChunks: @unchecked Sendable {
  private let queue = DispatchQueue(label: "cadastre.chunks")
  private let group = DispatchGroup()
  private let make: () throws -> [UInt8]?
  private var prepared: Result<[UInt8]?, any Error> = .success(nil)

  /// Begins to encode the first chunk.
  ///
  /// - Parameter make: Returns the next chunk; nil at the end.
  init(_ make: @escaping () throws -> [UInt8]?) {
    self.make = make
    prepare()
  }

  /// Waits for the end of the encoding thread.
  func finish() { group.wait() }

  /// Returns the next chunk; nil at the end.
  func next() throws -> [UInt8]? {
    group.wait()
    guard let chunk = try prepared.get() else { return nil }
    prepare()
    return chunk
  }

  private func prepare() {
    queue.async(group: group) { self.prepared = Result { try self.make() } }
  }
}
