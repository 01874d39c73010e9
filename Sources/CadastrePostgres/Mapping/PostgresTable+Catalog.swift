import CadastreModel

/// The definition and the constraints of the table in the catalog of the server.
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
    var constraints: [LinkConstraint] = []
    for row in 0..<result.rowCount {
      guard case .text(let column) = try result.value(row, 0),
        case .text(let name) = try result.value(row, 1),
        foreignKeys.contains(where: { $0.column == column })
      else { continue }
      let isDeferrable = try result.value(row, 2) == .bool(true)
      constraints.append(LinkConstraint(column: column, name: name, isDeferrable: isDeferrable))
    }
    return constraints
  }

  /// Requires that row security hides no rows from the role.
  ///
  /// - Parameters:
  ///   - connection: The connection.
  ///   - reason: The consequence of hidden rows, for the message.
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

  /// Returns whether the trigger of the points exists and no geography is generated.
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

  /// Returns the statements that drop the unique constraints of a column.
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
