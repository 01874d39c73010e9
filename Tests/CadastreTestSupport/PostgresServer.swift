import Foundation
import Synchronization

/// A PostgreSQL server in a temporary folder, started for the tests of this process.
package struct PostgresServer: Sendable {
  /// The server; nil if PostgreSQL or PostGIS is not installed.
  package static let shared: PostgresServer? = start("postgres")

  /// Three more servers, which listen on free ports of 127.0.0.1.
  package static let three: [PostgresServer] = (1...3).compactMap { number in
    start("postgres-\(number)", port: freePort())
  }

  /// A server that the tests of one suite stop and start again.
  package static let expendable: PostgresServer? = start("postgres-4", port: freePort())

  /// The comment of a skipped test.
  package static let missing = "skipped: PostgreSQL 15 with PostGIS is not installed"

  /// The folder of the server.
  package let folder: String
  private let programs: String
  /// The port on 127.0.0.1; nil if the server listens on a socket in its folder only.
  package let port: Int?
  private let user: [String]
  private let options: String

  /// The connection string of the database with PostGIS.
  package var address: String { "\(place) user=postgres dbname=postgres" }

  private var place: String {
    port.map { "host=127.0.0.1 port=\($0)" } ?? "host=\(folder)"
  }

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - name: A name that is unique among the servers of this process.
  ///   - port: The port on 127.0.0.1; nil for a socket only.
  ///   - options: More options of the server.
  ///   - prepare: Changes the files of the server before it starts.
  /// - Returns: The server, which ends with the process; nil if PostgreSQL is not installed.
  package static func start(
    _ name: String, port: Int? = nil, options: String = "",
    prepare: (PostgresServer) -> Bool = { _ in true }
  ) -> PostgresServer? {
    guard let programs = programs() else { return nil }
    let folder = "/tmp/cadastre-\(name)-\(ProcessInfo.processInfo.processIdentifier)"
    // The server refuses to run as root, so its folder belongs to the user that the package has created.
    let isRoot = geteuid() == 0
    let server = PostgresServer(
      folder: folder, programs: programs, port: port,
      user: isRoot
        ? ["HOME=\(folder)", "setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        : [],
      options: "-c listen_addresses='\(port == nil ? "" : "127.0.0.1")' "
        + "\(port.map { "-p \($0) " } ?? "")-c fsync=off -c jit=off -c max_connections=100 "
        + "-c max_locks_per_transaction=256 -k \(folder) \(options)")
    let makesFolder =
      ["install", "-d", "-m", "700"] + (isRoot ? ["-o", "postgres"] : []) + [folder]
    started.withLock {
      if $0.isEmpty { atexit { PostgresServer.stopAll() } }
      $0.append(server)
    }
    guard run(makesFolder), server.fill(), prepare(server), server.start(),
      name != templateName || server.query("template1", "CREATE EXTENSION postgis")
    else { return nil }
    return server
  }

  /// The folder of a stopped server with PostGIS, which other servers copy; nil if it cannot be
  /// created.
  private static let template: String? = {
    let server = start(templateName)
    return server?.stop("fast") == true ? server?.data : nil
  }()

  private static let templateName = "postgres-template"

  /// Creates the files of the server.
  private func fill() -> Bool {
    guard folder.contains(Self.templateName) else {
      guard let template = Self.template else { return false }
      return runAsUser("/bin/cp", "-a", template, data)
    }
    return runAsUser(
      "initdb", "-D", data, "-E", "UTF8", "--locale=C.UTF-8", "-A", "trust", "-U", "postgres")
  }

  /// The folder of the data.
  package var data: String { folder + "/data" }

  /// Starts the server again.
  @discardableResult
  package func start() -> Bool {
    runAsUser("pg_ctl", "-D", data, "-w", "-o", options, "-l", folder + "/log", "start")
  }

  /// Ends the server without waiting for its clients.
  ///
  /// - Parameter mode: `immediate`, or `fast` to write its files first.
  /// - Returns: Whether it ended.
  @discardableResult
  package func stop(_ mode: String = "immediate") -> Bool {
    runAsUser("pg_ctl", "-D", data, "-w", "-m", mode, "stop")
  }

  /// Runs statements in a database through the socket, as the user `postgres`.
  @discardableResult
  package func query(_ database: String, _ text: String) -> Bool {
    runAsUser(
      "psql", "-h", folder, "-p", "\(port ?? 5432)", "-U", "postgres", "-d", database, "-q", "-c",
      text)
  }

  /// The text of the server's log.
  package var log: String {
    (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? ""
  }

  /// Runs a command as the user of the server.
  package func runAsUser(_ program: String, _ arguments: String...) -> Bool {
    let path = program.contains("/") ? program : "\(programs)/\(program)"
    return Self.run(user + [path] + arguments)
  }

  /// A port on which no program listens.
  package static func freePort() -> Int {
    let file = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(file) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = bind(file, $0, length)
        _ = getsockname(file, $0, &length)
      }
    }
    return Int(UInt16(bigEndian: address.sin_port))
  }

  private static let started = Mutex<[PostgresServer]>([])

  private static func stopAll() {
    for server in started.withLock({ $0 }) {
      server.stop()
      try? FileManager.default.removeItem(atPath: server.folder)
    }
  }

  /// The folder of the programs of the newest server that has PostGIS.
  private static func programs() -> String? {
    let versions =
      (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
    return versions.compactMap(Int.init).filter { $0 >= 15 }.sorted(by: >).filter {
      FileManager.default.fileExists(
        atPath: "/usr/lib/postgresql/\($0)/lib/postgis-3.so")
    }.map { "/usr/lib/postgresql/\($0)/bin" }.first
  }

  /// Runs a program and returns whether it succeeded.
  ///
  /// Foundation's `Process` waits for the server too, which inherits its files.
  private static func run(_ command: [String]) -> Bool {
    var files = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&files)
    defer { posix_spawn_file_actions_destroy(&files) }
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0)
    for file: Int32 in [1, 2] {
      posix_spawn_file_actions_addopen(&files, file, "/dev/null", O_WRONLY, 0)
    }
    var arguments = (["env"] + command).map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var process: pid_t = 0
    var status: Int32 = 0
    guard posix_spawn(&process, "/usr/bin/env", &files, nil, &arguments, environ) == 0,
      waitpid(process, &status, 0) == process
    else { return false }
    return status == 0
  }
}

extension PostgresServer {
  /// The connection string of a new database with PostGIS.
  package func newAddress() throws -> String {
    "\(place) user=postgres dbname=\(try newDatabase())"
  }

  /// The URL of a new database with PostGIS.
  package func newURL() throws -> String {
    let host = port.map { "127.0.0.1:\($0)" } ?? folder.replacing("/", with: "%2F")
    return "postgresql://postgres@\(host)/\(try newDatabase())"
  }

  private func newDatabase() throws -> String {
    let name = "d" + UUID().uuidString.replacing("-", with: "").lowercased()
    guard query("postgres", "CREATE DATABASE \(name)") else { throw Failure() }
    return name
  }

  /// The error of a database that could not be created.
  private struct Failure: Error {}
}
