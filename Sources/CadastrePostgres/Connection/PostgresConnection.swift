import CPostgreSQL
import Foundation

/// A connection to a PostgreSQL server.
///
/// The address is a URL or a connection string in the syntax of `psql`; libpq completes it from the service file,
/// the password file and the environment. A task that waits for the server is suspended. Cancelling the task
/// cancels the statement on the server. Releasing the last reference closes the connection.
package actor PostgresConnection {
  private let executor = QueueExecutor()
  // Safe because only jobs of the executor use it; `deinit` closes it after the last job.
  private nonisolated(unsafe) let handle: OpaquePointer
  private let request: CancelRequest
  private let notices: NoticeReceiver
  /// The timeouts and the notice handler.
  nonisolated let settings: ConnectionSettings
  /// The maximum time without traffic while the client waits; nil for no limit.
  private var silenceLimit: Duration?
  private var silence = Silence()
  /// The reason for which the connection is unusable; nil for a usable one.
  private var loss: String?
  /// The schemas of the role's search path; statements qualify tables with them.
  private(set) var searchPath: [String] = []
  /// Whether the role is a superuser, whose rights code of other roles must not obtain.
  private(set) var isSuperuser = false

  /// The time without traffic.
  private struct Silence {
    /// The start of the wait, or the last traffic.
    var start = ContinuousClock().now
    /// Whether the client waits for the reaction to a cancel request.
    var isCancelled = false
    /// Whether the reply timeout caused the cancel request.
    var isTimeout = false
  }

  /// The executor, whose thread blocks while the connection waits.
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  private init(_ handle: OpaquePointer, _ notices: NoticeReceiver, _ settings: ConnectionSettings) {
    self.handle = handle
    self.notices = notices
    self.settings = settings
    request = CancelRequest(handle)
    silenceLimit = settings.shortSilenceLimit
  }

  deinit { PQfinish(handle) }

  /// Opens a connection.
  ///
  /// - Parameters:
  ///   - address: A URL such as `postgresql://user@host/database`, or a connection string.
  ///   - settings: The timeouts and the notice handler.
  /// - Returns: The connection.
  /// - Throws: ``PostgresError`` if the address cannot be read or the server refuses it.
  package static func open(
    _ address: String, _ settings: ConnectionSettings = ConnectionSettings()
  ) async throws(PostgresError) -> PostgresConnection {
    let notices = NoticeReceiver(settings.noticeHandler)
    let handle = try await ConnectionOpener().open(address, notices)
    let connection = PostgresConnection(handle.pointer, notices, settings)
    try await connection.prepare()
    return connection
  }

  /// Sets the parameters of the session, and reads the search path and the rights of the role.
  private func prepare() async throws(PostgresError) {
    // `extra_float_digits` gives equal results on every server. The search path excludes functions, operators and
    // types of other roles.
    var values = [
      ("client_min_messages", settings.noticeHandler == nil ? "error" : "warning"),
      ("extra_float_digits", "3"), ("search_path", "pg_catalog, pg_temp"),
    ]
    if let timeout = settings.statementTimeout {
      values.append(("statement_timeout", "\(Int(max(1, timeout / .milliseconds(1))))"))
    }
    let calls = values.map { ", pg_catalog.set_config('\($0.0)', '\($0.1)', false)" }
    let result = try await run(
      SQLStatement(
        "WITH state AS MATERIALIZED (SELECT pg_catalog.current_schemas(false)::pg_catalog.text[] AS path, "
          + "pg_catalog.current_setting('is_superuser') AS is_superuser) "
          + "SELECT path, is_superuser\(calls.joined()) FROM state"))
    guard result.rowCount == 1, case .array(_, let path) = try result.value(0, 0),
      case .text(let isSuperuser) = try result.value(0, 1)
    else {
      throw PostgresError(
        .unexpectedValue, "connecting", "the server does not name the search path of the role")
    }
    searchPath = path.compactMap { if case .text(let name) = $0 { name } else { nil } }
    self.isSuperuser = isSuperuser == "on"
    silenceLimit = settings.silenceLimit
  }

  /// Whether the connection is open and outside of transactions.
  var isUsable: Bool {
    var file = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
    // An idle connection with input was most likely closed by the server.
    guard loss == nil, poll(&file, 1, 0) == 0 else { return false }
    return PQstatus(handle) == CONNECTION_OK && !isInTransaction
  }

  /// Whether a transaction was begun and has not ended.
  var isInTransaction: Bool { PQtransactionStatus(handle) != PQTRANS_IDLE }

  /// Runs a statement and returns all rows.
  ///
  /// - Parameters:
  ///   - statement: The statement.
  ///   - summary: The text for messages; by default the beginning of the statement.
  /// - Returns: The rows.
  /// - Throws: ``PostgresError``; the connection stays usable unless it was lost.
  @discardableResult
  package func run(
    _ statement: SQLStatement, summary: String? = nil
  ) async throws(PostgresError) -> ResultBuffer {
    let summary = summary ?? statement.summary
    return try await cancellable { connection throws(PostgresError) in
      try connection.send(statement, summary)
      return try connection.checked(try connection.nextResult(summary), summary)
    }
  }

  /// Runs a statement and passes its rows to a closure, one at a time, with constant memory.
  ///
  /// An error of the closure cancels the statement.
  ///
  /// - Parameters:
  ///   - statement: The statement.
  ///   - body: The closure, which receives a result with one row.
  /// - Throws: ``PostgresError``, or the error of the closure.
  package func forEachRow(
    of statement: SQLStatement, _ body: @Sendable (ResultBuffer) throws -> Void
  ) async throws {
    try await cancellable { connection in
      let operation = statement.summary
      try connection.send(statement, operation)
      guard PQsetSingleRowMode(connection.handle) == 1 else {
        throw connection.error(nil, operation)
      }
      try connection.drain(operation, body)
    }
  }

  /// Copies rows into a table by `COPY … FROM STDIN`, in the binary format.
  ///
  /// - Parameters:
  ///   - text: The statement, which has no parameters.
  ///   - next: Returns the next bytes of the stream; nil at its end.
  /// - Returns: The number of copied rows.
  /// - Throws: ``PostgresError``, or the error of `next`; nothing is copied then.
  package func copyIn(
    _ text: String, _ next: @Sendable () throws -> [UInt8]?
  ) async throws -> Int {
    try await cancellable { connection in
      let operation = SQLStatement(text).summary
      try connection.begin(copy: text, PGRES_COPY_IN, operation)
      do {
        while let bytes = try next() {
          // Without an error, the rows so far would become a complete copy.
          if connection.request.wasSent {
            throw PostgresError(.cancelled, operation, "the task was cancelled")
          }
          let sent = bytes.withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: CChar.self) {
              PQputCopyData(connection.handle, $0.baseAddress, Int32($0.count))
            }
          }
          // libpq buffers unsent bytes in memory, so that the client waits until they are sent.
          guard sent == 1,
            try connection.wait(operation, while: { PQflush(connection.handle) == 1 })
          else { throw connection.error(nil, operation) }
        }
      } catch {
        PQputCopyEnd(connection.handle, "the client has no more rows")
        connection.discardResults()
        throw error
      }
      PQputCopyEnd(connection.handle, nil)
      return try connection.checked(try connection.nextResult(operation), operation)
        .changedRowCount ?? 0
    }
  }

  /// Passes the rows of `COPY … TO STDOUT` in the binary format to a closure, in chunks of bytes.
  ///
  /// - Parameters:
  ///   - text: The statement, which has no parameters.
  ///   - body: The closure.
  /// - Throws: ``PostgresError``, or the error of the closure.
  package func copyOut(_ text: String, _ body: @Sendable ([UInt8]) throws -> Void) async throws {
    try await cancellable { connection in
      let operation = SQLStatement(text).summary
      try connection.begin(copy: text, PGRES_COPY_OUT, operation)
      var failure: (any Error)?
      while true {
        let bytes: UnsafeRawBufferPointer
        do {
          guard let next = try connection.nextCopyData(operation) else { break }
          bytes = next
        } catch {
          throw failure ?? error as any Error
        }
        defer { PQfreemem(UnsafeMutableRawPointer(mutating: bytes.baseAddress)) }
        guard failure == nil else { continue }
        do {
          try body(Array(bytes))
        } catch {
          failure = error
          connection.request.cancel()
        }
      }
      if let failure {
        connection.discardResults()
        throw failure
      }
      _ = try connection.checked(try connection.nextResult(operation), operation)
    }
  }

  /// Returns the next bytes of a copy, which the caller frees; nil at the end.
  private func nextCopyData(_ operation: String) throws(PostgresError) -> UnsafeRawBufferPointer? {
    var address = 0
    var count: Int32 = 0
    try wait(operation) {
      var data: UnsafeMutablePointer<CChar>?
      count = PQgetCopyData(handle, &data, 1)
      address = Int(bitPattern: data)
      return count == 0
    }
    guard count > 0 else { return nil }
    return UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: address), count: Int(count))
  }

  // MARK: Results

  private func cancellable<Result: Sendable, Failure>(
    _ body: (isolated PostgresConnection) throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let request = self.request
    request.begin()
    let outcome: Swift.Result<Result, Failure> = await withTaskCancellationHandler {
      defer { end() }
      do throws(Failure) {
        return .success(try body(self))
      } catch {
        return .failure(error)
      }
    } onCancel: {
      request.cancel()
    }
    return try outcome.get()
  }

  /// Ends a statement; the connection is lost if a cancel request may still reach the next one.
  private func end() {
    let seconds = loss == nil ? settings.cancelTimeout / .seconds(1) : 0
    if !request.end(waiting: seconds), loss == nil {
      loss = "the connection was given up, because the server did not answer a cancel request"
    }
  }

  private func error(_ result: OpaquePointer?, _ operation: String) -> PostgresError {
    PostgresError(
      result, handle, operation, wasCancelled: request.wasSent && !silence.isTimeout)
  }

  private func required(
    _ result: OpaquePointer?, _ operation: String
  ) throws(PostgresError) -> OpaquePointer {
    guard let result else { throw error(nil, operation) }
    return result
  }

  /// Sends a statement.
  private func send(_ statement: SQLStatement, _ operation: String) throws(PostgresError) {
    if let loss { throw PostgresError(.connection, operation, loss) }
    silence = Silence()
    let isSent = statement.withParameters { count, types, values, lengths, formats in
      PQsendQueryParams(handle, statement.text, count, types, values, lengths, formats, 1)
    }
    guard isSent == 1 else { throw error(nil, operation) }
  }

  /// Sends a statement that copies rows, and waits until the server is ready for them.
  private func begin(
    copy text: String, _ status: ExecStatusType, _ operation: String
  ) throws(PostgresError) {
    try send(SQLStatement(text), operation)
    let begun = try required(try nextResult(operation, copying: status), operation)
    defer { PQclear(begun) }
    guard PQresultStatus(begun) == status else {
      let failure = error(begun, operation)
      discardResults()
      throw failure
    }
  }

  /// Returns the next result of the sent statement; nil at its end.
  ///
  /// - Parameters:
  ///   - operation: The operation that errors name.
  ///   - copying: The status of a result that begins a copy; nil for a statement that copies nothing.
  /// - Returns: The result.
  /// - Throws: ``PostgresError`` if the connection is lost.
  private func nextResult(
    _ operation: String, copying: ExecStatusType? = nil
  ) throws(PostgresError) -> OpaquePointer? {
    try wait(operation) { PQisBusy(handle) == 1 }
    guard let result = PQgetResult(handle) else { return nil }
    let status = PQresultStatus(result)
    // libpq returns the result of a copy repeatedly until all rows were copied.
    if [PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH].contains(status), status != copying {
      PQclear(result)
      let loss = "the server began to copy rows, which it was not asked for"
      self.loss = loss
      throw PostgresError(.unexpectedValue, operation, loss)
    }
    return result
  }

  /// Discards the remaining results of a statement.
  private func discardResults() {
    do throws(PostgresError) {
      while let result = try nextResult("reading the end of a statement") { PQclear(result) }
    } catch {
      // The next statement reports the lost connection.
    }
  }

  /// Exchanges bytes with the server while a condition holds.
  ///
  /// - Returns: Whether the connection is open.
  /// - Throws: ``PostgresError`` after the maximum time without traffic; the connection is lost then.
  @discardableResult
  private func wait(
    _ operation: String, while isWaiting: () -> Bool
  ) throws(PostgresError) -> Bool {
    silence.start = ContinuousClock().now
    while isWaiting() {
      guard try exchange(operation) else { return false }
    }
    return true
  }

  /// Waits at most 100 ms for traffic, and exchanges bytes.
  private func exchange(_ operation: String) throws(PostgresError) -> Bool {
    if let loss { throw PostgresError(.connection, operation, loss) }
    let events = PQflush(handle) == 1 ? POLLIN | POLLOUT : POLLIN
    var file = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
    guard file.fd >= 0 else { return false }
    if poll(&file, 1, 100) > 0 {
      silence.start = ContinuousClock().now
      return PQconsumeInput(handle) == 1
    }
    request.repeatIfSent()
    try checkSilence(operation)
    return true
  }

  /// Cancels the statement after the maximum time without traffic, and marks the connection as lost if the server
  /// does not react.
  private func checkSilence(_ operation: String) throws(PostgresError) {
    if request.wasSent, !silence.isCancelled {
      silence.isCancelled = true
      silence.start = ContinuousClock().now
    }
    let limit = silence.isCancelled ? settings.cancelTimeout : silenceLimit
    guard let limit, ContinuousClock().now - silence.start > limit else { return }
    guard silence.isCancelled else {
      silence.isTimeout = true
      return request.cancel()
    }
    let loss = "the connection was given up, because the server did not answer any more"
    self.loss = loss
    throw PostgresError(silence.isTimeout ? .timeout : .cancelled, operation, loss)
  }

  /// Returns a result without error, after the end of the statement.
  private func checked(
    _ result: OpaquePointer?, _ operation: String
  ) throws(PostgresError) -> ResultBuffer {
    let result = try required(result, operation)
    defer { discardResults() }
    switch PQresultStatus(result) {
    case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: return ResultBuffer(result)
    default:
      defer { PQclear(result) }
      throw error(result, operation)
    }
  }

  /// Passes the rows of a sent statement to a closure, and reads all results also after an error.
  private func drain(_ operation: String, _ body: (ResultBuffer) throws -> Void) throws {
    var failure: (any Error)?
    func next() throws -> OpaquePointer? {
      do { return try nextResult(operation) } catch { throw failure ?? error as any Error }
    }
    while let result = try next() {
      switch PQresultStatus(result) {
      case PGRES_SINGLE_TUPLE:
        let row = ResultBuffer(result)
        guard failure == nil else { continue }
        do { try body(row) } catch {
          failure = error
          request.cancel()
        }
      case PGRES_TUPLES_OK, PGRES_COMMAND_OK: PQclear(result)
      default:
        if failure == nil { failure = error(result, operation) }
        PQclear(result)
      }
    }
    if let failure { throw failure }
  }
}

extension PostgresConnection {
  /// The kind of a transaction.
  package enum TransactionKind: Sendable {
    /// A read-only transaction in which all statements see the same snapshot.
    case snapshot
    /// A read-write transaction.
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

  /// Runs a closure in a transaction, which commits if the closure returns and rolls back if it throws.
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

  /// Commits the transaction.
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

  /// Rolls back the open transaction, also in a cancelled task.
  package nonisolated func rollBack() async {
    await Task {
      if await self.isInTransaction { _ = try? await self.run("ROLLBACK") }
    }.value
  }
}
