import Foundation

/// The connections to the servers of partitions, each with a separate transaction.
///
/// A push writes each partition into a new schema. The commit of the database refers to the new schemas, so that
/// readers see either the old partitions or the new ones. The next push drops unreferenced schemas of earlier
/// pushes, also of a push that failed between the commits.
struct PartitionServers: Sendable {
  /// The servers of the partitions, in their order.
  let servers: [ForeignServer]
  /// The connections of the partitions, in their order.
  let connections: [PostgresConnection]
  private let name: String
  /// The schemas of the database of the classes.
  private let names: SchemaNames

  /// The table of the database that lists all schemas on other servers.
  private static let register = "_cadastre_parts"
  /// The prefix of the names of these schemas.
  private static let prefix = "cadastre_"

  /// Opens the connections.
  ///
  /// - Parameters:
  ///   - addresses: The addresses of the servers, assigned to partitions round-robin.
  ///   - count: The number of partitions.
  ///   - settings: The timeouts and the notice handler.
  ///   - names: The schemas of the database of the classes.
  /// - Returns: The connections.
  /// - Throws: ``PostgresError``.
  static func open(
    _ addresses: [String], count: Int, _ settings: ConnectionSettings, _ names: SchemaNames
  ) async throws -> PartitionServers {
    var connections: [PostgresConnection] = []
    var servers: [ForeignServer] = []
    for part in 0..<count {
      let address = addresses[part % addresses.count]
      servers.append(try ForeignServer(address))
      connections.append(try await PostgresConnection.open(address, settings))
    }
    let id = UUID().uuidString.replacing("-", with: "").lowercased()
    return PartitionServers(
      servers: servers, connections: connections, name: prefix + id, names: names)
  }

  /// Returns the name of the schema with the table of a partition.
  func schema(_ part: Int) -> String { "\(name)_\(part)" }

  /// Registers the new schemas in the database before their creation, so that the next push finds them after a
  /// failure.
  ///
  /// - Parameter connection: A connection in a separate transaction.
  /// - Throws: ``PostgresError``, or ``PostgresMappingError`` if the register belongs to another role.
  func register(_ connection: PostgresConnection) async throws {
    let register = names.table(Self.register)
    try await connection.run(
      SQLStatement(
        "CREATE TABLE IF NOT EXISTS \(register) (schema text PRIMARY KEY, server text)"))
    try await TableCheck(names, connection).requireOwned([Self.register], locks: true)
    for (part, server) in servers.enumerated() {
      var statement = SQLStatement("INSERT INTO \(register) VALUES (")
      statement.append(statement.parameter(.text(schema(part)), .text) + ", ")
      statement.append(statement.parameter(.text(server.name), .text) + ")")
      try await connection.run(statement)
    }
  }

  /// Begins the transactions and creates the schemas.
  func begin(needsPostGIS: Bool) async throws {
    for (part, connection) in connections.enumerated() {
      // Outside of the transactions, because two transactions on one server would block each other.
      if needsPostGIS {
        let names = try await SchemaNames.ofPush(connection)
        try await connection.run(names.creation(ofExtension: "postgis"))
      }
      try await connection.begin(.writing)
      try await connection.run(
        SQLStatement("CREATE SCHEMA \(SQLStatement.quoted(schema(part)))"))
    }
  }

  /// Commits the transactions; a failed one leaves unreferenced schemas.
  func commit() async throws {
    for connection in connections { try await connection.commit() }
  }

  /// Rolls back the transactions.
  func rollBack() async {
    for connection in connections { await connection.rollBack() }
  }

  /// Drops the registered schemas on these servers to which no class of the database refers.
  ///
  /// - Parameter connection: A connection in a transaction that excludes other pushes.
  /// - Throws: ``PostgresError``, or ``PostgresMappingError`` for classes of a later version, and for a
  ///   register or classes of another role.
  func dropUnreferenced(_ connection: PostgresConnection) async throws {
    let register = names.table(Self.register)
    let check = TableCheck(names, connection)
    try await check.requireOwned([Self.register], locks: true)
    try await check.requireOwned([RemoteClasses.catalogue], locks: false)
    let path = names.tables.map { [$0] } ?? []
    let named = try await RemoteClasses.read(connection, path: path).partitions.values
      .flatMap { $0.parts.compactMap(\.schema) }
    let result = try await connection.run(
      SQLStatement("SELECT schema, server FROM \(register)"))
    for row in 0..<result.rowCount {
      guard case .text(let schema) = try result.value(row, 0), schema.hasPrefix(Self.prefix),
        !named.contains(schema), case .text(let name) = try result.value(row, 1),
        let part = servers.firstIndex(where: { $0.name == name })
      else { continue }
      try await connections[part].run(
        SQLStatement("DROP SCHEMA IF EXISTS \(SQLStatement.quoted(schema)) CASCADE"))
      var deletion = SQLStatement("DELETE FROM \(register) WHERE schema = ")
      deletion.append(deletion.parameter(.text(schema), .text))
      try await connection.run(deletion)
    }
  }
}
