/// The schemas in which statements name tables, and functions and types of PostGIS.
///
/// The search path of a connection has no schema in which another role may create objects, so statements
/// name the schemas of all others than those of PostgreSQL.
package struct SchemaNames: Hashable, Sendable {
  /// The schema of the tables; nil to name none, in a statement that a user runs.
  package let tables: String?
  /// The schema of PostGIS; nil to name none.
  package let postgis: String?

  /// Creates the names of schemas.
  package init(tables: String? = nil, postgis: String? = nil) {
    self.tables = tables
    self.postgis = postgis
  }

  /// Finds the schemas in a database.
  ///
  /// - Parameters:
  ///   - connection: The connection.
  ///   - path: The schemas that may have the tables; the first one that has the table of the classes
  ///     is that of the tables, or the first one.
  /// - Returns: The names, and whether there is a table of the classes.
  /// - Throws: ``PostgresError``.
  static func read(
    _ connection: PostgresConnection, path: [String]
  ) async throws(PostgresError) -> (names: SchemaNames, hasClasses: Bool) {
    var statement = SQLStatement(
      "SELECT (SELECT n.nspname::text FROM pg_extension e "
        + "JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'postgis'), "
        + "(SELECT n.nspname::text FROM unnest(")
    statement.append(
      statement.parameter(.array(.text, path.map(PostgresValue.text)), .array(.text)))
    statement.append(
      ") WITH ORDINALITY AS p(name, place) JOIN pg_namespace n ON n.nspname = p.name "
        + "JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = ")
    statement.append(statement.parameter(.text(RemoteClasses.catalogue), .text))
    statement.append(" ORDER BY p.place LIMIT 1)")
    let found = try await connection.run(statement)
    func name(_ column: Int) throws(PostgresError) -> String? {
      let value = try found.value(0, column)
      return if case .text(let name) = value { name } else { nil }
    }
    let (postgis, tables) = (try name(0), try name(1))
    return (SchemaNames(tables: tables ?? path.first, postgis: postgis), tables != nil)
  }

  /// The schemas of a database as a push uses them: tables are in the first schema of the search path.
  ///
  /// - Throws: ``PostgresMappingError`` if the search path has no schema, or ``PostgresError``.
  package static func ofPush(_ connection: PostgresConnection) async throws -> SchemaNames {
    guard let first = await connection.searchPath.first else {
      throw PostgresMappingError(
        subject: "the database",
        reason: "the search path of the role has no schema in which tables could be made")
    }
    return try await read(connection, path: [first]).names
  }

  /// The quoted name of a table.
  func table(_ name: String) -> String { Self.prefix(tables) + SQLStatement.quoted(name) }

  /// The name of a function or type of PostGIS.
  func spatial(_ name: String) -> String { Self.prefix(postgis) + name }

  /// An operator of PostGIS.
  func spatialOperator(_ text: String) -> String {
    postgis == nil ? text : "OPERATOR(\(spatial(text)))"
  }

  /// A point in degrees as a geography.
  func point(_ longitude: String, _ latitude: String) -> String {
    let point = "\(spatial("ST_MakePoint"))(\(longitude), \(latitude))"
    return "\(spatial("ST_SetSRID"))(\(point), 4326)::\(type(.geography))"
  }

  /// The name of a type.
  func type(_ type: PostgresType) -> String {
    type == .geometry || type == .geography ? spatial(type.name) : type.name
  }

  private static func prefix(_ schema: String?) -> String {
    schema.map { SQLStatement.quoted($0) + "." } ?? ""
  }

  /// The statement that creates an extension that the database has not, beside the tables.
  func creation(ofExtension name: String) -> SQLStatement {
    let place = tables.map { " SCHEMA \(SQLStatement.quoted($0))" } ?? ""
    return SQLStatement("CREATE EXTENSION IF NOT EXISTS \(name)\(place)")
  }
}
