/// The statements of the extension Citus, which spreads the rows of a table over a cluster.
extension PostgresTable {
  /// Spreads the rows of the empty table by their keys.
  var citusDistribution: SQLStatement {
    SQLStatement(
      "SELECT create_distributed_table(\(SQLStatement.literal(quotedName)), "
        + "\(SQLStatement.literal(ColumnName.key)))")
  }

  /// Creates the extension.
  ///
  /// - Throws: ``PostgresMappingError`` if the server does not have it, or ``PostgresError``.
  static func requireCitus(_ connection: PostgresConnection) async throws {
    let found = try await connection.run(
      "SELECT count(*) FROM pg_available_extensions WHERE name = 'citus'")
    guard try found.integer(0, 0) > 0 else {
      throw PostgresMappingError(
        subject: "the database",
        reason: "its server has no extension 'citus', which spreads rows over a cluster; "
          + "--partition-by divides them without it")
    }
    try await connection.run("CREATE EXTENSION IF NOT EXISTS citus")
  }
}
