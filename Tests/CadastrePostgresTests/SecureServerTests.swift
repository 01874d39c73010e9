import Cadastre
@testable import CadastrePostgres
import CadastreStore
import CadastreTestSupport
import Foundation
import Testing

/// A server that accepts only passwords and TLS on 127.0.0.1.
enum SecureServer {
  static let password = "right pass'word"

  /// The server, with a certificate for 127.0.0.1 that it signed itself and a user with a password.
  static let shared: PostgresServer? = {
    let port = PostgresServer.freePort()
    let server = PostgresServer.start(
      "postgres-tls", port: port,
      options: "-c ssl=on -c ssl_cert_file=cert.pem -c ssl_key_file=key.pem"
    ) { server in
      server.runAsUser(
        "/usr/bin/openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
        "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
        server.data + "/key.pem", "-out", server.data + "/cert.pem")
        && server.runAsUser(
          "/bin/sh", "-c",
          "printf 'local all all trust\\nhostssl all all 127.0.0.1/32 scram-sha-256\\n' > "
            + server.data + "/pg_hba.conf")
    }
    guard let server,
      server.query(
        "template1",
        "CREATE ROLE owner LOGIN SUPERUSER PASSWORD "
          + "'\(password.replacing("'", with: "''"))'"),
      server.query("template1", "ALTER SYSTEM SET log_statement = 'all'"),
      server.query("template1", "SELECT pg_reload_conf()")
    else { return nil }
    return server
  }()
}

/// Passwords and TLS.
@Suite(.serialized, .enabled(if: SecureServer.shared != nil, "\(PostgresServer.missing)"))
struct SecureServerTests {
  private func address(_ options: String, password: String = SecureServer.password) throws -> String
  {
    let server = try #require(SecureServer.shared)
    let quoted = password.replacing("'", with: "\\'")
    return "host=127.0.0.1 port=\(server.port ?? 0) user=owner dbname=template1 "
      + "password='\(quoted)' \(options)"
  }

  private func refusal(
    _ options: String, password: String = SecureServer.password
  ) async throws -> PostgresError? {
    let address = try address(options, password: password)
    return await #expect(throws: PostgresError.self) {
      _ = try await PostgresConnection.open(address)
    }
  }

  @Test func `a password and TLS are used`() async throws {
    let certificate = try #require(SecureServer.shared).data + "/cert.pem"
    for mode in ["sslmode=require", "sslmode=verify-full sslrootcert=\(certificate)"] {
      let connection = try await PostgresConnection.open(try address(mode))
      let result = try await connection.run(
        "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
      #expect(try result.value(0, 0) == .bool(true))
    }
    let server = try #require(SecureServer.shared)
    let quoted = "right%20pass%27word"
    _ = try await PostgresStore.connect(
      "postgresql://owner:\(quoted)@127.0.0.1:\(server.port ?? 0)/template1?sslmode=require")
  }

  @Test func `a wrong password is an error without it`() async throws {
    for password in ["wrong", ""] {
      let error = try await refusal("sslmode=require", password: password)
      #expect(error?.kind == .connection)
      #expect(error?.message.contains("password") == true)
      #expect(error?.description.contains("wrong") == false)
    }
  }

  @Test func `a connection without TLS, or with another certificate, is refused`() async throws {
    let plain = try await refusal("sslmode=disable")
    #expect(plain?.kind == .connection && plain?.message.contains("no encryption") == true)
    let unknown = try await refusal("sslmode=verify-full sslrootcert=/nowhere.pem")
    #expect(unknown?.kind == .connection && unknown?.message.contains("/nowhere.pem") == true)
    let certificate = try #require(SecureServer.shared).data + "/cert.pem"
    let other = try address("sslmode=verify-full sslrootcert=\(certificate)")
      .replacing("host=127.0.0.1", with: "host=localhost")
    let error = await #expect(throws: PostgresError.self) {
      _ = try await PostgresConnection.open(other)
    }
    #expect(error?.kind == .connection && error?.message.contains("localhost") == true)
    for refused in [plain, unknown, error] {
      #expect(refused?.description.contains("right pass") == false)
    }
  }

  @Test func `partitions are reached with a password, which no log has`() async throws {
    let local = try PlaceStore(300, seed: 61)
    let coordinator = try #require(PostgresServer.shared).newAddress()
    let division = try RowDivision(.hash("id"), servers: [try address("sslmode=require")])
    let push = try StorePush(
      try OpenStores.store(at: local.path, mustExist: true).snapshot(),
      layout: .partitions(division))
    _ = try await push.run(try await PostgresConnection.open(coordinator))
    let places = try await PostgresStore.connect(coordinator).objects(PostgresPlace.self)
    #expect(try await places.count() == 300)
    let log = try #require(SecureServer.shared).log
    #expect(log.contains("COPY") && !log.contains("right pass"))
    let wrong = try RowDivision(
      .hash("id"), servers: [try address("sslmode=require", password: "wrong")])
    let again = try StorePush(
      try OpenStores.store(at: local.path, mustExist: true).snapshot(), layout: .partitions(wrong))
    let error = await #expect(throws: PostgresError.self) {
      _ = try await again.run(try await PostgresConnection.open(coordinator))
    }
    #expect(error?.description.contains("wrong") == false)
    #expect(try await places.count() == 300)
  }
}
