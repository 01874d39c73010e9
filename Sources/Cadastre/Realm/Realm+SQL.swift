import CadastreEngine
import CadastreModel
import CadastreStore

extension Realm {
  /// Runs an SQL query on the version of the store that this Realm reads.
  ///
  ///     let rows = try realm.sql(
  ///       "SELECT country, count(*) AS number FROM Airport WHERE elevation > ? GROUP BY country",
  ///       [1_000])
  ///     for row in rows { print(try row["country"] as String, try row["number"] as Int) }
  ///
  /// This is for what the queries of objects cannot say. The text depends on the layout of the file,
  /// which the article <doc:StorageFormat> describes: names of tables and columns, types and child
  /// tables of collections. A write transaction sees its own changes; a frozen Realm sees its
  /// version.
  ///
  /// The text must be one statement that only reads. SQLite refuses all other actions while it
  /// prepares the statement: writes, `PRAGMA`, `ATTACH`, transactions and extensions.
  ///
  /// - Parameters:
  ///   - text: The query, with a placeholder (`?`, `?1`, `:name`) for each argument. It must not be
  ///     composed of data from outside of the program: pass the data as arguments.
  ///   - arguments: The values of the placeholders, in their order; nil for null. They are bound in
  ///     the form in which a property of their type is stored.
  /// - Returns: All rows of the result, in memory.
  /// - Throws: `SQLError` where the text is not such a statement, ``Realm/Error`` when reading
  ///   fails.
  /// - Complexity: That of SQLite's plan, which `EXPLAIN QUERY PLAN` before the text shows. Columns
  ///   in memory are not used.
  public func sql(_ text: String, _ arguments: [(any SQLValue)?] = []) throws -> [SQLRow] {
    core.checkThread()
    let values = arguments.map { $0?.storedValue ?? .null }
    let result = core.exclusively {
      Result {
        try Error.translating {
          try QuerySession(try core.currentReader(), schema: core.schema).sql(text, values)
        }
      }
    }
    let (columns, rows) = try result.get()
    return rows.enumerated().map { SQLRow(columns, $0.element, index: $0.offset) }
  }

  /// Runs an SQL query, and returns a structure of the program for each row; see ``sql(_:_:)``.
  ///
  ///     struct Share: Decodable { let country: String, number: Int }
  ///     let shares = try realm.sql(
  ///       "SELECT country, count(*) AS number FROM Airport GROUP BY country", as: Share.self)
  ///
  /// - Parameters:
  ///   - text: The query, with a placeholder for each argument.
  ///   - arguments: The values of the placeholders, in their order; nil for null.
  ///   - type: A type whose coding keys are names of columns of the result.
  /// - Returns: A structure for each row.
  /// - Throws: `SQLError`, ``Realm/Error``, or `DecodingError` with the index of the row and the
  ///   name of the column in its coding path.
  public func sql<Row: Decodable>(
    _ text: String, _ arguments: [(any SQLValue)?] = [], as type: Row.Type
  ) throws -> [Row] {
    try sql(text, arguments).map { try $0.decode(type) }
  }
}
