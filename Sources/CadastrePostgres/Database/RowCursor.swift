import CadastrePredicate
import CadastreStore

/// The rows of a query, read in batches in one snapshot of the database.
///
/// The connection goes back to its pool after the last row, or when the cursor is released.
// Safe because an iterator uses it from one task at a time.
final class RowCursor: @unchecked Sendable {
  /// The number of rows that are read at once.
  private static let batch = 1000

  private let pool: ConnectionPool
  private let connection: PostgresConnection
  private let table: PostgresTable
  private var isOpen = true

  /// The table that could hold the rows.
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
  /// - Throws: ``PostgresError``; the cursor is closed then.
  func next() async throws -> [ImportRow] {
    guard isOpen else { return [] }
    do {
      let result = try await connection.run(SQLStatement("FETCH \(Self.batch) FROM rows"))
      var rows: [ImportRow] = []
      rows.reserveCapacity(result.rowCount)
      for row in 0..<result.rowCount { rows.append(try table.decoded(try result.row(row), layout)) }
      if rows.count < Self.batch { await close() }
      return rows
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
