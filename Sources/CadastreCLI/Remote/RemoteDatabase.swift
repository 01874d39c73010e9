import ArgumentParser
import CadastrePostgres
import CadastrePredicate
import Foundation
import Synchronization

/// A database of PostgreSQL that is named where a store is expected.
struct RemoteDatabase: Sendable {
  /// The address as a URL.
  let address: String
  private let settings: ConnectionSettings

  /// The database at an address; nil if the text is the path of a store.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - timeout: How many seconds the database may be silent; nil for the environment's or usual limit.
  init?(_ text: String, timeout: Int? = nil) {
    guard ["postgresql://", "postgres://"].contains(where: text.hasPrefix) else { return nil }
    address = text
    let seconds = timeout ?? Environment.timeout
    settings = ConnectionSettings(
      replyTimeout: seconds.map { Duration.seconds($0) } ?? ConnectionSettings.defaultReplyTimeout
    ) { Terminal.say("PostgreSQL: \($0)") }
  }

  /// Throws a usage error if a text is no address of a database.
  static func require(_ text: String) throws {
    guard RemoteDatabase(text) != nil else {
      // A mistyped address may contain a password.
      throw ValidationError(
        "expected a database such as postgresql://me@localhost/places, found a text that does not "
          + "begin with postgresql://")
    }
  }

  /// Throws a usage error if an argument names a database by keywords of libpq; the name of a file would contain its
  /// password.
  static func refuseKeywords(in arguments: [String]) throws {
    let keywords =
      /(?:--[a-z-]+=)?(?:\s*(?:host|hostaddr|port|dbname|user|password|service|sslmode)\s*=\s*(?:'[^']*'|[^\s']+)){2,}\s*/
    guard arguments.contains(where: { $0.wholeMatch(of: keywords) != nil }) else { return }
    throw ValidationError(
      "expected a database such as postgresql://me@localhost/places, found keywords such as host=")
  }

  private static let connections = Mutex<[String: PostgresConnection]>([:])

  /// Returns the connection of this process to the database, which is opened once.
  ///
  /// - Throws: `PostgresError`.
  func connection() async throws -> PostgresConnection {
    if let open = Self.connections.withLock({ $0[address] }) { return open }
    let connection = try await PostgresConnection.open(address, settings)
    Self.connections.withLock { $0[address] = connection }
    return connection
  }

  /// Reads the classes of the database.
  func classes() throws -> RemoteClasses {
    let database = self
    return try Blocking.wait { try await RemoteClasses.read(try await database.connection()) }
  }

  /// Counts the objects of each class, in order of the names.
  func counts() throws -> [StorePush.Copied] {
    let database = self
    return try Blocking.wait {
      let connection = try await database.connection()
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
