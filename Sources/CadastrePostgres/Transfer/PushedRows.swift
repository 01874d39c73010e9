import CadastreModel
import CadastreStore

/// The writer of the rows of a push to the tables of their classes.
// Safe because the push awaits each call.
struct PushedRows: @unchecked Sendable {
  let snapshot: Snapshot
  /// The schemas of the database before the push.
  let schema: SchemaNames
  let layout: StorePush.Layout
  let servers: PartitionServers?
  /// Whether rows that other programs have changed are overwritten.
  let isReplacing: Bool
  let progress: (String, Int) -> Void

  /// Updates the rows of a table that differ from those of the store.
  func update(
    _ change: TableChange, _ side: CopySides.Side, _ keys: [String: KeyMap],
    _ connection: PostgresConnection
  ) async throws -> CopiedRows {
    let table = change.new
    var local = side.local
    var comparison = side.comparison
    let hasOtherForm = table.form != side.table.form
    if hasOtherForm {
      local = try storedRows(table, keys).hashes()
      comparison = RowComparison(
        base: .unrecorded, remote: try await RowHashes.read(table.copyOut, of: table, connection),
        local: local)
    }
    // Only a replacing push overwrites rows that other programs have changed.
    let differences =
      hasOtherForm || isReplacing ? comparison.all : comparison.local
    let update = TableUpdate(table, differences)
    let sent = Set(update.sentKeys)
    if !differences.isEmpty {
      let name = table.schema.className
      try await update.run(
        try storedRows(table, keys, only: update.sentKeys), connection
      ) { progress(name, $0) }
      let expected = local.filter { sent.contains($0.local) }.hashes
      try await require(expected, in: table, update.readBack, connection)
      for statement in table.sequence { try await connection.run(statement) }
    }
    return CopiedRows(
      hasOtherForm ? local.hashes : local.hashes(sent: sent, otherwise: side.remote), local)
  }

  private func storedRows(
    _ table: PostgresTable, _ keys: [String: KeyMap], only wanted: [Int64]? = nil
  ) throws -> StoreRows {
    let name = table.schema.className
    guard let layout = snapshot.catalogue.layout(name) else {
      throw PostgresMappingError(subject: "class '\(name)'", reason: "it has no table in the store")
    }
    return StoreRows(table, layout, snapshot, keys: keys, only: wanted, isSent: true)
  }

  /// Creates a table with the rows of the store.
  func create(
    _ table: PostgresTable, _ keys: [String: KeyMap], needsPostGIS: Bool,
    _ connection: PostgresConnection
  ) async throws -> CopiedRows {
    let rows: RowHashes
    if let servers {
      rows = try await copy(table, to: servers, keys, needsPostGIS: needsPostGIS, connection)
    } else {
      if case .citus = layout { try await PostgresTable.requireCitus(connection) }
      rows = try await copy(table, keys, connection)
    }
    let own = keys[table.schema.className]?.inverted ?? .identity
    let local = zip(rows.keys, rows.hashes).compactMap { key, hash in
      own[key].map { LocalRow(local: $0, remote: key, hash: hash) }
    }
    return CopiedRows(rows, local)
  }

  private func copy(
    _ table: PostgresTable, _ keys: [String: KeyMap], _ connection: PostgresConnection
  ) async throws -> RowHashes {
    let name = table.schema.className
    try await connection.run(table.creation)
    let parts = table.partitions?.parts.indices.map { $0 } ?? []
    for part in parts { try await connection.run(table.creation(ofPart: part)) }
    if case .citus = layout { try await connection.run(table.citusDistribution) }
    let progress = progress
    let rows = StoreRowStream(try storedRows(table, keys)) { progress(name, $0) }
    let chunks = PreparedChunks { try rows.bytes() }
    // The encoding thread must not use the snapshot after this function.
    defer { chunks.finish() }
    _ = try await connection.copyIn(table.copy) { try chunks.next() }
    for indexed in parts.isEmpty ? [table] : parts.map({ table.part($0) }) {
      for statement in indexed.keysAndIndexes { try await connection.run(statement) }
    }
    let sent = RowHashes(merging: [rows.sent])
    try await require(sent, in: table, table.copyOut, connection)
    return sent
  }

  /// Copies the partitions of a table to other servers concurrently.
  private func copy(
    _ table: PostgresTable, to servers: PartitionServers, _ keys: [String: KeyMap],
    needsPostGIS: Bool, _ connection: PostgresConnection
  ) async throws -> RowHashes {
    let name = table.schema.className
    guard let partitions = table.partitions,
      let column = table.columns.firstIndex(where: { $0.name == partitions.column })
    else {
      throw PostgresMappingError(subject: "class '\(name)'", reason: "it has no partitions")
    }
    try await connection.run(schema.creation(ofExtension: "postgres_fdw"))
    for server in servers.servers { try await server.create(connection) }
    try await connection.run(table.creation)
    for part in partitions.parts.indices {
      try await connection.run(table.creation(ofPart: part))
    }
    try await servers.begin(needsPostGIS: needsPostGIS)
    let progress = progress
    let stream = PartitionedStream(try storedRows(table, keys), partitions, column: column) {
      progress(name, $0)
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for part in partitions.parts.indices {
        group.addTask {
          let connection = servers.connections[part]
          try await copy(part, of: table, from: stream, connection)
        }
      }
      try await group.waitForAll()
    }
    if partitions.grid == nil { try await check(stream.samples, of: table, connection) }
    return RowHashes(merging: partitions.parts.indices.map { stream.sent($0) })
  }

  /// Copies one partition.
  private func copy(
    _ part: Int, of table: PostgresTable, from stream: PartitionedStream,
    _ connection: PostgresConnection
  ) async throws {
    var table = table.part(part)
    do {
      // The schema of PostGIS may differ between servers.
      table.names = try await SchemaNames.ofPush(connection)
      try await connection.run(table.creation)
      _ = try await connection.copyIn(table.copy) { try stream.bytes(part) }
      for statement in table.keysAndIndexes { try await connection.run(statement) }
      let sent = RowHashes(merging: [stream.sent(part)])
      try await require(sent, in: table, table.copyOut, connection)
    } catch {
      stream.fail(error)
      throw error
    }
  }

  /// Checks with samples that the server partitions rows with the same hash as ``PartitionHash``.
  private func check(
    _ samples: [[PostgresValue]], of table: PostgresTable, _ connection: PostgresConnection
  ) async throws {
    for (part, values) in samples.enumerated() {
      for value in values {
        guard let type = value.type else { continue }
        var statement = SQLStatement("SELECT satisfies_hash_partition(")
        statement.append(statement.parameter(.text(table.quotedName), .text) + "::regclass, ")
        statement.append("\(samples.count), \(part), \(statement.parameter(value, type)))")
        guard try await connection.run(statement).value(0, 0) == .bool(true) else {
          throw PostgresMappingError(
            subject: "class '\(table.schema.className)'",
            reason: "the server divides rows by a hash that this version does not know")
        }
      }
    }
  }

  /// Requires that the rows of the server equal the sent rows.
  private func require(
    _ sent: RowHashes, in table: PostgresTable, _ copy: String, _ connection: PostgresConnection
  ) async throws {
    let found = try await RowHashes.read(copy, of: table, connection)
    guard found == sent else {
      throw PostgresMappingError(
        subject: "class '\(table.schema.className)'",
        reason:
          "the server has other rows than those that were sent (\(found.count) of \(sent.count)); "
          + "a trigger or rule of the table may have changed them")
    }
  }
}

/// Rows of a store, ordered by their keys in the database.
extension [LocalRow] {
  /// The hashes of the rows.
  fileprivate var hashes: RowHashes {
    var hashes = RowHashes()
    for row in self { hashes.append(row.remote, row.hash) }
    return hashes
  }

  /// Returns the hashes of the rows of the database after a push; rows that were not sent have the hashes of
  /// `remote`.
  fileprivate func hashes(sent: Set<Int64>, otherwise remote: RowHashes) -> RowHashes {
    var hashes = RowHashes()
    var next = 0
    for row in self {
      while next < remote.count, remote.keys[next] < row.remote { next += 1 }
      let isRemote = next < remote.count && remote.keys[next] == row.remote
      hashes.append(
        row.remote, isRemote && !sent.contains(row.local) ? remote.hashes[next] : row.hash)
    }
    return hashes
  }
}
