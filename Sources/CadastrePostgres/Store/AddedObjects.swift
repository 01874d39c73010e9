import Cadastre
import CadastreModel
import CadastreStore

/// The objects that one call of ``PostgresStore/add(_:update:)`` writes to a table.
struct AddedObjects: Sendable {
  let table: PostgresTable
  let classes: RemoteClasses
  let groups: [ColumnGroup]
  let objects: [AddedObject]

  private typealias RowKeys = [String: [Value: Int64]]

  /// The rows that one statement writes: insertions, or updates of the same columns.
  private struct Batch: Hashable {
    let isInsertion: Bool
    let columns: [Int]
  }

  /// The name of the temporary table into which rows are copied.
  private static let temporary = "\"cadastre_added\""

  /// Writes the objects in their order.
  ///
  /// - Parameters:
  ///   - connection: The connection, in a transaction.
  ///   - isUpdate: Whether an object updates the stored row with its primary key.
  /// - Throws: ``PostgresMappingError`` or ``PostgresError``.
  func write(_ connection: PostgresConnection, isUpdate: Bool) async throws {
    if isUpdate {
      // Prevents other transactions from adding or deleting rows after the keys were read.
      try await connection.run(
        SQLStatement("LOCK TABLE \(table.quotedName) IN SHARE ROW EXCLUSIVE MODE"))
    }
    try await TableCheck(classes.names, connection).requireChangeable(
      [table.schema.className], locks: !isUpdate)
    for round in isUpdate ? rounds : [objects] {
      try await write(round, connection, isUpdate: isUpdate)
    }
  }

  /// The objects in rounds with distinct primary keys; a later round updates rows of an earlier round.
  private var rounds: [[AddedObject]] {
    var rounds: [[AddedObject]] = []
    var keys: Set<Value> = []
    for object in objects {
      if let key = object.primaryKey, !rounds.isEmpty, keys.insert(key).inserted {
        rounds[rounds.count - 1].append(object)
      } else {
        rounds.append([object])
        keys = object.primaryKey.map { [$0] } ?? []
      }
    }
    return rounds
  }

  private func write(
    _ objects: [AddedObject], _ connection: PostgresConnection, isUpdate: Bool
  ) async throws {
    let className = table.schema.className
    let stored =
      isUpdate
      ? try await keys(of: table, Set(objects.compactMap(\.primaryKey)), connection) : [:]
    let isStored = objects.map { $0.primaryKey.flatMap { stored[$0] } != nil }
    var new = try await newKeys(isStored.count { !$0 }, connection)[...]
    let keys = objects.map { object in
      object.primaryKey.flatMap { stored[$0] } ?? new.popFirst() ?? 0
    }
    var batches: [Batch: [Int]] = [:]
    for (index, object) in objects.enumerated() {
      if !isStored[index], let path = object.unloaded.first {
        throw table.refused(path, "the database has the object no more; " + PostgresTable.notLoaded)
      }
      let batch = Batch(
        isInsertion: !isStored[index], columns: columns(of: object, isInsertion: !isStored[index]))
      if !batch.columns.isEmpty { batches[batch, default: []].append(index) }
    }
    var rowKeys: RowKeys = [:]
    for (object, key) in zip(objects, keys) {
      if let primaryKey = object.primaryKey { rowKeys[className, default: [:]][primaryKey] = key }
    }
    let written = batches.flatMap { batch, indexes in
      indexes.map { (objects[$0], batch.isInsertion) }
    }
    try await find(written, &rowKeys, connection)
    // Links may lead to rows that are inserted.
    let order = batches.sorted { first, second in
      first.key.isInsertion != second.key.isInsertion
        ? first.key.isInsertion : first.key.columns.lexicographicallyPrecedes(second.key.columns)
    }
    for (batch, indexes) in order {
      let rows = try indexes.map { index in
        try row(of: objects[index], keys[index], batch, rowKeys)
      }
      try await write(rows, batch, connection)
    }
  }

  /// Returns whether the value of a property is written.
  private func isWritten(_ path: String, of object: AddedObject, isInsertion: Bool) -> Bool {
    isInsertion || object.changed?.contains(path) ?? true
  }

  /// Returns the indexes of the columns that are written, ascending.
  private func columns(of object: AddedObject, isInsertion: Bool) -> [Int] {
    var columns: Set<Int> = []
    for group in groups where isWritten(group.path, of: object, isInsertion: isInsertion) {
      if isInsertion {
        // A collection that the class of the program lacks is empty; another column has its default.
        if group.isInModel || group.isCollection { columns.formUnion(group.columns) }
      } else if group.isInModel, !group.isPrimaryKey {
        columns.formUnion(group.columns)
        // Removing an embedded object also clears the columns that the class of the program lacks.
        if let embedded = group.embedded, !exists(group, in: object) {
          columns.formUnion(embedded)
        }
      }
    }
    return columns.sorted()
  }

  /// Returns whether an embedded object is set.
  private func exists(_ group: ColumnGroup, in object: AddedObject) -> Bool {
    var fields = (table.layout.schema, table.layout.fields)
    for name in group.path.split(separator: ".") {
      guard let index = fields.0.index(of: String(name)),
        case .embedded(let embedded) = fields.1[index],
        !object.row.values[embedded.presence].isNull
      else { return false }
      fields = (embedded.schema, embedded.fields)
    }
    return true
  }

  // MARK: Links

  /// Reads the keys of the rows that are targets of links.
  private func find(
    _ objects: [(object: AddedObject, isInsertion: Bool)], _ rowKeys: inout RowKeys,
    _ connection: PostgresConnection
  ) async throws {
    var wanted: [String: Set<Value>] = [:]
    for (object, isInsertion) in objects {
      for links in object.links
      where isWritten(links.path, of: object, isInsertion: isInsertion) {
        for case (_, let target?) in links.targets {
          guard let key = target.primaryKey, let other = classes.tables[target.className],
            other.schema.primaryKeyProperty != nil
          else {
            throw PostgresMappingError(
              subject: "link '\(links.path)' of class '\(table.schema.className)'",
              reason:
                "the class '\(target.className)' has no primary key by which its object is found")
          }
          if rowKeys[target.className]?[key] == nil {
            wanted[target.className, default: []].insert(key)
          }
        }
      }
    }
    for (className, keys) in wanted {
      guard let other = classes.tables[className] else { continue }
      rowKeys[className, default: [:]].merge(try await self.keys(of: other, keys, connection)) {
        first, _ in first
      }
    }
  }

  private func key(
    of target: AddedObject.Target, _ path: String, _ rowKeys: RowKeys
  ) throws(PostgresMappingError) -> Value {
    guard let key = target.primaryKey.flatMap({ rowKeys[target.className]?[$0] }) else {
      throw PostgresMappingError(
        subject: "link '\(path)' of class '\(table.schema.className)'",
        reason: "the database has no object of '\(target.className)' with this primary key; add "
          + "it first")
    }
    return .link(ObjectKey(key))
  }

  /// Returns the key of the row and the values of the written columns.
  private func row(
    of object: AddedObject, _ key: Int64, _ batch: Batch, _ rowKeys: RowKeys
  ) throws -> [PostgresValue] {
    var row = object.row
    for links in object.links
    where isWritten(links.path, of: object, isInsertion: batch.isInsertion) {
      let keys = try links.targets.map { entry in
        (key: entry.key, value: try entry.target.map { try self.key(of: $0, links.path, rowKeys) })
      }
      switch links.layout {
      case .link(let column): row.values[column] = keys.first?.value ?? .null
      case .collection(let collection) where collection.kind == .map:
        row.members.append(.map(collection, keys.map { ($0.key, .value($0.value ?? .null)) }))
      case .collection(let collection):
        row.members.append(.list(collection, keys.compactMap(\.value).map { .value($0) }))
      case .scalar, .embedded, .owned, .pointType, .pointCoordinates: continue
      }
    }
    let values = try table.encoded(row.values, table.layout, key: ObjectKey(key)) {
      PostgresTable.elements(of: row, $0)
    }
    return [.int8(key)] + batch.columns.map { values[$0] }
  }

  // MARK: Statements

  /// Returns the row keys by primary keys; primary keys without a row are missing.
  private func keys(
    of table: PostgresTable, _ primaryKeys: Set<Value>, _ connection: PostgresConnection
  ) async throws -> [Value: Int64] {
    guard !primaryKeys.isEmpty, let search = table.search(for: primaryKeys) else { return [:] }
    let result = try await connection.run(search.statement)
    var keys: [Value: Int64] = [:]
    for row in 0..<result.rowCount {
      guard let value = Value(try result.value(row, 1), search.type) else { continue }
      keys[value] = try result.integer(row, 0)
    }
    return keys
  }

  /// Takes the keys of new rows from the sequence of the table.
  private func newKeys(_ count: Int, _ connection: PostgresConnection) async throws -> [Int64] {
    var statement = SQLStatement("SELECT nextval(pg_get_serial_sequence(")
    statement.append(statement.parameter(.text(table.quotedName), .text) + ", ")
    statement.append(statement.parameter(.text(ColumnNaming.key), .text) + ")) ")
    statement.append(
      "FROM generate_series(1, \(statement.parameter(.int8(Int64(count)), .int8)))")
    return count == 0 ? [] : try await connection.run(statement).integers(0)
  }

  /// Inserts or updates the rows of a batch.
  private func write(
    _ rows: [[PostgresValue]], _ batch: Batch, _ connection: PostgresConnection
  ) async throws {
    let names = batch.columns.map { SQLStatement.quoted(table.columns[$0].name) }
    let key = SQLStatement.quoted(ColumnNaming.key)
    let list = ([key] + names).joined(separator: ", ")
    // The temporary table has the types of the columns without their constraints.
    try await connection.run(
      SQLStatement(
        "CREATE TEMPORARY TABLE \(Self.temporary) ON COMMIT DROP AS "
          + "SELECT \(list) FROM \(table.quotedName) WITH NO DATA"))
    var stream = CopyStream()
    for row in rows { stream.append(row) }
    stream.finish()
    let bytes = CopyBytes(stream.take())
    _ = try await connection.copyIn("COPY \(Self.temporary) (\(list)) FROM STDIN (FORMAT binary)") {
      bytes.take()
    }
    let assignments = names.map { "\($0) = s.\($0)" }.joined(separator: ", ")
    try await connection.run(
      SQLStatement(
        batch.isInsertion
          ? "INSERT INTO \(table.quotedName) (\(list)) SELECT \(list) FROM \(Self.temporary) "
            + "ORDER BY \(key)"
          : "UPDATE \(table.quotedName) t SET \(assignments) FROM \(Self.temporary) s "
            + "WHERE t.\(key) = s.\(key)"))
    try await connection.run(SQLStatement("DROP TABLE \(Self.temporary)"))
  }

  /// The bytes of a copy, which are sent at once.
  // Safe because only the connection that copies uses it.
  private final class CopyBytes: @unchecked Sendable {
    private var bytes: [UInt8]?

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func take() -> [UInt8]? {
      defer { bytes = nil }
      return bytes
    }
  }
}
