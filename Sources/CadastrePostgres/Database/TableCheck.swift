/// Checks whether tables are safe to use with the rights of the connection's role.
///
/// Triggers, rules, views, and conversions of types run with the rights of the role that uses a table. A role that
/// may create tables could create one with the name of a pushed class, and so obtain the rights of the connection's
/// role. Tables that only a push writes must belong to the role or to a superuser. Other tables are checked only
/// for superusers, because ordinary roles commonly share tables with triggers.
struct TableCheck: Sendable {
  private let names: SchemaNames
  private let connection: PostgresConnection

  init(_ names: SchemaNames, _ connection: PostgresConnection) {
    (self.names, self.connection) = (names, connection)
  }

  /// Requires that tables belong to the role or to a superuser, and have no trigger with a function of another
  /// role.
  ///
  /// - Parameters:
  ///   - tables: The names of the tables; missing tables are skipped.
  ///   - locks: Whether to lock the tables, which must exist, so that no trigger is added until the end of the
  ///     transaction.
  /// - Throws: ``PostgresMappingError`` or ``PostgresError``.
  func requireOwned(_ tables: [String], locks: Bool) async throws {
    guard !tables.isEmpty else { return }
    if locks {
      let list = tables.map(names.table).joined(separator: ", ")
      try await connection.run(SQLStatement("LOCK TABLE \(list) IN ROW EXCLUSIVE MODE"))
    }
    for table in try await facts(of: tables) {
      guard table.isTrusted else {
        throw table.error(
          "it belongs to the role '\(table.owner)', whose triggers would run with the rights of this "
            + "connection; connect as that role, or remove the table")
      }
      guard table.isTable else { throw table.error("it is a view or a foreign table") }
      if let trigger = table.trigger {
        throw table.error(
          "its trigger '\(trigger)' would run a function of another role with the rights of this "
            + "connection; remove the trigger")
      }
    }
  }

  /// Calls ``requireOwned(_:locks:)`` if the role is a superuser.
  func requireChangeable(_ tables: [String], locks: Bool) async throws {
    if await connection.isSuperuser { try await requireOwned(tables, locks: locks) }
  }

  /// Requires that row security hides no rows of tables from the role.
  ///
  /// Foreign keys remove no elements of arrays, so that an update must reach all rows with links to deleted rows.
  ///
  /// - Parameters:
  ///   - tables: The names of the tables, which have lists, sets or maps of links.
  ///   - className: The class whose objects are deleted.
  /// - Throws: ``PostgresMappingError`` or ``PostgresError``.
  func requireAllRows(of tables: [String], linkedTo className: String) async throws {
    guard !tables.isEmpty else { return }
    var statement = SQLStatement(
      "SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        + "WHERE row_security_active(c.oid) AND n.nspname = ")
    statement.append(statement.parameter(.text(names.tables ?? ""), .text))
    statement.append(" AND c.relname = ANY(")
    let list = PostgresValue.array(.text, tables.map(PostgresValue.text))
    statement.append(statement.parameter(list, .array(.text)) + ") ORDER BY c.relname LIMIT 1")
    let found = try await connection.run(statement)
    guard found.rowCount > 0, case .text(let table) = try found.value(0, 0) else { return }
    throw PostgresMappingError(
      subject: "class '\(className)'",
      reason:
        "row security may hide rows of table '\(table)' from this role, and their lists would "
        + "keep links to deleted objects; delete as the owner of the table or as a role with "
        + "BYPASSRLS")
  }

  /// Requires for a superuser that reading tables of other roles runs no code of these roles.
  ///
  /// Views, and types of other origin than PostgreSQL and PostGIS, may run code.
  ///
  /// - Throws: ``PostgresMappingError`` or ``PostgresError``.
  func requireReadable(_ tables: [String]) async throws {
    guard await connection.isSuperuser, !tables.isEmpty else { return }
    for table in try await facts(of: tables) where !table.isTrusted {
      guard table.isTable || table.isForeign else {
        throw table.error(
          "it is a view of the role '\(table.owner)', whose functions would run with the rights of "
            + "this superuser; connect as a role with fewer rights")
      }
      if let column = table.column {
        throw table.error(
          "the type of its column '\(column)' belongs to another role, whose functions could run with "
            + "the rights of this superuser; connect as a role with fewer rights")
      }
    }
  }

  /// The properties of a table that decide whether it is safe.
  private struct TableFacts {
    let name: String
    /// `relkind` of `pg_class`.
    let kind: String
    let owner: String
    /// Whether the owner is the role of the connection or a superuser.
    let isTrusted: Bool
    /// A column with a type of other origin than PostgreSQL and PostGIS; nil for none.
    let column: String?
    /// A trigger with a function of another role that is not a superuser; nil for none.
    let trigger: String?

    var isTable: Bool { kind == "r" || kind == "p" }
    var isForeign: Bool { kind == "f" }

    func error(_ reason: String) -> PostgresMappingError {
      PostgresMappingError(subject: "table '\(name)'", reason: reason)
    }
  }

  private func facts(of tables: [String]) async throws(PostgresError) -> [TableFacts] {
    var statement = SQLStatement(
      """
      SELECT c.relname::text, c.relkind::text, o.rolname::text, o.rolsuper OR o.rolname = current_user, \
      (SELECT a.attname::text FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid \
      WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped \
      AND t.typnamespace <> 'pg_catalog'::regnamespace AND NOT EXISTS (SELECT FROM pg_depend d \
      JOIN pg_extension e ON e.oid = d.refobjid WHERE d.classid = 'pg_type'::regclass \
      AND d.objid = t.oid AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' \
      AND e.extname = 'postgis') LIMIT 1), \
      (SELECT g.tgname::text FROM pg_trigger g JOIN pg_proc f ON f.oid = g.tgfoid \
      JOIN pg_roles w ON w.oid = f.proowner WHERE g.tgrelid = c.oid AND NOT g.tgisinternal \
      AND NOT (w.rolsuper OR w.rolname = current_user) LIMIT 1) \
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
      JOIN pg_roles o ON o.oid = c.relowner WHERE n.nspname =\u{20}
      """)
    statement.append(statement.parameter(.text(names.tables ?? ""), .text))
    statement.append(" AND c.relname = ANY(")
    let list = PostgresValue.array(.text, tables.map(PostgresValue.text))
    statement.append(statement.parameter(list, .array(.text)) + ") ORDER BY c.relname")
    let result = try await connection.run(statement)
    var facts: [TableFacts] = []
    for row in 0..<result.rowCount {
      let values = try result.row(row)
      guard case .text(let name) = values[0], case .text(let kind) = values[1],
        case .text(let owner) = values[2]
      else { continue }
      func text(_ value: PostgresValue) -> String? {
        if case .text(let text) = value { text } else { nil }
      }
      facts.append(
        TableFacts(
          name: name, kind: kind, owner: owner, isTrusted: values[3] == .bool(true),
          column: text(values[4]), trigger: text(values[5])))
    }
    return facts
  }
}
