import CadastreModel
import Foundation

/// The changes of rows of a table to those of a store: a table with the new rows is copied, and joined.
struct TableUpdate: Sendable {
  private let table: PostgresTable
  /// The keys of the rows of the store that are sent, ascending.
  let sentKeys: [Int64]
  private let deleted: [Int64]

  /// The temporary table.
  private static let temporary = "pg_temp.\"cadastre_pushed\""

  init(_ table: PostgresTable, _ differences: [RowComparison.Difference]) {
    self.table = table
    sentKeys = differences.compactMap(\.local).sorted()
    deleted = differences.filter { $0.local == nil && $0.isRemote }.compactMap(\.remote).sorted()
  }

  /// Changes the rows.
  ///
  /// - Parameters:
  ///   - rows: The rows of the store that are sent.
  ///   - connection: The connection, in a transaction.
  ///   - progress: Called with the number of rows that were sent.
  /// - Throws: ``PostgresError``, ``PostgresMappingError`` or `StoreError`.
  func run(
    _ rows: StoreRows, _ connection: PostgresConnection, progress: @escaping (Int) -> Void
  ) async throws {
    if !deleted.isEmpty { try await connection.run(table.deletion(of: deleted)) }
    try await connection.run(SQLStatement("DROP TABLE IF EXISTS \(Self.temporary)"))
    try await connection.run(
      SQLStatement(
        "CREATE TEMPORARY TABLE \"cadastre_pushed\" ON COMMIT DROP AS SELECT \(table.columnList) "
          + "FROM \(table.quotedName) WITH NO DATA"))
    guard !sentKeys.isEmpty else { return }
    let stream = StoreRowStream(rows, progress: progress)
    let chunks = PreparedChunks { try stream.bytes() }
    // The snapshot belongs to the caller again when this function ends.
    defer { chunks.finish() }
    _ = try await connection.copyIn(table.copy(into: Self.temporary)) { try chunks.next() }
    for statement in table.keyReleases(before: Self.temporary) {
      try await connection.run(statement)
    }
    let key = "\"\(ColumnName.key)\""
    let columns = table.columns.map(\.name).filter { $0 != ColumnName.key }
      .map(SQLStatement.quoted)
    if !columns.isEmpty {
      let assignments = columns.map { "\($0) = s.\($0)" }.joined(separator: ", ")
      try await connection.run(
        SQLStatement(
          "UPDATE \(table.quotedName) t SET \(assignments) FROM \(Self.temporary) s WHERE t.\(key) = s.\(key)"
        ))
    }
    try await connection.run(
      SQLStatement(
        "INSERT INTO \(table.quotedName) (\(table.columnList)) SELECT \(table.columnList) "
          + "FROM \(Self.temporary) s WHERE NOT EXISTS (SELECT FROM \(table.quotedName) t "
          + "WHERE t.\(key) = s.\(key)) ORDER BY \(key)"))
  }

  /// Returns the rows that were sent as the table has them, in the binary format and in order of their keys.
  var readBack: String {
    let key = "\"\(ColumnName.key)\""
    return "COPY (SELECT \(table.columnList) FROM \(table.quotedName) WHERE \(key) IN "
      + "(SELECT \(key) FROM \(Self.temporary)) ORDER BY \(key)) TO STDOUT (FORMAT binary)"
  }
}

extension PostgresTable {
  /// The statements that give other primary keys to rows whose primary keys other rows get, before they get
  /// their own.
  ///
  /// The server compares each row that it changes with all others, also with those that change later.
  fileprivate func keyReleases(before source: String) -> [SQLStatement] {
    guard case .scalar(let property, let type)? = fields.first(where: \.property.isPrimaryKey)
    else { return [] }
    let random: String
    switch type {
    case .int8: random = "('x' || left(md5(gen_random_uuid()::text), 16))::bit(64)::int8"
    case .uuid: random = "gen_random_uuid()"
    case .bytea: random = "uuid_send(gen_random_uuid())"
    default: random = "gen_random_uuid()::text"
    }
    let (key, column) = ("\"\(ColumnName.key)\"", SQLStatement.quoted(property.columnName))
    // Equal values are found by hash, and nulls are not equal.
    let conditions =
      ["o.\(column) = t.\(column)"]
      + (property.isOptional ? ["o.\(column) IS NULL AND t.\(column) IS NULL"] : [])
    return conditions.map {
      SQLStatement(
        "UPDATE \(quotedName) t SET \(column) = \(random) FROM \(source) s, \(source) o "
          + "WHERE t.\(key) = s.\(key) AND o.\(key) <> s.\(key) AND \($0)")
    }
  }
}

/// What the server says of a table.
extension PostgresTable {
  /// A foreign key of a link.
  struct LinkConstraint: Sendable {
    let column: String
    let name: String
    let isDeferrable: Bool
  }

  /// Reads the foreign keys of the links.
  func linkConstraints(_ connection: PostgresConnection) async throws -> [LinkConstraint] {
    guard !foreignKeys.isEmpty else { return [] }
    var statement = SQLStatement(
      "SELECT a.attname::text, c.conname::text, c.condeferrable FROM pg_constraint c JOIN pg_attribute a "
        + "ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1] WHERE c.contype = 'f' "
        + "AND cardinality(c.conkey) = 1 AND c.conrelid = ")
    statement.append(statement.parameter(.text(quotedName), .text) + "::regclass")
    let result = try await connection.run(statement)
    var found: [LinkConstraint] = []
    for row in 0..<result.rowCount {
      guard case .text(let column) = try result.value(row, 0),
        case .text(let name) = try result.value(row, 1),
        foreignKeys.contains(where: { $0.column == column })
      else { continue }
      let isDeferrable = try result.value(row, 2) == .bool(true)
      found.append(LinkConstraint(column: column, name: name, isDeferrable: isDeferrable))
    }
    return found
  }

  /// Throws an error if row security hides rows from the role.
  ///
  /// - Parameters:
  ///   - connection: The connection.
  ///   - reason: Why all rows are needed.
  /// - Throws: ``PostgresMappingError`` or ``PostgresError``.
  func requireAllRows(
    _ connection: PostgresConnection, otherwise reason: String
  ) async throws {
    var statement = SQLStatement("SELECT row_security_active(")
    statement.append(statement.parameter(.text(quotedName), .text) + ")")
    guard try await connection.run(statement).value(0, 0) == .bool(true) else { return }
    throw PostgresMappingError(
      subject: "table '\(schema.className)'",
      reason:
        "row security hides rows from this role, and \(reason); connect as the owner of the table or as a "
        + "role with BYPASSRLS")
  }

  /// Whether the trigger of the points exists, and no geography is generated.
  func hasCurrentPoints(_ connection: PostgresConnection) async throws -> Bool {
    guard hasPointTrigger else { return true }
    var statement = SQLStatement("SELECT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = ")
    let table = statement.parameter(.text(quotedName), .text) + "::regclass"
    let trigger = statement.parameter(.text(Self.pointTrigger), .text)
    statement.append(
      "\(table) AND tgname = \(trigger)) AND NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = \(table) "
        + "AND attgenerated = 's' AND attname = ANY(")
    let names = PostgresValue.array(.text, geographies.map(PostgresValue.text))
    statement.append(statement.parameter(names, .array(.text)) + "))")
    return try await connection.run(statement).value(0, 0) == .bool(true)
  }

  /// The statements that let values of a column repeat.
  func uniqueKeyRemovals(
    of column: String, _ connection: PostgresConnection
  ) async throws -> [SQLStatement] {
    var statement = SQLStatement(
      "SELECT c.conname::text FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid "
        + "AND a.attnum = c.conkey[1] WHERE c.contype = 'u' AND a.attname = ")
    statement.append(statement.parameter(.text(column), .text) + " AND c.conrelid = ")
    statement.append(statement.parameter(.text(quotedName), .text) + "::regclass")
    return try await connection.run(statement).texts().map {
      SQLStatement("ALTER TABLE \(quotedName) DROP CONSTRAINT \(SQLStatement.quoted($0))")
    }
  }
}
