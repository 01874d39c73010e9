import CadastreModel
import CadastreStore
import Foundation

/// The steps of a push within its transaction.
// Safe because the task that created it awaits its only call.
struct PushTask: @unchecked Sendable {
  let snapshot: Snapshot
  let names: [String]
  /// The schemas of the database before the push.
  let schema: SchemaNames
  let layout: StorePush.Layout
  let servers: PartitionServers?
  /// Whether changes of other programs are overwritten.
  let isReplacing: Bool
  let progress: (String, Int) -> Void

  /// The statement that waits for concurrent pushes into the same database.
  private static let lock = SQLStatement("SELECT pg_advisory_xact_lock(\(0x0CAD_A57E))")

  /// The result of a push.
  struct Pushed: Sendable {
    var copied: [StorePush.Copied] = []
    /// The records of the rows that store and database share.
    var records: [CopyRecord] = []
    /// The records of new rows of classes without primary keys.
    ///
    /// By these records, the next copy identifies the rows if this process ends between the commit of the server and
    /// the writing of the records.
    var sent: [CopyRecord] = []
  }

  typealias Outcome = Result<Pushed, any Error>

  /// Writes records to the store.
  func keep(_ records: [CopyRecord]) throws(StoreError) {
    do throws(StoreError) {
      try snapshot.keepCopyRecords(records)
    } catch {
      // A read-only store does not change, so that the next push needs no record.
      guard error.isReadOnly else { throw error }
    }
  }

  /// Runs the transaction.
  func outcome(_ connection: PostgresConnection) async -> Outcome {
    do {
      return .success(try await connection.transaction(.writing) { try await run($0) })
    } catch {
      return .failure(error)
    }
  }

  /// Drops the schemas on other servers that this push or earlier ones left without references.
  ///
  /// - Throws: ``PostgresError`` after a successful push; after a failed one, the next push drops the schemas.
  func dropUnreferencedSchemas(
    _ servers: PartitionServers, _ connection: PostgresConnection, after outcome: Outcome
  ) async throws {
    await servers.rollBack()
    do {
      try await connection.transaction(.writing) { connection in
        try await connection.run(Self.lock)
        try await servers.dropUnreferenced(connection)
      }
    } catch {
      if case .success = outcome { throw error }
    }
  }

  private func run(_ connection: PostgresConnection) async throws -> Pushed {
    try await connection.run(Self.lock)
    let path = schema.tables.map { [$0] } ?? []
    let before = try await RemoteClasses.read(connection, path: path)
    let check = TableCheck(schema, connection)
    // The content of the catalogue determines which tables are dropped. `write` checks the catalogue again.
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

    let existing = try await lockedTables(tables, before, connection)
    // Triggers may have been added before the lock.
    try await check.requireChangeable(existing, locks: false)
    let sides = try await CopySides.read(
      existing, missing: names.filter { !existing.contains($0) }, of: before, snapshot, .new,
      connection)
    var notes = try await foreignChanges(existing, sides, connection)
    if !notes.isEmpty {
      guard isReplacing else { throw refusal(notes) }
      notes = notes.mapValues { $0.map { "overwrote what others have changed: \($0)" } }
    }
    var changes: [TableChange] = []
    var grants: [SQLStatement] = []
    for table in tables {
      let name = table.schema.className
      guard let old = before.tables[name], existing.contains(name) else { continue }
      if Self.isChangedInPlace(old, to: table) {
        changes.append(TableChange(old: old, new: table))
      } else {
        grants += try await dropTable(old, before, &notes, connection)
      }
    }
    for change in changes { try await prepare(change, &notes, connection) }

    let rows = PushedRows(
      snapshot: snapshot, schema: schema, layout: layout, servers: servers,
      isReplacing: isReplacing, progress: progress)
    var pushed = Pushed()
    let identifiers = Dictionary(
      uniqueKeysWithValues: names.map { ($0, before.identifiers[$0] ?? UUID().uuidString) })
    try await connection.run("SET CONSTRAINTS ALL DEFERRED")
    for table in tables {
      let name = table.schema.className
      let copied: CopiedRows
      let identifier = identifiers[name] ?? name
      if let change = changes.first(where: { $0.new.schema.className == name }),
        let side = sides.sides[name]
      {
        copied = try await rows.update(change, side, sides.keys, connection)
        if table.schema.primaryKeyProperty == nil {
          let new = side.local.filter { side.remote[$0.remote] == nil }
          pushed.sent.append(
            CopyRecord(
              className: name, name: RemoteClasses.sentRecordName(identifier),
              content: new.isEmpty ? nil : CopiedRows(sent: new).data(form: table.form)))
        }
      } else {
        copied = try await rows.create(
          table, sides.keys, needsPostGIS: needsPostGIS, connection)
      }
      pushed.records.append(
        CopyRecord(
          className: name, name: identifier, content: copied.data(form: table.form)))
      pushed.copied.append(
        StorePush.Copied(className: name, count: copied.rows.count, notes: notes[name] ?? []))
    }
    try await connection.run("SET CONSTRAINTS ALL IMMEDIATE")
    for change in changes {
      for statement in change.completion { try await connection.run(statement) }
      let name = change.new.schema.className
      if let side = sides.sides[name], side.isMostlyChanged || change.isNeeded {
        try await connection.run(SQLStatement("ANALYZE \(change.new.quotedName)"))
      }
    }
    try await linkTables(classes, connection)
    for statement in grants { try await connection.run(statement) }
    try await classes.write(added, identifiers, connection)
    if let servers, let table = tables.first {
      try await servers.commit()
      try await connection.run(SQLStatement("ANALYZE \(table.quotedName)"))
    }
    if pushed.sent.contains(where: { $0.content != nil }) { try keep(pushed.sent) }
    return pushed
  }

  // MARK: Classes

  /// Returns the classes with the partitions of this push.
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

  /// The copied classes, and the embedded classes of their properties.
  private var added: [ObjectSchema] {
    snapshot.catalogue.schema.classes(names)
  }

  /// Returns the classes of the database after the push.
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

  // MARK: Changes of other programs

  /// Locks the existing tables until the end of the transaction, and returns the names of their classes.
  private func lockedTables(
    _ tables: [PostgresTable], _ before: RemoteClasses, _ connection: PostgresConnection
  ) async throws -> [String] {
    var existing: [String] = []
    for table in tables.sorted(by: { $0.schema.className < $1.schema.className }) {
      let name = table.schema.className
      var statement = SQLStatement("SELECT to_regclass(")
      statement.append(statement.parameter(.text(table.quotedName), .text) + ") IS NULL")
      if try await connection.run(statement).value(0, 0) == .bool(true) { continue }
      guard let old = before.tables[name] else {
        throw PostgresMappingError(
          subject: "class '\(name)'",
          reason: "the database has a table of this name that is not from Cadastre")
      }
      // Without ONLY, the lock would include partitions on other servers.
      let only = old.partitions == nil ? "" : "ONLY "
      try await connection.run(
        SQLStatement("LOCK TABLE \(only)\(table.quotedName) IN SHARE ROW EXCLUSIVE MODE"))
      try await table.requireAllRows(connection, otherwise: "a push would change them blindly")
      existing.append(name)
    }
    return existing
  }

  /// Returns the changes of other programs since the last copy, a clause for each class.
  private func foreignChanges(
    _ names: [String], _ sides: CopySides, _ connection: PostgresConnection
  ) async throws -> [String: [String]] {
    var clauses: [String: [String]] = [:]
    for name in names {
      guard let side = sides.sides[name] else { continue }
      let others = side.comparison.remote + side.comparison.both
      if let clause = try await CopyRefusal.clause(
        others, changedBy: .remote, side.table, snapshot, connection)
      {
        clauses[name] = [
          clause
            + (side.base.hasRecord
              ? " since the last copy"
              : ", and the store has no record of an earlier copy with the same columns")
        ]
      }
    }
    return clauses
  }

  private func refusal(_ clauses: [String: [String]]) -> PostgresMappingError {
    let list = clauses.sorted { $0.key < $1.key }
      .map { "class '\($0.key)': \($0.value.joined(separator: ", "))" }
    return PostgresMappingError(
      subject: "the database",
      reason:
        "the push would lose what others have changed there (\(list.joined(separator: "; "))); "
        + "pull first, or push with --replace to overwrite it")
  }

  private func removal(
    of part: String, of className: String, with list: String
  ) -> PostgresMappingError {
    PostgresMappingError(
      subject: "class '\(className)'",
      reason:
        "the push would remove \(part), and with it what others have added: \(list); remove that, or "
        + "push with --replace")
  }

  /// Returns whether a table is changed in place; partitions are created again.
  private static func isChangedInPlace(_ old: PostgresTable, to table: PostgresTable) -> Bool {
    old.partitions == nil && table.partitions == nil
  }

  /// Drops the table of an earlier push, unless objects of other programs depend on it.
  ///
  /// - Returns: The statements that restore the privileges of other roles.
  private func dropTable(
    _ table: PostgresTable, _ before: RemoteClasses, _ notes: inout [String: [String]],
    _ connection: PostgresConnection
  ) async throws -> [SQLStatement] {
    let name = table.schema.className
    let additions = try await TableAdditions(
      to: table, own: before.tables.values.flatMap(\.storedNames), connection)
    if !additions.names.isEmpty {
      let list = additions.names.joined(separator: ", ")
      guard isReplacing else { throw removal(of: "the table", of: name, with: list) }
      notes[name, default: []].append("removed with the table: \(list)")
    }
    // `linkTables` restores the foreign keys of other tables to this one.
    try await connection.run(SQLStatement("DROP TABLE \(table.quotedName) CASCADE"))
    for statement in table.pointRemovals { try await connection.run(statement) }
    return additions.grants
  }

  /// Changes the columns of a table to those of the class, unless objects of other programs depend on dropped columns.
  private func prepare(
    _ change: TableChange, _ notes: inout [String: [String]], _ connection: PostgresConnection
  ) async throws {
    let name = change.new.schema.className
    if !change.removed.isEmpty {
      let dependents = try await TableAdditions.names(
        dependingOn: change.removed, of: change.old, connection)
      if !dependents.isEmpty {
        let list = dependents.joined(separator: ", ")
        let columns = change.removed.map { "'\($0)'" }.joined(separator: ", ")
        guard isReplacing else { throw removal(of: "columns \(columns)", of: name, with: list) }
        notes[name, default: []].append("removed with columns \(columns): \(list)")
      }
    }
    if let column = change.formerPrimaryKey {
      for statement in try await change.old.uniqueKeyRemovals(of: column, connection) {
        try await connection.run(statement)
      }
    }
    for statement in change.preparation(cascades: isReplacing) {
      try await connection.run(statement)
    }
    if !change.isNeeded, try await !change.new.hasCurrentPoints(connection) {
      for statement in change.new.pointStatements { try await connection.run(statement) }
    }
    for key in try await change.new.linkConstraints(connection) where !key.isDeferrable {
      try await connection.run(
        SQLStatement(
          "ALTER TABLE \(change.new.quotedName) "
            + "ALTER CONSTRAINT \(SQLStatement.quoted(key.name)) DEFERRABLE"))
    }
  }

  // MARK: Links

  /// Adds the missing foreign keys of the pushed tables, and of tables with links to them.
  private func linkTables(
    _ classes: RemoteClasses, _ connection: PostgresConnection
  ) async throws {
    // Foreign keys are added after all tables exist, because links may form cycles.
    for table in classes.tables.values.sorted(by: { $0.schema.className < $1.schema.className }) {
      let isPushed = names.contains(table.schema.className)
      let wanted = table.foreignKeys.filter { key in
        // A foreign key needs a unique key, which a partitioned table lacks.
        (isPushed || names.contains(key.target)) && table.partitions == nil
          && classes.tables[key.target]?.partitions == nil
      }
      guard !wanted.isEmpty else { continue }
      let linked = try await table.linkConstraints(connection).map(\.column)
      for key in wanted where !linked.contains(key.column) {
        try await connection.run(key.statement)
      }
    }
  }
}

extension CopySides.Side {
  /// Whether the statistics of the table are outdated.
  fileprivate var isMostlyChanged: Bool { comparison.all.count * 5 > remote.count }
}

extension StoreError {
  /// Whether the store is read-only.
  fileprivate var isReadOnly: Bool {
    switch reason {
    case .readOnly, .permissionDenied: true
    default: false
    }
  }
}
