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

  /// Returns the rows that were sent as the table has them, in the binary format and in order of their keys.
  var readBack: String {
    let key = "\"\(ColumnNaming.key)\""
    return "COPY (SELECT \(table.columnList) FROM \(table.quotedName) WHERE \(key) IN "
      + "(SELECT \(key) FROM \(Self.temporary)) ORDER BY \(key)) TO STDOUT (FORMAT binary)"
  }

  /// The statements that give other primary keys to rows whose primary keys other rows get, before they get
  /// their own.
  ///
  /// The server compares each row that it changes with all others, also with those that change later.
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
    // Equal values are found by hash, and nulls are not equal.
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
