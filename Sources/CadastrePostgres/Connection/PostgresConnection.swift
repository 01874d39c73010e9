import CPostgreSQL
import Foundation

/// A connection to a PostgreSQL server.
///
/// The address is a URL or a connection string as `psql` takes it; libpq completes it from the
/// service file, the password file and the environment. A task that waits for the server is
/// suspended, and its cancellation cancels the statement on the server. The connection is closed
/// when the last reference to it is released.
package actor PostgresConnection {
  private let executor = QueueExecutor()
  // Used on the executor only; closed by `deinit`, when no job is left.
  private nonisolated(unsafe) let handle: OpaquePointer
  private let request: CancelRequest

  /// The executor, on whose thread libpq waits.
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  private init(_ handle: OpaquePointer) {
    self.handle = handle
    request = CancelRequest(handle)
  }

  deinit { PQfinish(handle) }

  /// Opens a connection.
  ///
  /// - Parameters:
  ///   - address: A URL such as `postgresql://user@host/database`, or a connection string.
  ///   - statementTimeout: The maximum duration of a statement; nil for the server's setting.
  /// - Returns: The connection.
  /// - Throws: ``PostgresError`` if the address cannot be read or the server refuses it.
  package static func open(
    _ address: String, statementTimeout: Duration? = nil
  ) async throws(PostgresError) -> PostgresConnection {
    let connection = PostgresConnection(try await Opener().open(address).pointer)
    // libpq prints warnings to the standard error output of the program, and each result must have the
    // same digits on every server.
    var settings = [("client_min_messages", "error"), ("extra_float_digits", "3")]
    if let statementTimeout {
      let milliseconds = max(1, statementTimeout / .milliseconds(1))
      settings.append(("statement_timeout", "\(Int(milliseconds))"))
    }
    let calls = settings.map { "set_config('\($0.0)', '\($0.1)', false)" }
    try await connection.run(SQLStatement("SELECT " + calls.joined(separator: ", ")))
    return connection
  }

  /// Whether the connection is open and outside of transactions.
  var isUsable: Bool {
    var file = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
    // To an idle connection, a server sends little else than its end.
    guard poll(&file, 1, 0) == 0 else { return false }
    return PQstatus(handle) == CONNECTION_OK && PQtransactionStatus(handle) == PQTRANS_IDLE
  }

  /// An open connection of libpq that no other code uses.
  private struct OpenHandle: @unchecked Sendable {
    let pointer: OpaquePointer
  }

  /// Opens connections on a thread of its own.
  private actor Opener {
    private let executor = QueueExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor {
      executor.asUnownedSerialExecutor()
    }

    func open(_ address: String) throws(PostgresError) -> OpenHandle {
      // The message of libpq about an address may quote the password in it, so it is not shown.
      _ = try ConnectionOptions(address)
      // Later keywords replace earlier ones, so the address may set another time limit.
      let keywords = ["connect_timeout", "application_name", "dbname", "client_encoding"]
      let values = ["10", "cadastre", address, "UTF8"]
      let handle = Self.withStrings(keywords) { keywords in
        Self.withStrings(values) { PQconnectdbParams(keywords, $0, 1) }
      }
      guard let handle else {
        throw PostgresError(.connection, "connecting", "libpq has no memory for a connection")
      }
      guard PQstatus(handle) == CONNECTION_OK else {
        defer { PQfinish(handle) }
        throw PostgresError(
          .connection, "connecting", PostgresError.oneLine(String(cString: PQerrorMessage(handle))))
      }
      return OpenHandle(pointer: handle)
    }

    private static func withStrings<Result>(
      _ strings: [String], _ body: ([UnsafePointer<CChar>?]) -> Result
    ) -> Result {
      func pass(_ rest: ArraySlice<String>, _ pointers: [UnsafePointer<CChar>?]) -> Result {
        guard let first = rest.first else { return body(pointers + [nil]) }
        return first.withCString { pass(rest.dropFirst(), pointers + [$0]) }
      }
      return pass(strings[...], [])
    }
  }

  /// Runs a statement and returns all its rows.
  ///
  /// - Parameters:
  ///   - statement: The statement.
  ///   - summary: The text that messages quote; by default the beginning of the statement.
  /// - Returns: The rows.
  /// - Throws: ``PostgresError``; the connection stays usable unless it was lost.
  @discardableResult
  package func run(
    _ statement: SQLStatement, summary: String? = nil
  ) async throws(PostgresError) -> ResultBuffer {
    let summary = summary ?? statement.summary
    return try await cancellable { connection throws(PostgresError) in
      guard connection.send(statement) else { throw connection.error(nil, summary) }
      return try connection.checked(connection.nextResult(), summary)
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
      guard connection.send(statement), PQsetSingleRowMode(connection.handle) == 1 else {
        throw connection.error(nil, statement.summary)
      }
      try connection.drain(statement.summary, body)
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
      guard connection.send(SQLStatement(text)) else { throw connection.error(nil, operation) }
      let begun = try connection.required(connection.nextResult(), operation)
      guard PQresultStatus(begun) == PGRES_COPY_IN else {
        defer { PQclear(begun) }
        connection.discardResults()
        throw connection.error(begun, operation)
      }
      PQclear(begun)
      do {
        while let bytes = try next() {
          let sent = bytes.withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: CChar.self) {
              PQputCopyData(connection.handle, $0.baseAddress, Int32($0.count))
            }
          }
          guard sent == 1 else { throw connection.error(nil, operation) }
        }
      } catch {
        PQputCopyEnd(connection.handle, "the client has no more rows")
        connection.discardResults()
        throw error
      }
      PQputCopyEnd(connection.handle, nil)
      return try connection.checked(connection.nextResult(), operation)
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
      guard connection.send(SQLStatement(text)) else { throw connection.error(nil, operation) }
      let begun = try connection.required(connection.nextResult(), operation)
      guard PQresultStatus(begun) == PGRES_COPY_OUT else {
        defer { PQclear(begun) }
        connection.discardResults()
        throw connection.error(begun, operation)
      }
      PQclear(begun)
      var failure: (any Error)?
      var data: UnsafeMutablePointer<CChar>?
      while true {
        let count = PQgetCopyData(connection.handle, &data, 0)
        guard count > 0, let start = data else { break }
        defer { PQfreemem(start) }
        guard failure == nil else { continue }
        do {
          try body(Array(UnsafeRawBufferPointer(start: start, count: Int(count))))
        } catch {
          failure = error
          connection.request.cancel()
        }
      }
      if let failure {
        connection.discardResults()
        throw failure
      }
      _ = try connection.checked(connection.nextResult(), operation)
    }
  }

  // MARK: Results

  private func cancellable<Result: Sendable, Failure>(
    _ body: (isolated PostgresConnection) throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let request = self.request
    request.begin()
    let outcome: Swift.Result<Result, Failure> = await withTaskCancellationHandler {
      defer { request.end() }
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

  private func error(_ result: OpaquePointer?, _ operation: String) -> PostgresError {
    PostgresError(result, handle, operation, wasCancelled: request.wasSent)
  }

  private func required(
    _ result: OpaquePointer?, _ operation: String
  ) throws(PostgresError) -> OpaquePointer {
    guard let result else { throw error(nil, operation) }
    return result
  }

  /// Sends a statement.
  private func send(_ statement: SQLStatement) -> Bool {
    withParameters(statement) { count, types, values, lengths, formats in
      PQsendQueryParams(handle, statement.text, count, types, values, lengths, formats, 1)
    } == 1
  }

  /// Waits for the next result of the sent statement; nil at its end.
  private func nextResult() -> OpaquePointer? {
    while PQisBusy(handle) == 1 {
      var file = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
      if poll(&file, 1, 100) == 0 {
        request.repeatIfSent()
      } else if PQconsumeInput(handle) == 0 {
        break
      }
    }
    return PQgetResult(handle)
  }

  private func discardResults() {
    while let result = nextResult() { PQclear(result) }
  }

  /// A result without error, after which the statement ends.
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

  /// Passes the rows of a sent statement to a closure, and reads all results in any case.
  private func drain(_ operation: String, _ body: (ResultBuffer) throws -> Void) throws {
    var failure: (any Error)?
    while let result = nextResult() {
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

  /// Calls a function of libpq with the parameters of a statement.
  private func withParameters<Result>(
    _ statement: SQLStatement,
    _ body: (
      Int32, [UInt32], [UnsafePointer<CChar>?], [Int32], [Int32]
    ) -> Result
  ) -> Result {
    let parameters = statement.parameters
    var bytes: [UInt8] = []
    var ranges: [Range<Int>?] = []
    for parameter in parameters {
      let start = bytes.count
      parameter.write(to: &bytes)
      ranges.append(parameter == .null ? nil : start..<bytes.count)
    }
    // An empty value needs an address too.
    bytes.append(0)
    return bytes.withUnsafeBufferPointer { buffer in
      buffer.withMemoryRebound(to: CChar.self) { buffer in
        body(
          Int32(parameters.count), parameters.map { $0.type?.identifier ?? 0 },
          ranges.map { $0.flatMap { buffer.baseAddress?.advanced(by: $0.lowerBound) } },
          ranges.map { Int32($0?.count ?? 0) }, parameters.map { _ in 1 })
      }
    }
  }
}
