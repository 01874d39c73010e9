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
    /// Sentences about the copy for the report.
    package let notes: [String]

    package init(className: String, count: Int, notes: [String] = []) {
      self.className = className
      self.count = count
      self.notes = notes
    }
  }

  private let snapshot: Snapshot
  private let names: [String]
  private let layout: Layout

  /// The distribution of the rows on the server.
  package enum Layout: Sendable {
    /// A table for each class.
    case tables
    /// Partitions of the only class.
    case partitions(RowDivision)
    /// Distributed tables of the extension Citus.
    case citus
  }

  /// Creates a copy of classes.
  ///
  /// - Parameters:
  ///   - snapshot: The version of the store.
  ///   - classes: The names of the classes; nil for all.
  ///   - layout: The distribution of the rows on the server.
  /// - Throws: ``PostgresMappingError`` for a missing or embedded class.
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

  /// The statements that distribute the tables of the classes with the extension Citus.
  ///
  /// - Throws: ``PostgresMappingError`` for a class that a table cannot represent.
  package var citusStatements: [String] {
    get throws {
      let schema = snapshot.catalogue.schema
      let partitions = names.map { ($0, TablePartitions.citus) }
      let classes = try RemoteClasses(schema, Dictionary(uniqueKeysWithValues: partitions))
      return names.compactMap { classes.tables[$0]?.citusDistribution.text }
    }
  }

  /// Copies the classes in one transaction.
  ///
  /// A table of an earlier push is changed in place: rows that differ from those of the store are updated,
  /// inserted and deleted, and additions of other programs to the table stay. A push that would overwrite rows that
  /// other programs have changed since the last copy throws an error.
  ///
  /// The changed rows are read back and compared with the sent rows. Each server with partitions has a separate
  /// transaction; readers see the new partitions after the commit of the database.
  ///
  /// - Parameters:
  ///   - connection: The connection.
  ///   - replacing: Whether to overwrite changes of other programs.
  ///   - progress: Called with a class and the number of its sent objects.
  /// - Returns: The number of objects of each class.
  /// - Throws: ``PostgresMappingError`` for a class or value that PostgreSQL cannot represent, for a table that is
  ///   not from Cadastre or belongs to another role, and for changes that would be lost; ``PostgresError``, or
  ///   `StoreError`. The database is unchanged then.
  package func run(
    _ connection: PostgresConnection, replacing: Bool = false,
    progress: @escaping (String, Int) -> Void = { _, _ in }
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
      isReplacing: replacing, progress: progress)
    let outcome = await task.outcome(connection)
    if let servers { try await task.dropUnreferencedSchemas(servers, connection, after: outcome) }
    let pushed = try outcome.get()
    let former = pushed.sent.map {
      CopyRecord(className: $0.className, name: $0.name, content: nil)
    }
    try task.keep(pushed.records + former)
    return pushed.copied
  }
}
