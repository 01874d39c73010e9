import Foundation
import Synchronization

/// A PostgreSQL server in a temporary folder, started for the tests of this process.
package struct PostgresServer: Sendable {
  /// The server; nil if PostgreSQL or PostGIS is not installed.
  package static let shared: PostgresServer? = start()

  /// The comment of a skipped test.
  package static let missing = "skipped: PostgreSQL 15 with PostGIS is not installed"

  private let folder: String
  private let programs: String

  /// The connection string of the database with PostGIS.
  package var address: String { "host=\(folder) user=postgres dbname=postgres" }

  private static func start() -> PostgresServer? {
    guard let programs = programs() else { return nil }
    let folder = "/tmp/cadastre-postgres-\(ProcessInfo.processInfo.processIdentifier)"
    // The server refuses to run as root, so its folder belongs to the user that the package made.
    let isRoot = geteuid() == 0
    let prefix =
      isRoot ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : []
    let makesFolder =
      ["install", "-d", "-m", "700"] + (isRoot ? ["-o", "postgres"] : []) + [folder]
    let data = folder + "/data"
    let options =
      "-c listen_addresses='' -c fsync=off -c jit=off -c max_connections=100 -c max_locks_per_transaction=256 -k \(folder)"
    let commands = [
      makesFolder,
      prefix + [
        programs + "/initdb", "-D", data, "-E", "UTF8", "--locale=C.UTF-8", "-A", "trust", "-U",
        "postgres",
      ],
      prefix + [
        programs + "/pg_ctl", "-D", data, "-w", "-o", options, "-l", folder + "/log", "start",
      ],
      prefix + [
        programs + "/psql", "-h", folder, "-U", "postgres", "-d", "template1", "-q", "-c",
        "CREATE EXTENSION postgis",
      ],
    ]
    stopCommand.withLock {
      $0 = prefix + [programs + "/pg_ctl", "-D", data, "-m", "immediate", "stop"]
    }
    removedFolder.withLock { $0 = folder }
    atexit { PostgresServer.stop() }
    guard commands.allSatisfy({ run($0) }) else { return nil }
    return PostgresServer(folder: folder, programs: programs)
  }

  private static let stopCommand = Mutex<[String]>([])
  private static let removedFolder = Mutex("")

  private static func stop() {
    _ = run(stopCommand.withLock { $0 })
    try? FileManager.default.removeItem(atPath: removedFolder.withLock { $0 })
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
    "host=\(folder) user=postgres dbname=\(try newDatabase())"
  }

  /// The URL of a new database with PostGIS.
  package func newURL() throws -> String {
    let host = folder.replacing("/", with: "%2F")
    return "postgresql://postgres@\(host)/\(try newDatabase())"
  }

  private func newDatabase() throws -> String {
    let name = "d" + UUID().uuidString.replacing("-", with: "").lowercased()
    guard Self.run([programs + "/createdb", "-h", folder, "-U", "postgres", name]) else {
      throw Failure()
    }
    return name
  }

  /// A database could not be made.
  private struct Failure: Error {}
}
