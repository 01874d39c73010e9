/// The schemas that qualify tables, and functions and types of PostGIS, in statements.
///
/// The search path of a connection contains only the schemas of PostgreSQL, because other roles may create objects
/// in the others.
package struct SchemaNames: Hashable, Sendable {
  /// The schema of the tables; nil for unqualified names, in a statement that a user runs.
  package let tables: String?
  /// The schema of PostGIS; nil for unqualified names.
  package let postgis: String?

  /// Creates the names of schemas.
  package init(tables: String? = nil, postgis: String? = nil) {
    self.tables = tables
    self.postgis = postgis
  }

  /// Reads the schemas from the catalog of a database.
  ///
  /// - Parameters:
  ///   - connection: The connection.
  ///   - path: The candidates for the schema of the tables: the first schema with the table of the classes, or
  ///     else the first schema.
  /// - Returns: The names, and whether the table of the classes exists.
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
      ") WITH ORDINALITY AS p(name, position) JOIN pg_namespace n ON n.nspname = p.name "
        + "JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = ")
    statement.append(statement.parameter(.text(RemoteClasses.catalogue), .text))
    statement.append(" ORDER BY p.position LIMIT 1)")
    let result = try await connection.run(statement)
    func name(_ column: Int) throws(PostgresError) -> String? {
      let value = try result.value(0, column)
      return if case .text(let name) = value { name } else { nil }
    }
    let (postgis, tables) = (try name(0), try name(1))
    return (SchemaNames(tables: tables ?? path.first, postgis: postgis), tables != nil)
  }

  /// Reads the schemas for a push, which creates tables in the first schema of the search path.
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

  /// Returns the quoted name of a table.
  func table(_ name: String) -> String { Self.prefix(tables) + SQLStatement.quoted(name) }

  /// Returns the name of a function or type of PostGIS.
  func spatial(_ name: String) -> String { Self.prefix(postgis) + name }

  /// Returns an operator of PostGIS.
  func spatialOperator(_ text: String) -> String {
    postgis == nil ? text : "OPERATOR(\(spatial(text)))"
  }

  /// Returns the geography of a point in degrees.
  func point(_ longitude: String, _ latitude: String) -> String {
    let point = "\(spatial("ST_MakePoint"))(\(longitude), \(latitude))"
    return "\(spatial("ST_SetSRID"))(\(point), 4326)::\(type(.geography))"
  }

  /// Returns the name of a type.
  func type(_ type: PostgresType) -> String {
    type == .geometry || type == .geography ? spatial(type.name) : type.name
  }

  private static func prefix(_ schema: String?) -> String {
    schema.map { SQLStatement.quoted($0) + "." } ?? ""
  }

  /// Returns the statement that creates a missing extension in the schema of the tables.
  func creation(ofExtension name: String) -> SQLStatement {
    let schema = tables.map { " SCHEMA \(SQLStatement.quoted($0))" } ?? ""
    return SQLStatement("CREATE EXTENSION IF NOT EXISTS \(name)\(schema)")
  }
}
