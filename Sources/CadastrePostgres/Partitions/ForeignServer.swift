/// A foreign server of `postgres_fdw` with partitions.
struct ForeignServer: Sendable {
  /// The name of the server in the database: host, port and database, for messages of PostgreSQL.
  let name: String
  private let options: [(key: String, value: String)]
  private let userOptions: [(key: String, value: String)]

  /// The options of libpq that belong to a user mapping.
  private static let userKeys = ["user", "password", "sslpassword"]
  /// The options that `postgres_fdw` sets itself.
  private static let reservedKeys = [
    "client_encoding", "fallback_application_name", "application_name", "replication", "options",
  ]
  /// The default options: small batches for queries with a limit, functions of PostGIS on the foreign server, and
  /// concurrent scans of several servers.
  private static let defaults = ConnectionOptions.defaults.merging(
    ["fetch_size": "1000", "extensions": "postgis", "async_capable": "true"]
  ) { option, _ in option }

  /// Creates the server of an address.
  ///
  /// - Throws: ``PostgresError`` if the address cannot be read.
  init(_ address: String) throws(PostgresError) {
    let values = try ConnectionOptions(address).values
    let location =
      (values["host"] ?? values["hostaddr"] ?? "local") + ":" + (values["port"] ?? "5432") + "/"
      + (values["dbname"] ?? values["user"] ?? "")
    name = Self.name(location)
    options = values.filter {
      !Self.userKeys.contains($0.key) && !Self.reservedKeys.contains($0.key)
    }
    .merging(Self.defaults) { option, _ in option }.map { ($0.key, $0.value) }
    .sorted { $0.key < $1.key }
    userOptions = values.filter { Self.userKeys.contains($0.key) }.map { ($0.key, $0.value) }
      .sorted { $0.key < $1.key }
  }

  /// Returns the name of a server at a location; a long name is truncated and ends with a hash.
  private static func name(_ location: String) -> String {
    let name = "cadastre " + location
    guard name.utf8.count > ColumnNaming.maximumLength else { return name }
    var hash = StreamHash()
    hash.combine(location.utf8)
    var short = name
    while short.utf8.count > ColumnNaming.maximumLength - hash.text.utf8.count - 1 {
      short.removeLast()
    }
    return "\(short) \(hash.text)"
  }

  /// Creates the server in the database, or updates its options.
  ///
  /// A statement without parameters contains the password; no message quotes this statement.
  ///
  /// - Throws: ``PostgresError``, or ``PostgresMappingError`` for an existing server of another role, which could
  ///   read the password.
  func create(_ connection: PostgresConnection) async throws {
    let quoted = SQLStatement.quoted(name)
    var statement = SQLStatement(
      "SELECT o.option_name::text, w.rolsuper OR w.rolname = current_user, ")
    statement.append(
      "w.rolname::text FROM pg_foreign_server s JOIN pg_roles w ON w.oid = s.srvowner ")
    statement.append(
      "LEFT JOIN LATERAL pg_options_to_table(s.srvoptions) o ON true WHERE s.srvname = ")
    statement.append(statement.parameter(.text(name), .text))
    let result = try await connection.run(statement)
    var names: Set<String> = []
    for row in 0..<result.rowCount {
      let values = try result.row(row)
      if case .text(let option) = values[0] { names.insert(option) }
      guard case .text(let owner) = values[2], values[1] != .bool(true) else { continue }
      throw PostgresMappingError(
        subject: "foreign server '\(name)'",
        reason: "it belongs to the role '\(owner)', which could read the password of this "
          + "connection; remove the server")
    }
    if result.rowCount == 0 {
      try await connection.run(
        SQLStatement(
          "CREATE SERVER \(quoted) FOREIGN DATA WRAPPER postgres_fdw \(Self.list(options))"))
    } else {
      let changes = options.map { option in
        (names.contains(option.key) ? "SET " : "ADD ") + Self.text(option)
      }
      try await connection.run(
        SQLStatement("ALTER SERVER \(quoted) OPTIONS (\(changes.joined(separator: ", ")))"))
    }
    try await connection.run(
      SQLStatement("DROP USER MAPPING IF EXISTS FOR CURRENT_USER SERVER \(quoted)"))
    try await connection.run(
      SQLStatement(
        "CREATE USER MAPPING FOR CURRENT_USER SERVER \(quoted) \(Self.list(userOptions))"),
      summary: "CREATE USER MAPPING FOR CURRENT_USER SERVER \(quoted)")
  }

  private static func text(_ option: (key: String, value: String)) -> String {
    "\(option.key) \(SQLStatement.literal(option.value))"
  }

  private static func list(_ options: [(key: String, value: String)]) -> String {
    options.isEmpty ? "" : "OPTIONS (\(options.map(text).joined(separator: ", ")))"
  }
}
