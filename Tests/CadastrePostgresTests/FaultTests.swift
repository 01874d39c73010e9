import Cadastre
import CadastrePostgres
import CadastreTestSupport
import Foundation
import Testing
import TestingSupport

/// Faults of the server and of other programs: typed errors, and a store that stays usable.
@Suite(.serialized, .enabled(if: PostgresServer.shared != nil, "\(PostgresServer.missing)"))
struct FaultTests {
  private let local: PortStore
  private let address: String

  init() async throws {
    local = try PortStore(PortStore.ports(40))
    address = try await local.push(to: try #require(PostgresServer.shared))
  }

  private func run(_ text: String) async throws {
    try await PostgresConnection.open(address).run(SQLStatement(text))
  }

  @Test func `a role without rights is refused by the server`() async throws {
    let role = "r" + UUID().uuidString.replacing("-", with: "").lowercased()
    try await run("CREATE ROLE \(role) LOGIN")
    try await run("GRANT SELECT ON public.\"_cadastre_classes\" TO \(role)")
    let store = try await PostgresStore.connect(
      address.replacing("user=postgres", with: "user=\(role)"))
    let error = await #expect(throws: PostgresError.self) {
      _ = try await store.objects(PostgresPort.self).count()
    }
    #expect(error?.sqlState == "42501" && error?.kind == .statement)
  }

  @Test func `a column that another program removed is named`() async throws {
    let store = try await PostgresStore.connect(address)
    try await run("ALTER TABLE public.\"PostgresPort\" DROP COLUMN \"draft\"")
    let error = await #expect(throws: PostgresError.self) {
      _ = try await store.objects(PostgresPort.self).first()
    }
    #expect(error?.sqlState == "42703" && error?.message.contains("draft") == true)
    #expect(try await store.objects(PostgresPort.self).count() == 40)
  }

  @Test func `a value of another type is an error of its row`() async throws {
    let store = try await PostgresStore.connect(address)
    try await run("ALTER TABLE public.\"PostgresPort\" ALTER COLUMN \"depth\" TYPE text")
    let error = await #expect(throws: PostgresError.self) {
      for try await _ in store.objects(PostgresPort.self) {}
    }
    #expect(error?.kind == .unexpectedValue && error?.message.contains("depth") == true)
    #expect(try await store.objects(PostgresPort.self).count() == 40)
  }

  @Test func `a server that ends connections fails one operation`() async throws {
    let store = try await PostgresStore.connect(address, maximumConnections: 1)
    let ports = store.objects(PostgresPort.self)
    var iterator = ports.makeAsyncIterator()
    #expect(try await iterator.next() != nil)
    try await run(
      "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = current_database() "
        + "AND pid <> pg_backend_pid()")
    // The connection in the pool was ended too, and is replaced.
    #expect(try await ports.count() == 40)
  }

  @Test func `statements beyond the timeout fail, and others run`() async throws {
    let store = try await PostgresStore.connect(
      address, maximumConnections: 1, statementTimeout: .seconds(2))
    let locking = try await PostgresConnection.open(address)
    try await locking.run("BEGIN")
    try await locking.run("LOCK TABLE public.\"PostgresPort\" IN ACCESS EXCLUSIVE MODE")
    let error = await #expect(throws: PostgresError.self) {
      _ = try await store.objects(PostgresPort.self).count()
    }
    #expect(error?.kind == .timeout)
    try await locking.run("ROLLBACK")
    #expect(try await store.objects(PostgresPort.self).count() == 40)
  }

  @Test func `a cancelled task ends its query and leaves the store usable`() async throws {
    let store = try await PostgresStore.connect(address, maximumConnections: 1)
    let locking = try await PostgresConnection.open(address)
    try await locking.run("BEGIN")
    try await locking.run("LOCK TABLE public.\"PostgresPort\" IN ACCESS EXCLUSIVE MODE")
    let running = Task { try await store.objects(PostgresPort.self).count() }
    let blocked = SQLStatement("SELECT 1 FROM pg_locks WHERE NOT granted AND database IS NOT NULL")
    try await waitUntil("the query's request for the lock") {
      try await locking.run(blocked).rowCount > 0
    }
    let waiting = Task { try await store.objects(PostgresPort.self).count() }
    waiting.cancel()
    await #expect(throws: (any Error).self) { _ = try await waiting.value }
    running.cancel()
    await #expect(throws: (any Error).self) { _ = try await running.value }
    try await locking.run("ROLLBACK")
    #expect(try await store.objects(PostgresPort.self).count() == 40)
  }

  @Test func `a push that fails leaves the database as it was`() async throws {
    let store = try await PostgresStore.connect(address)
    let port = PostgresPort()
    port.code = "last\0"
    try local.realm.write { local.realm.add(port) }
    let error = await #expect(throws: PostgresMappingError.self) {
      try await local.push(to: address)
    }
    #expect(error?.subject.contains("column 'code'") == true)
    #expect(try await store.objects(PostgresPort.self).count() == 40)
  }

  @Test func `a push without rights is refused and leaves nothing`() async throws {
    let role = "r" + UUID().uuidString.replacing("-", with: "").lowercased()
    try await run("CREATE ROLE \(role) LOGIN")
    try await run("DROP TABLE public.\"PostgresPort\"")
    let error = await #expect(throws: PostgresError.self) {
      try await local.push(to: address.replacing("user=postgres", with: "user=\(role)"))
    }
    #expect(error?.sqlState == "42501" && error?.kind == .statement)
    try await local.push(to: address)
  }

  @Test func `a full disk fails a push, and the database is as before`() async throws {
    let server = try #require(PostgresServer.shared)
    let folder = "\(server.folder)/small-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    // Only a user with the rights to mount runs this test.
    guard Self.system("mount", "-t", "tmpfs", "-o", "size=64k,mode=0777", "none", folder) else {
      return
    }
    defer { _ = Self.system("umount", "-l", folder) }
    guard server.runAsUser("/usr/bin/install", "-d", "-m", "700", folder + "/space") else { return }
    let name = "s" + UUID().uuidString.replacing("-", with: "").lowercased()
    try await run("CREATE TABLESPACE \(name) LOCATION '\(folder)/space'")
    let database = try await PostgresConnection.open(address)
      .run("SELECT current_database()::text").value(0, 0)
    guard case .text(let current) = database else { throw UnexpectedKey() }
    try await run("ALTER DATABASE \(current) SET default_tablespace = \(name)")
    // A push to another schema makes its tables in the small space.
    try await run("CREATE SCHEMA \(name)")
    let other = "\(address) options='-c search_path=\(name)'"
    let error = await #expect(throws: PostgresError.self) { try await local.push(to: other) }
    #expect(error?.sqlState == "53100" && error?.kind == .statement, "\(String(describing: error))")
    #expect(try await PostgresStore.connect(other).classNames.isEmpty)
    let store = try await PostgresStore.connect(address)
    #expect(try await store.objects(PostgresPort.self).count() == 40)
    try await run("ALTER DATABASE \(current) RESET default_tablespace")
    try await local.push(to: other)
    let again = try await PostgresStore.connect(other)
    #expect(try await again.objects(PostgresPort.self).count() == 40)
  }

  private static func system(_ arguments: String...) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}
