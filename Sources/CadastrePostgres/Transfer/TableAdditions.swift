/// The additions of other programs to a table and the objects that depend on it; dropping the table loses them.
struct TableAdditions: Sendable {
  /// The names, such as "view v" or "column note".
  let names: [String]
  /// The statements that restore the privileges of other roles.
  let grants: [SQLStatement]

  /// Reads the additions to a table and its dependents.
  ///
  /// - Parameters:
  ///   - table: The table.
  ///   - own: The names of the tables of classes, whose foreign keys a push restores.
  ///   - connection: The connection.
  /// - Throws: ``PostgresError``.
  init(to table: PostgresTable, own: [String], _ connection: PostgresConnection) async throws {
    var statement = SQLStatement("WITH t AS (SELECT ")
    let name = statement.parameter(.text(table.quotedName), .text)
    let columns = statement.texts(table.columns.map(\.name) + table.geographies)
    let indexes = statement.texts([ColumnNaming.key] + table.indexedColumns)
    let tables = statement.texts(own)
    let trigger = statement.parameter(.text(PostgresTable.pointTrigger), .text)
    statement.append(
      """
      \(name)::regclass::oid AS id) \
      SELECT 'column ' || a.attname FROM pg_attribute a, t WHERE a.attrelid = t.id AND a.attnum > 0 \
      AND NOT a.attisdropped AND a.attname <> ALL(\(columns)) \
      UNION SELECT 'rights to column ' || a.attname FROM pg_attribute a, t WHERE a.attrelid = t.id \
      AND a.attacl IS NOT NULL AND NOT a.attisdropped \
      UNION SELECT 'trigger ' || g.tgname FROM pg_trigger g, t WHERE g.tgrelid = t.id \
      AND NOT g.tgisinternal AND g.tgname <> \(trigger) \
      UNION SELECT 'policy ' || p.polname FROM pg_policy p, t WHERE p.polrelid = t.id \
      UNION SELECT CASE v.relkind WHEN 'm' THEN 'materialized view ' WHEN 'v' THEN 'view ' ELSE 'rule on ' END \
      || v.relname FROM pg_rewrite r JOIN pg_class v ON v.oid = r.ev_class, t WHERE r.ev_class <> t.id \
      AND EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid \
      AND d.refclassid = 'pg_class'::regclass AND d.refobjid = t.id) \
      UNION SELECT 'rule ' || r.rulename FROM pg_rewrite r, t WHERE r.ev_class = t.id \
      UNION SELECT 'constraint ' || c.conname || ' of ' || o.relname FROM pg_constraint c \
      JOIN pg_class o ON o.oid = c.conrelid, t WHERE c.confrelid = t.id AND c.contype = 'f' \
      AND o.relname <> ALL(\(tables)) AND c.conparentid = 0 \
      UNION SELECT 'constraint ' || c.conname FROM pg_constraint c, t WHERE c.conrelid = t.id \
      AND c.contype IN ('c', 'x', 't') \
      UNION SELECT 'index ' || i.relname FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid, t \
      WHERE x.indrelid = t.id AND (x.indexprs IS NOT NULL OR x.indpred IS NOT NULL \
      OR (SELECT string_agg(a.attname::text, ',' ORDER BY k.n) FROM unnest(x.indkey) WITH ORDINALITY AS k(c, n) \
      JOIN pg_attribute a ON a.attrelid = t.id AND a.attnum = k.c) <> ALL(\(indexes))) \
      ORDER BY 1
      """)
    names = try await connection.run(statement).texts()
    grants = try await Self.grants(on: table, connection)
  }

  /// Reads the names of the dependents of columns.
  ///
  /// - Throws: ``PostgresError``.
  static func names(
    dependingOn columns: [String], of table: PostgresTable, _ connection: PostgresConnection
  ) async throws -> [String] {
    var statement = SQLStatement(
      "SELECT DISTINCT coalesce((SELECT CASE v.relkind WHEN 'm' THEN 'materialized view ' ELSE 'view ' END "
        + "|| v.relname FROM pg_rewrite r JOIN pg_class v ON v.oid = r.ev_class "
        + "WHERE d.classid = 'pg_rewrite'::regclass AND r.oid = d.objid), "
        + "pg_describe_object(d.classid, d.objid, d.objsubid)) FROM pg_depend d "
        + "JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid "
        + "WHERE d.refclassid = 'pg_class'::regclass AND d.deptype = 'n' AND d.refobjid = ")
    statement.append(statement.parameter(.text(table.quotedName), .text) + "::regclass AND ")
    statement.append("a.attname = ANY(\(statement.texts(columns))) ORDER BY 1")
    return try await connection.run(statement).texts()
  }

  private static func grants(
    on table: PostgresTable, _ connection: PostgresConnection
  ) async throws -> [SQLStatement] {
    var statement = SQLStatement(
      "SELECT 'GRANT ' || g.privilege_type || ' ON TABLE ' || ")
    statement.append(statement.parameter(.text(table.quotedName), .text))
    statement.append(
      " || ' TO ' || CASE g.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(w.rolname) END "
        + "|| CASE WHEN g.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END FROM pg_class c, "
        + "aclexplode(c.relacl) g LEFT JOIN pg_roles w ON w.oid = g.grantee "
        + "WHERE g.grantee <> c.relowner AND c.oid = ")
    statement.append(statement.parameter(.text(table.quotedName), .text) + "::regclass")
    return try await connection.run(statement).texts().map { SQLStatement($0) }
  }
}
