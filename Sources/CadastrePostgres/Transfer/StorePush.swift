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

  /// Creates a copy of classes.
  ///
  /// - Parameters:
  ///   - snapshot: The version of the store.
  ///   - classes: The names of the classes; nil for all.
  /// - Throws: ``PostgresMappingError`` if there is no such class, or it is embedded.
  package init(_ snapshot: Snapshot, classes: [String]? = nil) throws(PostgresMappingError) {
    self.snapshot = snapshot
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

  /// Copies the classes in one transaction; tables of earlier copies are replaced.
  ///
  /// The rows are read back and compared with those that were sent.
  ///
  /// - Parameters:
  ///   - connection: The connection.
  ///   - progress: Called with the class and the number of its objects that were sent.
  /// - Returns: The number of objects of each class.
  /// - Throws: ``PostgresMappingError`` for a class or value that PostgreSQL cannot hold, or for a table
  ///   that is not from Cadastre, ``PostgresError``, or `StoreError`; the database is unchanged then.
  package func run(
    _ connection: PostgresConnection, progress: @escaping (String, Int) -> Void = { _, _ in }
  ) async throws -> [Copied] {
    let task = PushTask(snapshot: snapshot, names: names, progress: progress)
    return try await connection.transaction(.writing) { try await task.run($0) }
  }
}

/// The steps of a copy within its transaction.
// Safe because the task that made it waits for the one call that uses it.
private struct PushTask: @unchecked Sendable {
  let snapshot: Snapshot
  let names: [String]
  let progress: (String, Int) -> Void

  /// The number that excludes other copies into the same database.
  private static let lock = 0x0CAD_A57E

  func run(_ connection: PostgresConnection) async throws -> [StorePush.Copied] {
    try await connection.run(SQLStatement("SELECT pg_advisory_xact_lock(\(Self.lock))"))
    let before = try await RemoteClasses.read(connection)
    let classes = try merged(with: before)
    let tables = names.compactMap { classes.tables[$0] }
    if tables.contains(where: \.needsPostGIS) {
      try await connection.run("CREATE EXTENSION IF NOT EXISTS postgis")
    }
    for table in tables { try await makeRoom(table, before, connection) }
    var copied: [StorePush.Copied] = []
    for table in tables { copied.append(try await copy(table, connection)) }
    // Links may lead in circles, so the foreign keys come last.
    for table in classes.tables.values.sorted(by: { $0.schema.className < $1.schema.className }) {
      let isNew = names.contains(table.schema.className)
      for (target, statement) in table.foreignKeys where isNew || names.contains(target) {
        try await connection.run(statement)
      }
    }
    try await RemoteClasses.write(added, connection)
    return copied
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
    return try RemoteClasses(schema)
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
    guard let layout = snapshot.catalogue.layout(name) else {
      throw PostgresMappingError(subject: "class '\(name)'", reason: "it has no table in the store")
    }
    try await connection.run(table.creation)
    let progress = progress
    let rows = StoreRowStream(table, layout, snapshot) { progress(name, $0) }
    let chunks = PreparedChunks { try rows.bytes() }
    // The snapshot belongs to the caller again when this function ends.
    defer { chunks.finish() }
    let count = try await connection.copyIn(table.copy) { try chunks.next() }
    for statement in table.keysAndIndexes { try await connection.run(statement) }
    let stored = try await hash(of: table, connection)
    guard count == rows.count, stored == rows.hash else {
      throw PostgresMappingError(
        subject: "class '\(name)'",
        reason: "the server has other rows than those that were sent (\(count) of \(rows.count))")
    }
    return StorePush.Copied(className: name, count: count)
  }

  /// The hash of the rows that the server stores, in order of their keys.
  private func hash(
    of table: PostgresTable, _ connection: PostgresConnection
  ) async throws -> StreamHash {
    let reader = CopyHash()
    try await connection.copyOut(table.copyOut) { reader.combine($0) }
    return reader.hash
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
