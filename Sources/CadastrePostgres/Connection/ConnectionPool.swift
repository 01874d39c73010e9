/// Connections to one server, each used by one task at a time.
///
/// While all connections are in use, further tasks are suspended in a queue.
actor ConnectionPool {
  private let address: String
  private let settings: ConnectionSettings
  private let limit: Int
  private var idle: [PostgresConnection] = []
  /// The number of connections that are idle, in use or being opened.
  private var count = 0
  private var waiting: [(number: Int, continuation: CheckedContinuation<Void, any Error>)] = []
  private var lastNumber = 0

  /// Creates a pool without connections.
  init(_ address: String, limit: Int, _ settings: ConnectionSettings) {
    self.address = address
    self.limit = max(1, limit)
    self.settings = settings
  }

  /// Calls a closure with a connection that no other task uses.
  ///
  /// - Throws: ``PostgresError`` if no connection can be opened, `CancellationError`, or the error of
  ///   the closure.
  nonisolated func withConnection<Result: Sendable>(
    _ body: @Sendable (PostgresConnection) async throws -> Result
  ) async throws -> Result {
    let connection = try await acquire()
    do {
      let result = try await body(connection)
      await release(connection)
      return result
    } catch {
      await release(connection)
      throw error
    }
  }

  /// Takes a connection, which the caller returns with ``release(_:)``.
  func acquire() async throws -> PostgresConnection {
    while true {
      while let connection = idle.popLast() {
        if await connection.isUsable { return connection }
        count -= 1
      }
      if count < limit {
        count += 1
        do throws(PostgresError) {
          return try await PostgresConnection.open(address, settings)
        } catch {
          count -= 1
          wakeNext()
          throw error
        }
      }
      try await wait()
    }
  }

  /// Returns a connection to the pool; a lost one, or one with an open transaction, is closed.
  func release(_ connection: PostgresConnection) async {
    if await connection.isUsable { idle.append(connection) } else { count -= 1 }
    wakeNext()
  }

  private func wait() async throws {
    lastNumber += 1
    let number = lastNumber
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation {
        (continuation: CheckedContinuation<Void, any Error>) in
        if Task.isCancelled {
          continuation.resume(throwing: CancellationError())
        } else {
          waiting.append((number, continuation))
        }
      }
    } onCancel: {
      Task { await self.cancel(number) }
    }
  }

  private func cancel(_ number: Int) {
    guard let index = waiting.firstIndex(where: { $0.number == number }) else { return }
    waiting.remove(at: index).continuation.resume(throwing: CancellationError())
  }

  private func wakeNext() {
    if !waiting.isEmpty { waiting.removeFirst().continuation.resume() }
  }
}
