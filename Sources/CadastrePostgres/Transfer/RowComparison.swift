import CadastreModel
import CadastreStore
import Foundation

/// The differences between a store and a table, by the side that has changed a row since the last copy.
struct RowComparison: Sendable {
  /// A row that differs between both sides.
  struct Difference: Hashable, Sendable {
    /// The key in the database; nil for a row that the database never had.
    let remote: Int64?
    /// The key in the store; nil if the store lacks the row.
    let local: Int64?
    /// Whether the database has the row.
    let isRemote: Bool
    /// Whether both sides had the row after the last copy.
    let isRecorded: Bool
  }

  /// The rows that only the store has changed.
  private(set) var local: [Difference] = []
  /// The rows that only the database has changed.
  private(set) var remote: [Difference] = []
  /// The rows that both sides have changed, or an unknown side.
  private(set) var both: [Difference] = []

  /// All rows that differ.
  var all: [Difference] { local + remote + both }

  /// Compares the rows of both sides with those of the last copy.
  ///
  /// - Parameters:
  ///   - base: The rows of the last copy.
  ///   - remoteRows: The rows of the database.
  ///   - localRows: The rows of the store, ordered by their keys in the database.
  /// - Complexity: O(n).
  init(base: CopiedRows, remote remoteRows: RowHashes, local localRows: [LocalRow]) {
    var (b, r, l) = (0, 0, 0)
    while b < base.rows.count || r < remoteRows.count || l < localRows.count {
      let key = min(
        b < base.rows.count ? base.rows[b].remote : .max,
        r < remoteRows.count ? remoteRows.keys[r] : .max,
        l < localRows.count ? localRows[l].remote : .max)
      var recorded: CopiedRows.Row?
      var remoteHash: UInt64?
      var row: LocalRow?
      if b < base.rows.count, base.rows[b].remote == key {
        recorded = base.rows[b]
        b += 1
      }
      if r < remoteRows.count, remoteRows.keys[r] == key {
        remoteHash = remoteRows.hashes[r]
        r += 1
      }
      if l < localRows.count, localRows[l].remote == key {
        row = localRows[l]
        l += 1
      }
      guard remoteHash != row?.hash else { continue }
      let difference = Difference(
        remote: key > 0 ? key : nil, local: row?.local, isRemote: remoteHash != nil,
        isRecorded: recorded != nil)
      switch (remoteHash == recorded?.remoteHash, row?.hash == recorded?.localHash) {
      // The row has the hashes of the last copy on both sides.
      case (true, true): continue
      case (true, false): local.append(difference)
      case (false, true): remote.append(difference)
      case (false, false): both.append(difference)
      }
    }
  }
}

/// The clause of a message that names the rows that a copy would overwrite.
struct CopyRefusal {
  /// The side whose rows would be overwritten.
  enum Side {
    case remote
    case local
  }

  /// The number of named rows.
  private static let named = 3

  /// Describes rows that one side has changed, by their primary keys or row keys.
  ///
  /// - Parameters:
  ///   - rows: The rows.
  ///   - side: The side.
  ///   - table: The table.
  ///   - snapshot: The store.
  ///   - connection: The connection.
  /// - Returns: A clause such as "2 rows were inserted ('A', 'B'), 1 row was deleted (7)"; nil for no rows.
  /// - Throws: ``PostgresError`` or `StoreError`.
  static func clause(
    _ rows: [RowComparison.Difference], changedBy side: Side, _ table: PostgresTable,
    _ snapshot: Snapshot, _ connection: PostgresConnection
  ) async throws -> String? {
    func verb(_ row: RowComparison.Difference) -> String {
      let isThere = side == .remote ? row.isRemote : row.local != nil
      let isElsewhere = row.isRecorded || (side == .remote ? row.local != nil : row.isRemote)
      return !isThere ? "deleted" : isElsewhere ? "changed" : "inserted"
    }
    var clauses: [String] = []
    for kind in ["inserted", "changed", "deleted"] {
      let found = rows.filter { verb($0) == kind }
      guard !found.isEmpty else { continue }
      var names: [String] = []
      for row in found.prefix(named) {
        names.append(try await name(row, side, table, snapshot, connection))
      }
      if found.count > named { names.append("…") }
      let count = found.count == 1 ? "1 row was" : "\(found.count) rows were"
      clauses.append("\(count) \(kind) (\(names.joined(separator: ", ")))")
    }
    return clauses.isEmpty ? nil : clauses.joined(separator: ", ")
  }

  /// Returns the primary key of a row; the row key in a class without a primary key.
  private static func name(
    _ row: RowComparison.Difference, _ side: Side, _ table: PostgresTable, _ snapshot: Snapshot,
    _ connection: PostgresConnection
  ) async throws -> String {
    let key = table.schema.primaryKeyProperty
    let layout = snapshot.catalogue.layout(table.schema.className)
    if let key, let local = row.local, let layout, let column = layout.column(of: key),
      let values = try snapshot.row(layout, ObjectKey(local))
    {
      return text(values[column])
    }
    guard let remote = row.remote else { return row.local.map { "\($0)" } ?? "?" }
    if let key, row.isRemote {
      let found = try await connection.run(table.primaryKeys(key.columnName, of: [remote]))
      if found.rowCount == 1, let value = Value(try found.value(0, 1), key.type) {
        return text(value)
      }
    }
    return "\(ColumnNaming.key) \(remote)"
  }

  /// Returns the text of a primary key for messages.
  static func text(_ value: Value) -> String {
    switch value {
    case .string(let text): "'\(text)'"
    case .int(let number): "\(number)"
    case .uuid(let uuid): uuid.uuidString
    case .objectId(let id): id.stringValue
    default: "null"
    }
  }
}
