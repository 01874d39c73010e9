import CadastrePostgres
import CadastreTestSupport
import Foundation
import Testing
import TestingSupport

/// Connections, their errors and the binary form of values.
@Suite(.enabled(if: PostgresServer.shared != nil, "\(PostgresServer.missing)"))
struct ConnectionTests {
  private func open(_ timeout: Duration? = nil) async throws -> PostgresConnection {
    let server = try #require(PostgresServer.shared)
    return try await PostgresConnection.open(
      server.address, ConnectionSettings(statementTimeout: timeout))
  }

  /// The error of an operation.
  private func error(
    _ body: () async throws -> Void
  ) async -> PostgresError? {
    do {
      try await body()
      return nil
    } catch {
      return error as? PostgresError
    }
  }

  @Test func `an address that cannot be read is an error without its text`() async {
    let found = await error {
      _ = try await PostgresConnection.open("postgresql://me:secret@host:port:port/x?y")
    }
    #expect(found?.kind == .invalidAddress)
    #expect(found?.description.contains("secret") == false)
  }

  @Test func `a refused connection is an error without the password`() async {
    let found = await error {
      _ = try await PostgresConnection.open("postgresql://me:secret@127.0.0.1:1/x")
    }
    #expect(found?.kind == .connection)
    #expect(found?.description.contains("secret") == false)
  }

  @Test func `the server's error has its code, and the connection stays usable`() async throws {
    let connection = try await open()
    let found = await error { try await connection.run("SELECT * FROM missing") }
    #expect(found?.kind == .statement)
    #expect(found?.sqlState == "42P01")
    #expect(found?.operation == "\"SELECT * FROM missing\"")
    let result = try await connection.run("SELECT 1::int8")
    #expect(try result.value(0, 0) == .int8(1))
  }

  @Test func `a statement beyond the timeout fails`() async throws {
    let connection = try await open(.seconds(1))
    let found = await error { try await connection.run("SELECT pg_sleep(3600)") }
    #expect(found?.kind == .timeout)
    #expect(try await connection.run("SELECT 1::int8").rowCount == 1)
  }

  @Test func `cancelling the task cancels the statement on the server`() async throws {
    let connection = try await open()
    let other = try await open()
    guard case .int4(let pid) = try await connection.run("SELECT pg_backend_pid()").value(0, 0)
    else { throw UnexpectedKey() }
    let task = Task { try await connection.run("SELECT pg_sleep(3600)").rowCount }
    let sleeping = SQLStatement(
      "SELECT 1 FROM pg_stat_activity WHERE pid = \(pid) AND wait_event = 'PgSleep'")
    try await waitUntil("the statement on the server") {
      try await other.run(sleeping).rowCount > 0
    }
    task.cancel()
    let found = await error { _ = try await task.value }
    #expect(found?.kind == .cancelled)
    // The code of the server says that it ended the statement.
    #expect(found?.sqlState == "57014")
    #expect(try await connection.run("SELECT 1::int8").rowCount == 1)
  }

  @Test func `a cancelled task runs no statement`() async throws {
    let connection = try await open()
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      _ = try await connection.run("SELECT pg_sleep(20)")
    }
    task.cancel()
    let found = await error { try await task.value }
    #expect(found?.kind == .cancelled)
  }

  @Test func `a connection that the server closed reports its loss`() async throws {
    let connection = try await open()
    let other = try await open()
    let pid = try await connection.run("SELECT pg_backend_pid()").value(0, 0)
    guard case .int4(let number) = pid else { throw UnexpectedKey() }
    try await other.run(SQLStatement("SELECT pg_terminate_backend(\(number))"))
    let found = await error { try await connection.run("SELECT 1") }
    #expect(found?.kind == .connection)
  }

  @Test func `rows stream one at a time, and an error of the reader ends the statement`()
    async throws
  {
    let connection = try await open()
    let rows = RowCounter()
    try await connection.forEachRow(of: "SELECT g::int8 FROM generate_series(1, 5000) g") { row in
      #expect(row.rowCount == 1)
      rows.add(try row.value(0, 0))
    }
    #expect(rows.sum == 5000 * 5001 / 2)
    await #expect(throws: UnexpectedKey.self) {
      try await connection.forEachRow(of: "SELECT generate_series(1, 100000000)") { _ in
        throw UnexpectedKey()
      }
    }
    #expect(try await connection.run("SELECT 1::int8").rowCount == 1)
  }

  @Test func `a failed copy leaves the table empty`() async throws {
    let connection = try await open()
    try await connection.run("CREATE TEMP TABLE copied (a int8)")
    let copy = "COPY copied FROM STDIN (FORMAT binary)"
    var stream = CopyStream()
    stream.append([.int8(1)])
    let bytes = ChunkReader(stream.take())
    await #expect(throws: UnexpectedKey.self) {
      _ = try await connection.copyIn(copy) {
        guard let chunk = bytes.next() else { throw UnexpectedKey() }
        return chunk
      }
    }
    let damaged = ChunkReader([1, 2, 3])
    let found = await error { _ = try await connection.copyIn(copy) { damaged.next() } }
    #expect(found?.sqlState == "22P04")
    #expect(try await connection.run("SELECT count(*) FROM copied").value(0, 0) == .int8(0))
  }

  @Test func `values return as they were sent`() async throws {
    let connection = try await open()
    var random = SeededGenerator(seed: 7)
    let numerics = [
      "0", "1", "-1.50", "10000", "0.0001", "12345678901234567890.123456", "NaN", "Infinity",
      "-Infinity", "1E+6144", "1E-6176", "9.999E+40", "0E-7",
    ].compactMap { PostgresNumeric($0) }.map(PostgresValue.numeric)
    #expect(numerics.count == 13)
    let values: [PostgresValue] =
      numerics + [
        .bool(true), .int4(.min), .int8(.max), .float4(-0.0), .float8(.leastNonzeroMagnitude),
        .float8(.infinity),
        .text("é🚢'\"\\"), .text(""), .bytea(Data([0, 255])), .bytea(Data()), .array(.float8, []),
        .array(.float8, [.float8(1), .null]), .array(.text, [.text("a"), .text("")]),
      ] + (0..<50).map { _ in .float8(Double(bitPattern: random.next() >> 2)) }
    for value in values {
      var statement = SQLStatement("SELECT ")
      let type = try #require(value.type)
      statement.append(statement.parameter(value, type))
      #expect(try await connection.run(statement).value(0, 0) == value)
    }
  }

  @Test(arguments: ["1.50", "-0.0001", "12300", "1E-6176", "99999999999999999999.5", "0"])
  func `the server reads a number as its text`(text: String) async throws {
    let connection = try await open()
    let number = try #require(PostgresNumeric(text))
    var statement = SQLStatement("SELECT ")
    statement.append(statement.parameter(.numeric(number), .numeric) + " = ")
    statement.append(statement.parameter(.text(text), .text) + "::numeric")
    #expect(try await connection.run(statement).value(0, 0) == .bool(true))
  }

  @Test(arguments: ["", "1.2.3", "a", "1E", "1E99999", "--1", "1e1e1", "."])
  func `texts that are no numbers are refused`(text: String) {
    #expect(PostgresNumeric(text) == nil)
  }

  @Test func `damaged fields are no values`() {
    #expect(PostgresValue([1, 2], type: 20) == nil)
    #expect(PostgresValue([0, 0, 0, 0, 0], type: 23) == nil)
    #expect(PostgresValue([0xFF], type: 25) == nil)
    #expect(PostgresValue([0, 1, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], type: 1700) == nil)
    #expect(PostgresValue([0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 2, 189, 127, 255], type: 1022) == nil)
    #expect(PostgresValue([1], type: 99) == nil)
  }
}
