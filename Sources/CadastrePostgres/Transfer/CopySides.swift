import CadastreModel
import CadastreStore

/// The rows of classes in a store and in a database before a copy between both.
struct CopySides: Sendable {
  /// The rows of a class.
  struct Side: Sendable {
    /// The table of the database.
    let table: PostgresTable
    /// The rows of the last copy.
    let base: CopiedRows
    /// The rows of the database.
    let remote: RowHashes
    /// The rows of the store, ordered by their keys in the database.
    var local: [LocalRow] = []
    /// The differences between both sides.
    var comparison = RowComparison(base: .unrecorded, remote: RowHashes(), local: [])
  }

  /// The classes, by their names.
  private(set) var sides: [String: Side] = [:]
  /// The maps from keys of the store to keys of the database, by class.
  ///
  /// Classes without a map have equal keys on both sides.
  private(set) var keys: [String: KeyMap] = [:]

  /// The keys in the database of objects that only the store has.
  enum NewKeys {
    /// Unused keys, for the insertion of rows.
    case new
    /// No keys, because the objects are not copied.
    case none
  }

  /// Reads and compares the rows of classes.
  ///
  /// - Parameters:
  ///   - names: The names of the classes; classes without a table are skipped.
  ///   - missing: The names of classes without a table, whose rows get the keys of the store.
  ///   - classes: The classes of the database.
  ///   - snapshot: The version of the store.
  ///   - newKeys: The keys of objects that only the store has.
  ///   - connection: The connection, in a transaction with a snapshot or locks.
  /// - Returns: The rows.
  /// - Throws: ``PostgresError``, ``PostgresMappingError`` or `StoreError`.
  /// - Complexity: O(n); 64 bytes of memory for each row.
  static func read(
    _ names: [String], missing: [String] = [], of classes: RemoteClasses, _ snapshot: Snapshot,
    _ newKeys: NewKeys, _ connection: PostgresConnection
  ) async throws -> CopySides {
    var sides = CopySides()
    let targets = names.flatMap { name in
      classes.tables[name]?.linkColumns.map(\.target) ?? []
    }
    for table in classes.tables.values where !missing.contains(table.schema.className) {
      let name = table.schema.className
      guard names.contains(name) || targets.contains(name) else { continue }
      let record = try snapshot.copyRecord(name, classes.recordName(of: name))
      let base = CopiedRows(record, form: table.form)
      if names.contains(name) {
        let remote = try await RowHashes.read(table.copyOut, of: table, connection)
        sides.sides[name] = Side(table: table, base: base, remote: remote)
        let sent = CopiedRows(
          try snapshot.copyRecord(name, classes.sentRecordName(of: name)), form: table.form)
        sides.keys[name] = try await keys(
          table, base, remote.keys, sent.rows.filter { remote[$0.remote] == $0.remoteHash },
          snapshot, newKeys, connection)
      } else {
        // Only the keys of link targets outside of the copy are needed.
        let remote = try await connection.run(table.allKeys).integers(0)
        sides.keys[name] = try await keys(table, base, remote, [], snapshot, .none, connection)
      }
    }
    for (name, side) in sides.sides {
      let local = try local(side, sides.keys, snapshot)
      sides.sides[name]?.local = local
      sides.sides[name]?.comparison = RowComparison(
        base: side.base, remote: side.remote, local: local)
    }
    return sides
  }

  /// Returns the rows of a store, ordered by their keys in the database; none for a missing class.
  private static func local(
    _ side: Side, _ keys: [String: KeyMap], _ snapshot: Snapshot
  ) throws -> [LocalRow] {
    let name = side.table.schema.className
    guard let layout = snapshot.catalogue.layout(name) else { return [] }
    guard try side.table.hasForm(of: layout, in: snapshot.catalogue.schema) else {
      return side.base.unchanged(keys[name] ?? .identity)
    }
    return try StoreRows(side.table, layout, snapshot, keys: keys).hashes()
  }

  // MARK: Keys

  /// Matches objects of the store with rows of the database, by the record of the last copy and by primary keys.
  ///
  /// - Parameters:
  ///   - table: The table.
  ///   - base: The rows of the last copy.
  ///   - remote: The keys of the rows of the database.
  ///   - sent: The new rows of a committed push that the store may not have recorded.
  ///   - snapshot: The version of the store.
  ///   - newKeys: Which keys objects get that only the store has.
  ///   - connection: The connection.
  /// - Returns: The map from keys of the store to keys of the database.
  /// - Throws: ``PostgresError``, ``PostgresMappingError`` or `StoreError`.
  private static func keys(
    _ table: PostgresTable, _ base: CopiedRows, _ remote: [Int64], _ sent: [CopiedRows.Row],
    _ snapshot: Snapshot, _ newKeys: NewKeys, _ connection: PostgresConnection
  ) async throws -> KeyMap {
    guard let layout = snapshot.catalogue.layout(table.schema.className) else {
      return .empty
    }
    let recorded = KeyMap(base.rows.lazy.map { ($0.local, $0.remote) })
    var pairs: [(Int64, Int64)] = []
    var rest: [Int64] = []
    var last = ObjectKey(0)
    while case let batch = try snapshot.keys(layout, after: last, limit: 1 << 16),
      let end = batch.last
    {
      for key in batch {
        if let other = recorded[key.rawValue] {
          pairs.append((key.rawValue, other))
        } else {
          rest.append(key.rawValue)
        }
      }
      last = end
    }
    // A row without a recorded object may belong to an object that was deleted and created again.
    let others = difference(remote, pairs.map(\.1).sorted())
    let found =
      base.hasRecord && table.schema.primaryKeyProperty == nil
      ? matches(rest, others, sent)
      : try await matches(rest, others, table, layout, snapshot, connection)
    pairs += found.map { ($0.key, $0.value) }
    guard case .new = newKeys else { return KeyMap(pairs) }
    var greatest = max(remote.last ?? 0, base.rows.last?.remote ?? 0)
    for key in rest where found[key] == nil {
      guard greatest < .max else {
        throw PostgresMappingError(
          subject: "class '\(table.schema.className)'",
          reason:
            "a row of the database has the greatest \(ColumnNaming.key), \(Int64.max), so that no new row gets "
            + "one; give it another key")
      }
      greatest = max(key, greatest + 1)
      pairs.append((key, greatest))
    }
    return KeyMap(pairs)
  }

  /// Returns the keys of the first array that the second array lacks; both ascend.
  private static func difference(_ keys: [Int64], _ others: [Int64]) -> [Int64] {
    var rest = others[...]
    return keys.filter { key in
      while let first = rest.first, first < key { rest.removeFirst() }
      return rest.first != key
    }
  }

  /// Returns the keys of rows that a push has sent without a record, by the keys of their objects.
  private static func matches(
    _ local: [Int64], _ remote: [Int64], _ sent: [CopiedRows.Row]
  ) -> [Int64: Int64] {
    let (local, remote) = (Set(local), Set(remote))
    let found = sent.filter { local.contains($0.local) && remote.contains($0.remote) }
    return Dictionary(uniqueKeysWithValues: found.map { ($0.local, $0.remote) })
  }

  /// Returns the keys of rows of the database by the keys of objects of the store with equal primary keys.
  private static func matches(
    _ local: [Int64], _ remote: [Int64], _ table: PostgresTable, _ layout: TableLayout,
    _ snapshot: Snapshot, _ connection: PostgresConnection
  ) async throws -> [Int64: Int64] {
    guard !local.isEmpty, !remote.isEmpty else { return [:] }
    guard let field = table.fields.first(where: \.property.isPrimaryKey),
      let column = layout.column(of: field.property)
    else {
      // Without a primary key and a record, equal keys identify the same object.
      let both = Set(local).subtracting(difference(local, remote))
      return Dictionary(uniqueKeysWithValues: both.map { ($0, $0) })
    }
    var keys: [[UInt8]: Int64] = [:]
    let values = try await connection.run(
      table.primaryKeys(field.property.columnName, of: remote))
    for row in 0..<values.rowCount {
      keys[try values.value(row, 1).fieldBytes] = try values.integer(row, 0)
    }
    var found: [Int64: Int64] = [:]
    for key in local {
      guard let row = try snapshot.row(layout, ObjectKey(key)) else { continue }
      found[key] = keys[PostgresValue(row[column]).fieldBytes]
    }
    return found
  }
}
