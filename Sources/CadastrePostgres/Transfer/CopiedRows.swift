import CadastreModel
import Foundation

/// The hashes of rows, in ascending order of their keys.
struct RowHashes: Hashable, Sendable {
  private(set) var keys: [Int64] = []
  private(set) var hashes: [UInt64] = []

  var count: Int { keys.count }

  /// Returns the hash of a row; nil for a missing row.
  subscript(key: Int64) -> UInt64? {
    let index = keys.firstIndex(notBefore: key)
    return index < keys.count && keys[index] == key ? hashes[index] : nil
  }

  /// Appends a row, whose key is greater than all others.
  mutating func append(_ key: Int64, _ hash: UInt64) {
    keys.append(key)
    hashes.append(hash)
  }

  /// Merges the rows of several parts.
  init(merging parts: [RowHashes] = []) {
    let rows = parts.flatMap { zip($0.keys, $0.hashes) }
    for (key, hash) in rows.sorted(by: { $0.0 < $1.0 }) { append(key, hash) }
  }

  /// Reads and hashes rows of a table.
  ///
  /// - Parameters:
  ///   - copy: The statement that copies the rows in the binary format, in ascending order of their keys; the key is
  ///     the first field.
  ///   - table: The table.
  ///   - connection: The connection.
  /// - Returns: The rows.
  /// - Throws: ``PostgresError``, or ``PostgresMappingError`` for a key below 1.
  static func read(
    _ copy: String, of table: PostgresTable, _ connection: PostgresConnection
  ) async throws -> RowHashes {
    let reader = Reader(className: table.schema.className)
    try await connection.copyOut(copy) { try reader.add($0) }
    return reader.rows
  }

  /// A reader of a stream of `COPY`.
  // Safe because only the connection that copies uses it.
  private final class Reader: @unchecked Sendable {
    private(set) var rows = RowHashes()
    private var isFirst = true
    private let className: String

    init(className: String) { self.className = className }

    func add(_ bytes: [UInt8]) throws {
      // The server sends the header with the first row, and each row and the end as one chunk.
      let row = isFirst ? bytes.dropFirst(CopyStream.headerLength) : bytes[...]
      isFirst = false
      guard row.count > 2 else { return }
      // The number of the fields and the length of the key precede the key.
      let key = row.dropFirst(6).prefix(8)
      guard key.count == 8 else {
        throw PostgresError(.unexpectedValue, "reading rows", "a row has no key")
      }
      let number = Int64(bitPattern: key.reduce(0) { $0 << 8 | UInt64($1) })
      guard number > 0 else {
        throw PostgresMappingError(
          subject: "class '\(className)'",
          reason:
            "a row of the database has \(number) as \(ColumnNaming.key), and keys are greater than 0; give it "
            + "another key, or none when it is inserted")
      }
      var hash = StreamHash()
      hash.combine(row)
      rows.append(number, hash.value)
    }
  }
}

/// The rows that a store and a table of a database shared after the last push or pull between them.
///
/// The store records these rows, so that the next copy detects which side has changed a row.
struct CopiedRows: Sendable {
  /// A row.
  struct Row: Hashable, Sendable {
    /// The key in the database.
    let remote: Int64
    /// The key in the store.
    let local: Int64
    /// The hash of the row of the database.
    let remoteHash: UInt64
    /// The hash of the row of the store in the form of the table.
    let localHash: UInt64
  }

  /// The rows, in order of their keys in the database.
  let rows: [Row]
  /// Whether the store has a record of an earlier copy.
  let hasRecord: Bool

  /// The rows without a record of an earlier copy.
  static let unrecorded = CopiedRows(rows: [], hasRecord: false)

  /// Creates the record of sent rows, ordered by their keys in the database.
  init(sent rows: [LocalRow]) {
    self.init(
      rows: rows.map {
        Row(remote: $0.remote, local: $0.local, remoteHash: $0.hash, localHash: $0.hash)
      }, hasRecord: true)
  }

  private init(rows: [Row], hasRecord: Bool) { (self.rows, self.hasRecord) = (rows, hasRecord) }

  /// Pairs the rows of both sides after a copy.
  ///
  /// - Parameters:
  ///   - remote: The rows of the database.
  ///   - local: The rows of the store, ordered by their keys in the database; rows without a counterpart are skipped.
  ///   - kept: The rows of an earlier copy that the store has changed since, by their keys in the database.
  init(_ remote: RowHashes, _ local: [LocalRow], keeping kept: [Int64: Row] = [:]) {
    var rows: [Row] = []
    var next = 0
    for (key, hash) in zip(remote.keys, remote.hashes) {
      while next < local.count, local[next].remote < key { next += 1 }
      if let row = kept[key] {
        rows.append(row)
      } else if next < local.count, local[next].remote == key {
        let row = local[next]
        rows.append(Row(remote: key, local: row.local, remoteHash: hash, localHash: row.hash))
      }
    }
    self.init(rows: rows, hasRecord: true)
  }

  /// Decodes the record of a table.
  ///
  /// - Parameters:
  ///   - data: The record; nil if there is none.
  ///   - form: The form of the table; a record of another form is unusable.
  init(_ data: Data?, form: UInt64) {
    var reader = BinaryReader(Array(data ?? Data())[...])
    guard reader.integer(UInt64.self) == Self.version, reader.integer(UInt64.self) == form,
      let hasKeys = reader.integer(UInt8.self), let hasHashes = reader.integer(UInt8.self)
    else {
      self = .unrecorded
      return
    }
    var rows: [Row] = []
    while !reader.isAtEnd {
      guard let remote = reader.integer(Int64.self), let hash = reader.integer(UInt64.self),
        let local = hasKeys == 1 ? reader.integer(Int64.self) : remote,
        let localHash = hasHashes == 1 ? reader.integer(UInt64.self) : hash
      else {
        self = .unrecorded
        return
      }
      rows.append(Row(remote: remote, local: local, remoteHash: hash, localHash: localHash))
    }
    self.init(rows: rows, hasRecord: true)
  }

  /// Encodes the record of a table; 16 bytes per row if keys and values of both sides are equal.
  func data(form: UInt64) -> Data {
    let hasKeys = rows.contains { $0.remote != $0.local }
    let hasHashes = rows.contains { $0.remoteHash != $0.localHash }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(18 + rows.count * (16 + (hasKeys ? 8 : 0) + (hasHashes ? 8 : 0)))
    bytes.appendBigEndian(Self.version)
    bytes.appendBigEndian(form)
    bytes.appendBigEndian(UInt8(hasKeys ? 1 : 0))
    bytes.appendBigEndian(UInt8(hasHashes ? 1 : 0))
    for row in rows {
      bytes.appendBigEndian(row.remote)
      bytes.appendBigEndian(row.remoteHash)
      if hasKeys { bytes.appendBigEndian(row.local) }
      if hasHashes { bytes.appendBigEndian(row.localHash) }
    }
    return Data(bytes)
  }

  /// Returns the recorded rows that the store still has, with their recorded hashes, for a class whose form has
  /// changed.
  func unchanged(_ keys: KeyMap) -> [LocalRow] {
    rows.filter { keys[$0.local] == $0.remote }.map {
      LocalRow(local: $0.local, remote: $0.remote, hash: $0.localHash)
    }
  }

  /// The version of the record's format.
  private static let version: UInt64 = 1
}

/// A row of a store.
struct LocalRow: Hashable, Sendable {
  /// The key in the store.
  let local: Int64
  /// The key in the database; negative for a row without a counterpart.
  let remote: Int64
  /// The hash of the values in the form of the table.
  let hash: UInt64
}

/// A map from keys of one side to keys of the other side.
struct KeyMap: Sendable {
  private let from: [Int64]
  private let to: [Int64]
  /// The range of keys that are equal on both sides; nil for a map of pairs.
  private let same: ClosedRange<Int64>?

  /// The map that returns each key.
  static let identity = KeyMap(from: [], to: [], same: .min ... .max)
  /// The map without keys.
  static let empty = KeyMap(from: [], to: [], same: nil)

  private init(from: [Int64], to: [Int64], same: ClosedRange<Int64>?) {
    (self.from, self.to, self.same) = (from, to, same)
  }

  /// Creates a map of pairs in any order.
  init(_ pairs: some Sequence<(Int64, Int64)>) {
    let sorted = pairs.sorted { $0.0 < $1.0 }
    self.init(from: sorted.map(\.0), to: sorted.map(\.1), same: nil)
  }

  /// Creates a map that returns the keys from 1 to a number.
  init(upTo count: Int64) { self.init(from: [], to: [], same: count > 0 ? 1...count : nil) }

  /// Returns the key on the other side; nil for an object without a counterpart.
  subscript(key: Int64) -> Int64? {
    if let same { return same.contains(key) ? key : nil }
    let index = from.firstIndex(notBefore: key)
    return index < from.count && from[index] == key ? to[index] : nil
  }

  /// The map in the other direction.
  var inverted: KeyMap { same == nil ? KeyMap(zip(to, from)) : self }
}

extension [Int64] {
  /// Returns the index of the first of ascending numbers that is greater than or equal to another one.
  fileprivate func firstIndex(notBefore number: Int64) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < number { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
