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
    /// What else the copy did, a sentence each.
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

  /// Copies the classes in one transaction.
  ///
  /// A table of an earlier push is changed in place: rows that differ from those of the store are updated,
  /// inserted and deleted, and what others have added to the table stays. Rows that others have changed since the
  /// last copy between the store and the database are not overwritten.
  ///
  /// The changed rows are read back and compared with those that were sent. Partitions on other servers are
  /// copied in a transaction of each server; readers see the new ones when all have ended.
  ///
  /// - Parameters:
  ///   - connection: The connection.
  ///   - replacing: Whether the database becomes as the store, whatever others have changed there.
  ///   - progress: Called with the class and the number of its objects that were sent.
  /// - Returns: The number of objects of each class.
  /// - Throws: ``PostgresMappingError`` for a class or value that PostgreSQL cannot hold, for a table
  ///   that is not from Cadastre or belongs to another role, and for what would be lost; ``PostgresError``, or
  ///   `StoreError`; the database is unchanged then.
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
    if let servers { try await task.removeUnnamed(servers, connection, after: outcome) }
    let pushed = try outcome.get()
    let former = pushed.sent.map {
      CopyRecord(className: $0.className, name: $0.name, content: nil)
    }
    try task.keep(pushed.records + former)
    return pushed.copied
  }
}
