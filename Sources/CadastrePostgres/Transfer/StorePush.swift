import CadastreModel
package import CadastreStore

/// A copy of classes of a store to the tables of a database.
package struct StorePush {
  /// The number of copied objects of a class.
  package struct Copied: Hashable, Sendable {
    /// The class.
    package let className: String
    /// The number of objects.
    package let count: Int

    package init(className: String, count: Int) {
      self.className = className
      self.count = count
    }
  }

  private let snapshot: Snapshot
  private let names: [String]
  private let layout: Layout

  /// How the rows are spread on the server.
  package enum Layout: Sendable {
    /// A table for each class.
    case tables
    /// The rows of the only class are divided into partitions.
    case partitions(RowDivision)
    /// The extension Citus spreads the rows over the servers of its cluster.
    case citus
  }

  /// Creates a copy of classes.
  ///
  /// - Parameters:
  ///   - snapshot: The version of the store.
  ///   - classes: The names of the classes; nil for all.
  ///   - layout: How the rows are spread on the server.
  /// - Throws: ``PostgresMappingError`` if there is no such class, or it is embedded, or several classes
  ///   are to be divided.
  package init(
    _ snapshot: Snapshot, classes: [String]? = nil, layout: Layout = .tables
  ) throws(PostgresMappingError) {
    self.snapshot = snapshot
    self.layout = layout
    let schema = snapshot.catalogue.schema
    let all = schema.objectSchema.filter { !$0.isEmbedded }.map(\.className)
    for name in classes ?? [] where !all.contains(name) {
      throw PostgresMappingError(
        subject: "class '\(name)'",
        reason: "the store has no such class with objects of its own; it has "
          + all.joined(separator: ", "))
    }
    names = classes.map { $0.reduce(into: []) { if !$0.contains($1) { $0.append($1) } } } ?? all
  }

  /// The statements that spread the tables of the classes by the extension Citus.
  ///
  /// - Throws: ``PostgresMappingError`` for a class that has no form as a table.
  package var citusStatements: [String] {
    get throws {
      let schema = snapshot.catalogue.schema
      let partitions = names.map { ($0, TablePartitions.citus) }
      let classes = try RemoteClasses(schema, Dictionary(uniqueKeysWithValues: partitions))
      return names.compactMap { classes.tables[$0]?.citusDistribution.text }
    }
  }

  /// Copies the classes in one transaction; tables of earlier copies are replaced.
  ///
  /// The rows are read back and compared with those that were sent. Partitions on other servers are
  /// copied in a transaction of each server; readers see the new ones when all have ended.
  ///
  /// - Parameters:
  ///   - connection: The connection.
  ///   - progress: Called with the class and the number of its objects that were sent.
  /// - Returns: The number of objects of each class.
  /// - Throws: ``PostgresMappingError`` for a class or value that PostgreSQL cannot hold, or for a table
  ///   that is not from Cadastre or belongs to another role, ``PostgresError``, or `StoreError`; the
  ///   database is unchanged then.
  package func run(
    _ connection: PostgresConnection, progress: @escaping (String, Int) -> Void = { _, _ in }
  ) async throws -> [Copied] {
    var servers: PartitionServers?
    let schema = try await SchemaNames.ofPush(connection)
    if case .partitions(let division) = layout, !division.servers.isEmpty {
      let opened = try await PartitionServers.open(
        division.servers, count: division.count, connection.settings, schema)
      try await connection.transaction(.writing) { try await opened.register($0) }
      servers = opened
    }
    let task = PushTask(
      snapshot: snapshot, names: names, schema: schema, layout: layout, servers: servers,
      progress: progress)
    let outcome = await task.outcome(connection)
    if let servers { try await task.removeUnnamed(servers, connection, after: outcome) }
    return try outcome.get()
  }
}

/// The steps of a copy within its transaction.
// Safe because the task that made it waits for the one call that uses it.
private struct PushTask: @unchecked Sendable {
  let snapshot: Snapshot
  let names: [String]
  /// The schemas of the database before the push.
  let schema: SchemaNames
  let layout: StorePush.Layout
  let servers: PartitionServers?
  let progress: (String, Int) -> Void

  /// The statement that excludes other copies into the same database.
  private static let lock = SQLStatement("SELECT pg_advisory_xact_lock(\(0x0CAD_A57E))")

  typealias Outcome = Result<[StorePush.Copied], any Error>

  /// Runs the transaction.
  func outcome(_ connection: PostgresConnection) async -> Outcome {
    do {
      return .success(try await connection.transaction(.writing) { try await run($0) })
    } catch {
      return .failure(error)
    }
  }

  /// Removes what an earlier push or the failed one left on other servers.
  ///
  /// - Throws: ``PostgresError``, unless the push failed; the next push removes it then.
  func removeUnnamed(
    _ servers: PartitionServers, _ connection: PostgresConnection, after outcome: Outcome
  ) async throws {
    await servers.rollBack()
    do {
      try await connection.transaction(.writing) { connection in
        try await connection.run(Self.lock)
        try await servers.removeUnnamed(connection)
      }
    } catch {
      if case .success = outcome { throw error }
    }
  }

  private func run(_ connection: PostgresConnection) async throws -> [StorePush.Copied] {
    try await connection.run(Self.lock)
    let path = schema.tables.map { [$0] } ?? []
    let before = try await RemoteClasses.read(connection, path: path)
    let check = TableCheck(schema, connection)
    // What the table says decides what is removed, so it is checked before; and again when it is written.
    try await check.requireOwned([RemoteClasses.catalogue], locks: false)
    let merged = try merged(with: before)
    let needsPostGIS = names.contains { merged.tables[$0]?.needsPostGIS == true }
    if needsPostGIS { try await connection.run(schema.creation(ofExtension: "postgis")) }
    let classes = try divided(merged, try await SchemaNames.read(connection, path: path).names)
    let tables = names.compactMap { classes.tables[$0] }
    let linked = classes.tables.values.filter { table in
      names.contains(table.schema.className)
        || table.foreignKeys.contains { names.contains($0.target) }
    }
    let touched = linked.flatMap { [$0.schema.className] + $0.foreignKeys.map(\.target) }
    try await check.requireChangeable(
      touched.filter { before.tables[$0] != nil }, locks: false)
    for table in tables { try await makeRoom(table, before, connection) }
    var copied: [StorePush.Copied] = []
    if let servers, let table = tables.first {
      copied.append(try await copy(table, to: servers, needsPostGIS: needsPostGIS, connection))
    } else {
      if case .citus = layout { try await PostgresTable.requireCitus(connection) }
      for table in tables { copied.append(try await copy(table, connection)) }
    }
    // Links may lead in circles, so the foreign keys come last.
    for table in classes.tables.values.sorted(by: { $0.schema.className < $1.schema.className }) {
      let isNew = names.contains(table.schema.className)
      for (target, statement) in table.foreignKeys where isNew || names.contains(target) {
        // A foreign key needs a unique key of the whole table.
        guard table.partitions == nil, classes.tables[target]?.partitions == nil else { continue }
        try await connection.run(statement)
      }
    }
    try await classes.write(added, connection)
    if let servers, let table = tables.first {
      try await servers.commit()
      try await connection.run(SQLStatement("ANALYZE \(table.quotedName)"))
    }
    return copied
  }

  /// The classes with the partitions of this push, in tables of some schemas.
  private func divided(_ classes: RemoteClasses, _ schema: SchemaNames) throws -> RemoteClasses {
    var partitions = classes.partitions
    for name in names {
      switch layout {
      case .tables: partitions[name] = nil
      case .citus: partitions[name] = .citus
      case .partitions(let division):
        guard let table = classes.tables[name], let layout = snapshot.catalogue.layout(name)
        else { continue }
        partitions[name] = try TablePartitions(
          division, of: table, on: servers, StoreRows(table, layout, snapshot))
      }
    }
    return try RemoteClasses(classes.schema, partitions, names: schema)
  }

  /// The classes that are copied, and the embedded classes of their properties.
  private var added: [ObjectSchema] {
    snapshot.catalogue.schema.classes(names)
  }

  /// The classes of the database after the copy.
  private func merged(with before: RemoteClasses) throws -> RemoteClasses {
    let added = added
    for owner in added where owner.isEmbedded {
      guard let other = before.schema[owner.className], other != owner else { continue }
      let users = before.schema.objectSchema.filter { user in
        !names.contains(user.className)
          && user.properties.contains { $0.objectClassName == owner.className }
      }
      guard users.isEmpty else {
        throw PostgresMappingError(
          subject: "class '\(owner.className)'",
          reason:
            "the database has another form of it in '\(users[0].className)'; push that class too")
      }
    }
    let kept = before.schema.objectSchema.filter { old in
      !added.contains { $0.className == old.className }
    }
    let schema = Schema(kept + added)
    try added.requireTargets(
      in: schema, otherwise: "which is not pushed and not in the database")
    return try RemoteClasses(
      schema, before.partitions.filter { !names.contains($0.key) })
  }

  /// Removes the table of an earlier copy; refuses a table of another origin.
  private func makeRoom(
    _ table: PostgresTable, _ before: RemoteClasses, _ connection: PostgresConnection
  ) async throws {
    let name = table.schema.className
    if before.tables[name] != nil {
      // Foreign keys of other tables to this one are made again after the copy.
      try await connection.run(SQLStatement("DROP TABLE IF EXISTS \(table.quotedName) CASCADE"))
    }
    var statement = SQLStatement("SELECT to_regclass(")
    statement.append(statement.parameter(.text(table.quotedName), .text) + ") IS NULL")
    guard try await connection.run(statement).value(0, 0) == .bool(true) else {
      throw PostgresMappingError(
        subject: "class '\(name)'",
        reason: "the database has a table of this name that is not from Cadastre")
    }
  }

  private func copy(
    _ table: PostgresTable, _ connection: PostgresConnection
  ) async throws -> StorePush.Copied {
    let name = table.schema.className
    try await connection.run(table.creation)
    let parts = table.partitions?.parts.indices.map { $0 } ?? []
    for part in parts { try await connection.run(table.creation(ofPart: part)) }
    if case .citus = layout { try await connection.run(table.citusDistribution) }
    let progress = progress
    let rows = StoreRowStream(try storedRows(table)) { progress(name, $0) }
    let chunks = PreparedChunks { try rows.bytes() }
    // The snapshot belongs to the caller again when this function ends.
    defer { chunks.finish() }
    let count = try await connection.copyIn(table.copy) { try chunks.next() }
    for indexed in parts.isEmpty ? [table] : parts.map({ table.part($0) }) {
      for statement in indexed.keysAndIndexes { try await connection.run(statement) }
    }
    try await require(rows.count, rows.hash, in: table, connection, copied: count)
    return StorePush.Copied(className: name, count: count)
  }

  private func storedRows(_ table: PostgresTable) throws -> StoreRows {
    let name = table.schema.className
    guard let layout = snapshot.catalogue.layout(name) else {
      throw PostgresMappingError(subject: "class '\(name)'", reason: "it has no table in the store")
    }
    return StoreRows(table, layout, snapshot)
  }

  /// Copies the partitions of a table to other servers, all at the same time.
  private func copy(
    _ table: PostgresTable, to servers: PartitionServers, needsPostGIS: Bool,
    _ connection: PostgresConnection
  ) async throws -> StorePush.Copied {
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
    let stream = PartitionedStream(try storedRows(table), partitions, column: column) {
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
    let count = partitions.parts.indices.reduce(0) { $0 + stream.sent($1).count }
    return StorePush.Copied(className: name, count: count)
  }

  /// Copies one partition.
  private func copy(
    _ part: Int, of table: PostgresTable, from stream: PartitionedStream,
    _ connection: PostgresConnection
  ) async throws {
    var table = table.part(part)
    do {
      // PostGIS may be in another schema on that server.
      table.names = try await SchemaNames.ofPush(connection)
      try await connection.run(table.creation)
      let count = try await connection.copyIn(table.copy) { try stream.bytes(part) }
      for statement in table.keysAndIndexes { try await connection.run(statement) }
      let sent = stream.sent(part)
      try await require(sent.count, sent.hash, in: table, connection, copied: count)
    } catch {
      stream.fail(error)
      throw error
    }
  }

  /// Throws an error if the server divides rows by another hash than ``PartitionHash``.
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

  /// Throws an error if the server has other rows than those that were sent.
  private func require(
    _ count: Int, _ hash: StreamHash, in table: PostgresTable, _ connection: PostgresConnection,
    copied: Int
  ) async throws {
    let reader = CopyHash()
    try await connection.copyOut(table.copyOut) { reader.combine($0) }
    guard copied == count, reader.hash == hash else {
      throw PostgresMappingError(
        subject: "class '\(table.schema.className)'",
        reason: "the server has other rows than those that were sent (\(copied) of \(count))")
    }
  }
}

/// The hash of the rows of a stream of `COPY`, without its header and its end.
// Safe because only the connection that copies uses it.
private final class CopyHash: @unchecked Sendable {
  private(set) var hash = StreamHash()
  private var isFirst = true

  func combine(_ bytes: [UInt8]) {
    // The server sends the header with the first row, and each row and the end as one chunk.
    let rows = isFirst ? bytes.dropFirst(CopyStream.headerLength) : bytes[...]
    isFirst = false
    if rows.count > 2 { hash.combine(rows) }
  }
}
