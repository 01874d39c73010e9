import CadastreModel
import Foundation

/// The update of a table to the rows of a store, by a join with a temporary table of the new rows.
struct TableUpdate: Sendable {
  private let table: PostgresTable
  /// The keys of the sent rows in the store, ascending.
  let sentKeys: [Int64]
  private let deleted: [Int64]

  /// The name of the temporary table.
  private static let temporary = "pg_temp.\"cadastre_pushed\""

  init(_ table: PostgresTable, _ differences: [RowComparison.Difference]) {
    self.table = table
    sentKeys = differences.compactMap(\.local).sorted()
    deleted = differences.filter { $0.local == nil && $0.isRemote }.compactMap(\.remote).sorted()
  }

  /// Runs the update.
  ///
  /// - Parameters:
  ///   - rows: The sent rows of the store.
  ///   - connection: The connection, in a transaction.
  ///   - progress: Called with the number of sent rows.
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
    // The encoding thread must not use the snapshot after this function.
    defer { chunks.finish() }
    _ = try await connection.copyIn(table.copy(into: Self.temporary)) { try chunks.next() }
    for statement in keyReleases {
      try await connection.run(statement)
    }
    let key = "\"\(ColumnNaming.key)\""
    let columns = table.columns.map(\.name).filter { $0 != ColumnNaming.key }
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

  /// The statement that reads the sent rows back, in the binary format and in ascending order of their keys.
  var readBack: String {
    let key = "\"\(ColumnNaming.key)\""
    return "COPY (SELECT \(table.columnList) FROM \(table.quotedName) WHERE \(key) IN "
      + "(SELECT \(key) FROM \(Self.temporary)) ORDER BY \(key)) TO STDOUT (FORMAT binary)"
  }

  /// The statements that assign random primary keys to rows whose primary keys move to other rows.
  ///
  /// The server checks a unique key after each updated row, also against rows that the same statement updates later.
  private var keyReleases: [SQLStatement] {
    guard case .scalar(let property, let type)? = table.fields.first(where: \.property.isPrimaryKey)
    else { return [] }
    let random: String
    switch type {
    case .int8: random = "('x' || left(md5(gen_random_uuid()::text), 16))::bit(64)::int8"
    case .uuid: random = "gen_random_uuid()"
    case .bytea: random = "uuid_send(gen_random_uuid())"
    default: random = "gen_random_uuid()::text"
    }
    let (key, column) = ("\"\(ColumnNaming.key)\"", SQLStatement.quoted(property.columnName))
    // Two statements, because the server joins equal values by hash, but not nulls.
    let conditions =
      ["o.\(column) = t.\(column)"]
      + (property.isOptional ? ["o.\(column) IS NULL AND t.\(column) IS NULL"] : [])
    return conditions.map {
      SQLStatement(
        "UPDATE \(table.quotedName) t SET \(column) = \(random) FROM \(Self.temporary) s, \(Self.temporary) o "
          + "WHERE t.\(key) = s.\(key) AND o.\(key) <> s.\(key) AND \($0)")
    }
  }
}
