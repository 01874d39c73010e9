import CPostgreSQL

extension PostgresConnection {
  /// The kind of a transaction.
  package enum TransactionKind: Sendable {
    /// All statements see the same version of the data, and change nothing.
    case snapshot
    /// Statements change data.
    case writing

    fileprivate var begin: SQLStatement {
      switch self {
      case .snapshot: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
      case .writing: "BEGIN"
      }
    }
  }

  /// Begins a transaction.
  nonisolated func begin(_ kind: TransactionKind) async throws(PostgresError) {
    try await run(kind.begin)
  }

  /// Runs a transaction: committed if the closure returns, rolled back if it throws.
  ///
  /// - Throws: ``PostgresError``, or the error of the closure; nothing is changed then.
  package nonisolated func transaction<Result: Sendable>(
    _ kind: TransactionKind,
    _ body: @Sendable (PostgresConnection) async throws -> Result
  ) async throws -> Result {
    try await begin(kind)
    let outcome: Swift.Result<Result, any Error>
    do {
      outcome = .success(try await body(self))
    } catch {
      outcome = .failure(error)
    }
    if case .success = outcome { try await commit() } else { await rollBack() }
    return try outcome.get()
  }

  /// Makes the changes of the transaction permanent.
  ///
  /// - Throws: ``PostgresError``; the transaction is rolled back then.
  nonisolated func commit() async throws(PostgresError) {
    do throws(PostgresError) {
      try await run("COMMIT")
    } catch {
      await rollBack()
      throw error
    }
  }

  /// Ends the transaction, if there is one, without changes; also in a task that was cancelled.
  package nonisolated func rollBack() async {
    await Task {
      if await self.isInTransaction { _ = try? await self.run("ROLLBACK") }
    }.value
  }
}
