@testable import CadastrePostgres
import CadastreTestSupport
import Foundation
import Synchronization
import Testing
import TestingSupport

/// Servers that stop to answer, which their kernel does not tell from slow ones.
@Suite(.enabled(if: SilentServer.hasClient, "\(SilentServer.missing)"))
struct SilentServerTests {
  private func open(
    _ server: SilentServer, _ settings: ConnectionSettings, connectTimeout: Int = 600
  ) async throws -> PostgresConnection {
    try await PostgresConnection.open(
      "host=127.0.0.1 port=\(server.port) user=me dbname=x sslmode=disable gssencmode=disable "
        + "connect_timeout=\(connectTimeout)", settings)
  }

  /// The error of an operation.
  private func error(_ body: () async throws -> Void) async -> PostgresError? {
    do {
      try await body()
      return nil
    } catch {
      return error as? PostgresError
    }
  }

  /// The server answers the first statement of a session within this time on a busy machine, too.
  private let short = ConnectionSettings(replyTimeout: .seconds(2))

  @Test func `a server that accepts connections only is left`() async throws {
    let server = try SilentServer(.atOnce)
    defer { server.stop() }
    let found = await error { _ = try await open(server, ConnectionSettings(), connectTimeout: 2) }
    #expect(found?.kind == .connection)
    #expect(found?.message.contains("timeout") == true, "\(String(describing: found))")
  }

  @Test func `a server that is silent after the start is left`() async throws {
    let server = try SilentServer(.afterStart)
    defer { server.stop() }
    let found = await error { _ = try await open(server, short) }
    #expect(found?.kind == .timeout)
  }

  @Test func `a server that answers no statement is left, and not asked again`() async throws {
    let server = try SilentServer(.afterFirstStatement)
    defer { server.stop() }
    let connection = try await open(server, short)
    let found = await error { try await connection.run("SELECT 1") }
    #expect(found?.kind == .timeout && found?.operation == "\"SELECT 1\"")
    #expect(await !connection.isUsable)
    let next = await error { try await connection.run("SELECT 2") }
    #expect(next?.kind == .connection)
    #expect(server.statements == 2)
  }

  @Test func `a transaction on a silent server fails once`() async throws {
    let server = try SilentServer(.afterFirstStatement)
    defer { server.stop() }
    let connection = try await open(server, short)
    let found = await error { try await connection.transaction(.writing) { _ in } }
    #expect(found?.kind == .timeout && found?.operation == "\"BEGIN\"")
    #expect(server.statements == 2)
  }

  @Test func `cancelling the task ends the wait for a silent server`() async throws {
    let server = try SilentServer(.afterFirstStatement)
    defer { server.stop() }
    // The cancel request is never answered either.
    let connection = try await open(
      server, ConnectionSettings(replyTimeout: nil, cancelTimeout: .milliseconds(300)))
    let task = Task { try await connection.run("SELECT 1").rowCount }
    try await waitUntil("the second statement") { server.statements == 2 }
    task.cancel()
    let found = await error { _ = try await task.value }
    #expect(found?.kind == .cancelled)
    #expect(await !connection.isUsable)
  }

  @Test func `a server that takes no rows is left`() async throws {
    let server = try SilentServer(.inCopy)
    defer { server.stop() }
    let connection = try await open(server, short)
    let rows = [UInt8](repeating: 0, count: 1 << 20)
    let found = await error { _ = try await connection.copyIn("COPY t FROM STDIN") { rows } }
    #expect(found?.kind == .timeout)
  }

  @Test func `a copy that was not asked for is an error`() async throws {
    let server = try SilentServer(.inCopy)
    defer { server.stop() }
    let connection = try await open(server, ConnectionSettings())
    let found = await error { try await connection.run("SELECT 1") }
    #expect(found?.kind == .unexpectedValue)
    #expect(await !connection.isUsable)
  }

  @Test func `a notice goes to the handler without control characters`() async throws {
    let server = try SilentServer(.afterFirstStatement, notice: "evil \u{1B}[31m\n  text\u{9B}")
    defer { server.stop() }
    let notices = Notices()
    _ = try await open(server, ConnectionSettings { notices.add($0) })
    #expect(notices.all == ["WARNING: evil ␛[31m text\u{FFFD}"])
  }

  @Test(
    arguments: [
      "postgresql://me:sec@ret@127.0.0.1:1/x", "postgresql://me:ret/sec@127.0.0.1:1/x",
      "postgresql://me:secret@127.0.0.1:1/x?y", "host=127.0.0.1 port=1 password=secret x",
    ])
  func `an address that cannot be read is an error without its password`(
    address: String
  ) async {
    let found = await error { _ = try await PostgresConnection.open(address) }
    #expect(found?.kind == .invalidAddress)
    for part in ["sec", "ret"] {
      #expect(found?.description.contains(part) == false, "\(String(describing: found))")
    }
  }

  @Test func `a statement timeout limits the wait`() {
    let settings = ConnectionSettings(statementTimeout: .seconds(5))
    #expect(settings.silenceLimit == .seconds(15))
    #expect(ConnectionSettings(replyTimeout: nil).silenceLimit == nil)
    #expect(ConnectionSettings().silenceLimit == .seconds(3600))
    #expect(ConnectionSettings().shortSilenceLimit == .seconds(30))
  }

  /// The notices of a connection.
  private final class Notices: Sendable {
    private let texts = Mutex<[String]>([])

    var all: [String] { texts.withLock { $0 } }

    func add(_ text: String) { texts.withLock { $0.append(text) } }
  }
}
