import ArgumentParser
import CadastreDatasets
import CadastreGeometry
import CadastrePostgres
import CadastrePredicate
import CadastreStore
import Dispatch
import Foundation
import Synchronization

/// A PostgreSQL database that a command uses in place of a store.
struct RemoteDatabase: Sendable {
  /// The address as a URL.
  let address: String
  private let settings: ConnectionSettings

  /// Creates the database at an address; returns nil if the text is not an address.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - timeout: The time without data after which a command ends, in seconds; nil for `CADASTRE_TIMEOUT` or
  ///     the default.
  init?(_ text: String, timeout: Int? = nil) {
    guard ["postgresql://", "postgres://"].contains(where: text.hasPrefix) else { return nil }
    address = text
    let seconds = timeout ?? Environment.timeout
    settings = ConnectionSettings(
      replyTimeout: seconds.map { Duration.seconds($0) } ?? ConnectionSettings.defaultReplyTimeout
    ) { Terminal.say("PostgreSQL: \($0)") }
  }

  /// Throws a usage error if a text is not the address of a database.
  static func require(_ text: String) throws {
    guard RemoteDatabase(text) != nil else {
      // A mistyped address may contain a password.
      throw ValidationError(
        "expected a database such as postgresql://me@localhost/places, found a text that does not "
          + "begin with postgresql://")
    }
  }

  /// Throws a usage error if an argument is a connection string with keywords of libpq.
  ///
  /// Otherwise it would be the path of a store, and files would have the password in their names.
  static func refuseKeywords(in arguments: [String]) throws {
    let keywords =
      /(?:--[a-z-]+=)?(?:\s*(?:host|hostaddr|port|dbname|user|password|service|sslmode)\s*=\s*(?:'[^']*'|[^\s']+)){2,}\s*/
    guard arguments.contains(where: { $0.wholeMatch(of: keywords) != nil }) else { return }
    throw ValidationError(
      "expected a database such as postgresql://me@localhost/places, found keywords such as host=")
  }

  private static let connections = Mutex<[String: PostgresConnection]>([:])

  /// Returns the connection of this process to the database, which the first call opens.
  ///
  /// - Throws: `PostgresError`.
  func connection() async throws -> PostgresConnection {
    if let open = Self.connections.withLock({ $0[address] }) { return open }
    let connection = try await PostgresConnection.open(address, settings)
    Self.connections.withLock { $0[address] = connection }
    return connection
  }

  /// Runs an operation with the connection and waits for its end.
  ///
  /// - Throws: `PostgresError`, or the error of the operation.
  func run<Success>(
    _ operation: sending @escaping (PostgresConnection) async throws -> sending Success
  ) throws -> Success {
    let database = self
    return try Blocking.wait { try await operation(try await database.connection()) }
  }

  /// Reads the classes of the database.
  func classes() throws -> RemoteClasses {
    try run { try await RemoteClasses.read($0) }
  }

  /// Counts the objects of each class, in order of the names.
  func counts() throws -> [StorePush.Copied] {
    try run { connection in
      let classes = try await RemoteClasses.read(connection)
      var counts: [StorePush.Copied] = []
      for name in classes.tables.keys.sorted() {
        let query = RemoteQuery(classes, BoundQuery(name))
        counts.append(
          StorePush.Copied(className: name, count: try await query.count(connection)))
      }
      return counts
    }
  }

  /// Throws a usage error for options that are not available on a database.
  ///
  /// - Parameter options: The names of the options, and whether they are used.
  /// - Throws: A usage error.
  static func refuse(_ options: [(name: String, isUsed: Bool)]) throws {
    guard let option = options.first(where: \.isUsed) else { return }
    throw ValidationError(
      "\(option.name) needs a store, not a database; 'cadastre pull' copies classes to a store")
  }

  /// The address without its password, for messages.
  var name: String {
    guard var parts = URLComponents(string: address) else { return "the database" }
    parts.password = nil
    parts.query = nil
    return parts.string ?? "the database"
  }
}

extension RemoteDatabase {
  /// The objects of a class that a command needs.
  struct Selection: Sendable {
    let className: String
    let predicate: String?
    let arguments: [PredicateArgument]
    let edges: EdgeModel
    let regions: [RegionCondition]

    init(
      _ className: String, _ predicate: String?, _ arguments: [PredicateArgument] = [],
      _ edges: EdgeModel = .spherical, _ regions: [RegionCondition] = []
    ) {
      self.className = className
      self.predicate = predicate
      self.arguments = arguments
      self.edges = edges
      self.regions = regions
    }
  }

  /// Copies the objects of selections to a temporary store, on which a command runs.
  ///
  /// - Throws: `PostgresError`, or `QueryPredicateError` with the location in the predicate.
  func excerpt(_ selections: [Selection]) throws -> Snapshot {
    try run { connection in
      let classes = try await RemoteClasses.read(connection)
      var queries: [BoundQuery] = []
      for selection in selections {
        queries.append(
          try ObjectQuery(selection.className).bound(
            to: classes.schema, predicate: selection.predicate, arguments: selection.arguments,
            edges: selection.edges, regions: selection.regions))
      }
      return try await StoreExcerpt.read(queries, classes, connection)
    }
  }
}

/// Asynchronous operations in synchronous commands.
enum Blocking {
  /// Runs an operation and waits for its end.
  ///
  /// - Throws: The error of the operation.
  static func wait<Success>(
    _ operation: sending @escaping () async throws -> sending Success
  ) throws -> Success {
    let outcome = Outcome<Success>()
    let end = DispatchSemaphore(value: 0)
    Task {
      do {
        outcome.result = .success(try await operation())
      } catch {
        outcome.result = .failure(error)
      }
      end.signal()
    }
    end.wait()
    return try outcome.result.get()
  }

  // Safe because the semaphore orders the write before the read.
  private final class Outcome<Success>: @unchecked Sendable {
    /// The result; `CancellationError` until the operation ends.
    var result: Result<Success, any Error> = .failure(CancellationError())
  }
}
