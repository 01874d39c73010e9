import CadastrePredicate
import CadastreStore

/// A cursor over the rows of a query, which reads batches in one snapshot of the database.
///
/// The connection returns to its pool after the last row, or when the cursor is released.
// Safe because an iterator uses it from one task at a time.
final class RowCursor: @unchecked Sendable {
  /// The number of rows of a batch.
  private static let batch = 1000

  /// The connection pool of the database.
  let pool: ConnectionPool
  private let connection: PostgresConnection
  private let table: PostgresTable
  /// The classes of the database.
  let classes: RemoteClasses
  private var isOpen = true

  /// The layout of the rows.
  var layout: TableLayout { table.layout }

  /// Opens a cursor.
  ///
  /// - Throws: ``PostgresError``, or ``UntranslatablePart`` for a part without exact translation.
  init(_ query: RemoteQuery, _ pool: ConnectionPool) async throws {
    guard let table = query.classes.tables[query.bound.className] else {
      throw UntranslatablePart(
        part: query.bound.className, reason: "the class has no table on the server")
    }
    self.table = table
    classes = query.classes
    self.pool = pool
    connection = try await pool.acquire()
    do {
      try await connection.begin(.snapshot)
      let statement = try await query.statement(.rows, connection)
      try await connection.run(statement.declaration(of: "rows"))
    } catch {
      await close()
      throw error
    }
  }

  deinit {
    guard isOpen else { return }
    let (connection, pool) = (connection, pool)
    Task {
      await connection.rollBack()
      await pool.release(connection)
    }
  }

  /// Returns the next rows; none at the end.
  ///
  /// - Parameter staysOpen: Whether the cursor stays open after the last rows, for calls of ``rows(of:_:)``.
  /// - Returns: The rows.
  /// - Throws: ``PostgresError``; the cursor is closed then.
  func next(staysOpen: Bool) async throws -> [ImportRow] {
    guard isOpen else { return [] }
    do {
      let result = try await connection.run(SQLStatement("FETCH \(Self.batch) FROM rows"))
      var rows: [ImportRow] = []
      rows.reserveCapacity(result.rowCount)
      if result.rowCount < (staysOpen ? 1 : Self.batch) { await close() }
      for row in 0..<result.rowCount { rows.append(try table.decoded(try result.row(row), layout)) }
      return rows
    } catch {
      await close()
      throw error
    }
  }

  /// Returns rows of a table by their keys, in the snapshot of the cursor.
  ///
  /// - Throws: ``PostgresError``; the cursor is closed then.
  func rows(of table: PostgresTable, _ keys: [Int64]) async throws -> [(key: Int64, row: ImportRow)]
  {
    var statement = SQLStatement("SELECT \(table.selection("t")) FROM \(table.quotedName) t WHERE ")
    let parameter = statement.parameter(
      .array(.int8, keys.map(PostgresValue.int8)), .array(.int8))
    statement.append("t.\"\(ColumnNaming.key)\" = ANY(\(parameter))")
    do {
      let result = try await connection.run(statement)
      return try (0..<result.rowCount).map { row in
        (try result.integer(row, 0), try table.decoded(try result.row(row), table.layout))
      }
    } catch {
      await close()
      throw error
    }
  }

  private func close() async {
    isOpen = false
    await connection.rollBack()
    await pool.release(connection)
  }
}
